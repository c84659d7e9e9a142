import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { QedError } from '../../kernel/errors.ts'
import { OUTSIDE_RUNS } from '../../sandbox/isolation/detect.ts'
import { isPlainFolder, lstatIfThere } from '../../sandbox/paths.ts'
import type { Processes } from '../../sandbox/process/types.ts'
import { CACHES } from './commands.ts'
import type { Layer } from './layers.ts'

/** Makes a layer present in a place; gives the variables that programs find its caches by. What the tree itself holds stays. */
export type MountLayer = (place: string, layer: Layer) => Promise<Record<string, string>>

export class LayerNotCopied extends QedError {
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

/** By copying: slower than showing it read-only, but test runners write into it (`node_modules/.cache`, `.vite`) and one run must
 *  not see what another wrote. Shares blocks where the file system can. Hard links would let a run write into the layer. */
export function copyLayers(processes: Pick<Processes, 'run'>): MountLayer {
  return async (place, layer) => {
    for (const part of layer.parts) {
      const to = join(place, part)
      // The produced tree is judged exactly as it is; a link in it must not lead the copy elsewhere.
      if (lstatIfThere(to) !== undefined || !makeParents(place, dirname(part))) continue
      await copy(processes, join(layer.folder, part), to, layer)
      if (part === '.venv' || part.endsWith('/.venv')) relocate(to, layer.made_in, place)
    }
    return cacheVariables(layer, place)
  }
}

function cacheVariables({ parts }: Layer, place: string): Record<string, string> {
  const there = Object.entries(CACHES).filter(([, name]) => parts.includes(`${CACHE_FOLDER}/${name}`))
  return Object.fromEntries(there.map(([variable, name]) => [variable, join(place, CACHE_FOLDER, name)]))
}

function makeParents(place: string, folder: string): boolean {
  if (folder === '.') return true
  const there = folder.split('/').findIndex((_, i, parts) => lstatIfThere(join(place, ...parts.slice(0, i + 1))) === undefined)
  const existing = there < 0 ? folder : folder.split('/').slice(0, there).join('/')
  if (!isPlainFolder(place, existing)) return false
  mkdirSync(join(place, folder), { recursive: true })
  return true
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
