// Goes into dist/program: loads the parts of the program. Those that nearly every command and every run need lie in packs, a few
// large files, because a file costs more to find and open than to read. With a pack goes what V8 made of it when it was last used,
// functions that were called included: Node's own compile cache holds only what a file runs while it is loaded.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'

/** Filled in by the build: in which pack each packed part lies. */
declare const PACKS: Record<string, string>

interface PartModule {
  exports: unknown
}

type Part = (exports: unknown, load: typeof requirePart, module: PartModule, file: string) => void

interface Pack {
  parts: Record<string, Part>
  script: Script
  /** V8 has used what was kept for this pack. */
  wasKept: boolean
}

const packs = new Map<string, Pack>()
const loaded = new Map<string, PartModule>()
// Named after the Node, the processor, the flags of V8 and the user; not there where no cache is wanted.
const cache = getCompileCacheDir()

export function requirePart(name: string): unknown {
  const known = loaded.get(name)
  if (known) return known.exports
  const packName = PACKS[name]
  if (packName === undefined) return require(name)
  const pack = packs.get(packName) ?? openPack(packName)
  const module: PartModule = { exports: {} }
  loaded.set(name, module)
  pack.parts[name]?.(module.exports, requirePart, module, join(__dirname, name))
  return module.exports
}

function openPack(name: string): Pack {
  const file = join(__dirname, name)
  const kept = cache === undefined ? undefined : attempt(() => undamaged(readFileSync(join(cache, name))))
  // The build has made sure that it holds nothing but ASCII.
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, ...(kept && { cachedData: kept }) })
  const pack = {
    parts: script.runInThisContext() as Pack['parts'],
    script,
    wasKept: kept !== undefined && script.cachedDataRejected === false,
  }
  packs.set(name, pack)
  if (cache !== undefined && !pack.wasKept) keepAtTheEnd(cache)
  return pack
}

let isToBeKept = false

function keepAtTheEnd(folder: string): void {
  if (isToBeKept) return
  isToBeKept = true
  // All of them: the others have had more of their functions called by then than when they were kept.
  process.once('exit', () => packs.forEach(({ script }, name) => keep(join(folder, name), script)))
}

// On the disk before it has its name, and twice: V8 does not notice what is damaged, and the process would die of it at every start.
// To compare two copies takes half a millisecond, to sum one up four times as long.
function keep(file: string, script: Script): void {
  const draft = `${file}.${process.pid}`
  attempt(() => {
    const made = script.createCachedData()
    writeFileSync(draft, Buffer.concat([made, made]), { flush: true, mode: 0o600 })
    renameSync(draft, file)
  })
  attempt(() => rmSync(draft, { force: true }))
}

function undamaged(kept: Buffer): Buffer | undefined {
  const [first, second] = [kept.subarray(0, kept.length / 2), kept.subarray(kept.length / 2)]
  return first.equals(second) ? first : undefined
}

/** Without a cache the start is slower, and nothing else. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
