import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { QedError } from '../../kernel/errors.ts'
import { OUTSIDE_RUNS } from '../../sandbox/isolation/detect.ts'
import { lstatIfThere, makePlainFolder } from '../../sandbox/paths.ts'
import type { Processes } from '../../sandbox/process/types.ts'
import { CACHES } from './commands.ts'
import type { Layer } from './layers.ts'

/** What a process of the place needs to see the layer. */
export interface Mounted {
  /** Variables that programs find its caches by. */
  env: Record<string, string>
  /** Folders of the layer that the sandbox shows in the place, read-only. */
  layers: { from: string; to: string }[]
}

/** Makes a layer present in a place. What the tree itself holds stays. */
export type MountLayer = (place: string, layer: Layer) => Promise<Mounted>

class LayerNotCopied extends QedError {
  readonly code = 'unavailable'
  constructor(layer: Layer, reason: string) {
    super(`The prepared dependencies could not be put into a place: ${reason}.`, {
      details: { layer: layer.folder, reason },
      next: { command: `rm -r ${dirname(layer.folder)}`, why: 'They are then prepared anew.' },
    })
  }
}

/** Inside a place's own git data: programs find it, and it is no part of the tree. */
export const CACHE_FOLDER = '.git/layer'

/** By copying: a run may then write what it likes, and no other sees it. Shares blocks where the file system can. Hard links
 *  would let a run write into the layer. */
export function copyLayers(processes: Pick<Processes, 'run'>): MountLayer {
  return async (place, layer) => {
    for (const part of layer.parts) await copyPart(part, place, layer, processes)
    return { env: cacheVariables(layer, place), layers: [] }
  }
}

const MODULES = /(^|\/)node_modules$/

/** By showing it: costs next to nothing, however large it is. `node_modules` itself is a folder of the place, because test runners
 *  write beside the packages (`.cache`, `.vite`); the packages in it are read-only. Needs a sandbox that can mount. */
function showLayers(processes: Pick<Processes, 'run'>): MountLayer {
  return async (place, layer) => {
    const layers: Mounted['layers'] = []
    for (const part of layer.parts) {
      if (!MODULES.test(part) || !lstatIfThere(join(layer.folder, part))?.isDirectory()) {
        await copyPart(part, place, layer, processes)
        continue
      }
      if (!isRoomFor(part, place)) continue
      mkdirSync(join(place, part))
      for (const entry of readdirSync(join(layer.folder, part), { withFileTypes: true })) {
        const path = `${part}/${entry.name}`
        if (entry.isDirectory()) layers.push({ from: join(layer.folder, path), to: path })
        else await copyPart(path, place, layer, processes)
      }
    }
    return { env: cacheVariables(layer, place), layers }
  }
}

// Each below a second on an ordinary disk.
const MOST_COPIED = { bytes: 64 << 20, files: 2000 }

/** Copies what is small and shows what is large: some commands write into packages, and only a copy lets them. */
export function mountLayers(processes: Pick<Processes, 'run'>, { canShow }: { canShow: boolean }): MountLayer {
  const copies = copyLayers(processes)
  const shows = showLayers(processes)
  const isLarge = ({ bytes, files }: Layer): boolean => bytes > MOST_COPIED.bytes || files > MOST_COPIED.files
  return (place, layer) => (canShow && isLarge(layer) ? shows(place, layer) : copies(place, layer))
}

async function copyPart(part: string, place: string, layer: Layer, processes: Pick<Processes, 'run'>): Promise<void> {
  if (!isRoomFor(part, place)) return
  await copy(processes, join(layer.folder, part), join(place, part), layer)
  relocation(part, layer)?.(place)
}

// The produced tree is judged exactly as it is; a link in it must not lead anything elsewhere.
function isRoomFor(part: string, place: string): boolean {
  return lstatIfThere(join(place, part)) === undefined && makePlainFolder(place, dirname(part))
}

function cacheVariables({ parts }: Layer, place: string): Record<string, string> {
  const there = Object.entries(CACHES).filter(([, name]) => parts.includes(`${CACHE_FOLDER}/${name}`))
  return Object.fromEntries(there.map(([variable, name]) => [variable, join(place, CACHE_FOLDER, name)]))
}

async function copy(processes: Pick<Processes, 'run'>, from: string, to: string, layer: Layer): Promise<void> {
  const outcome = await processes.run({
    argv: ['cp', '-a', ...(process.platform === 'linux' ? ['--reflink=auto'] : []), from, to],
    cwd: '/',
    profile: 'own',
    writable: {},
    env: {},
    timeout_ms: 600_000,
    keep: { head: 4096, tail: 4096 },
    run_id: OUTSIDE_RUNS,
  })
  if (outcome.reason !== 'exited' || outcome.exit !== 0) {
    throw new LayerNotCopied(layer, outcome.stderr.text.trim().split('\n').at(-1) || outcome.reason)
  }
}

/** Puts right what of a part names the folder that it was made in, once it is copied into a place; null where nothing does. */
export function relocation(part: string, { made_in }: Layer): ((place: string) => void) | null {
  return /(^|\/)\.venv$/.test(part) ? place => relocate(join(place, part), made_in, place) : null
}

// A Python environment writes where it is into its programs and settings.
function relocate(environment: string, from: string, to: string): void {
  const libraries = join(environment, 'lib')
  const packages = readFolder(libraries).map(name => join(libraries, name, 'site-packages'))
  const files = [
    join(environment, 'pyvenv.cfg'),
    ...readFolder(join(environment, 'bin')).map(name => join(environment, 'bin', name)),
    ...packages.flatMap(folder => readFolder(folder).flatMap(name => (/\.pth$|^__editable__/.test(name) ? [join(folder, name)] : []))),
  ]
  for (const file of files) {
    if (!lstatIfThere(file)?.isFile()) continue
    const bytes = readFileSync(file)
    if (bytes.includes(from) && !bytes.includes(0)) writeFileSync(file, bytes.toString('utf8').replaceAll(from, to))
  }
}

function readFolder(path: string): string[] {
  return lstatIfThere(path)?.isDirectory() ? readdirSync(path) : []
}
