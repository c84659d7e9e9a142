import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import { parseJson } from '../../kernel/json.ts'
import { lstatIfThere } from '../../sandbox/paths.ts'
import { isErrno, makeFolder, readFileIfThere } from '../../store/files.ts'
import { removeFolder } from '../places/remove-folder.ts'

/** A prepared layer: what a command made beside the files of a tree. Never changed once it is there. */
export interface Layer {
  key: string
  /** Holds the parts under their paths in a place. */
  folder: string
  /** Outermost files and folders of it, relative. */
  parts: string[]
  /** The folder that it was made in; programs may have written its path into what they made. */
  made_in: string
  bytes: number
}

export interface Layers {
  get: (key: string) => Layer | null
  /** Lets `fill` make one in a folder of its own and puts it in place whole, or not at all. Of two at once the first stays. */
  make: (key: string, fill: (at: { tree: string; index: string }) => Promise<string[]>) => Promise<Layer>
}

export const LAYER_LIMITS = { days: 30, bytes: 20 * 2 ** 30 }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type LayerFile = Pick<Layer, 'parts' | 'made_in' | 'bytes'>

export function createLayers(options: { state: string; clock: Clock; limits?: typeof LAYER_LIMITS }): Layers {
  const folder = join(options.state, 'layers')
  const fileOf = (key: string): string => join(folder, key, 'layer.json')

  const get: Layers['get'] = key => {
    const file = parseJson(readFileIfThere(fileOf(key)) ?? '') as LayerFile | undefined
    if (!file) return null
    const now = options.clock.now() / 1000
    utimesSync(fileOf(key), now, now)
    return { key, folder: join(folder, key, 'parts'), ...file }
  }
  return {
    get,
    async make(key, fill) {
      makeFolder(folder, { private: true })
      cleanUp(folder, options)
      const beside = join(folder, `${key}.${randomBytes(6).toString('hex')}`)
      const tree = join(beside, 'tree')
      try {
        mkdirSync(tree, { recursive: true, mode: 0o700 })
        const parts = await fill({ tree, index: join(beside, 'index') })
        for (const part of parts) move(join(tree, part), join(beside, 'parts', part))
        const file: LayerFile = { parts, made_in: tree, bytes: bytesIn(join(beside, 'parts')) }
        writeFileSync(join(beside, 'layer.json'), `${JSON.stringify(file)}\n`)
        removeFolder(tree)
        putInPlace(beside, join(folder, key))
      } finally {
        removeFolder(beside)
      }
      const made = get(key)
      if (made) return made
      throw new Error(`the layer ${key} is gone as soon as it was made`)
    },
  }
}

function putInPlace(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    // Another process was faster; what it made is the same.
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  renameSync(from, to)
}

/** Removes what was left half made, what nobody used for long, and the oldest above the limit; never what is in use now. */
function cleanUp(folder: string, { clock, limits = LAYER_LIMITS }: { clock: Clock; limits?: typeof LAYER_LIMITS }): void {
  const now = clock.now()
  const all = readdirSync(folder).map(name => {
    const file = lstatIfThere(join(folder, name, 'layer.json'))
    const used = file?.mtimeMs ?? statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now
    const { bytes = 0 } = (parseJson(readFileIfThere(join(folder, name, 'layer.json')) ?? '') ?? {}) as Partial<LayerFile>
    return { path: join(folder, name), idle: now - used, whole: file !== undefined && !name.includes('.'), bytes }
  })
  let total = all.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { path, idle, whole, bytes } of all.sort((a, b) => b.idle - a.idle)) {
    if (idle < HOUR_MS || (whole && idle < limits.days * DAY_MS && total <= limits.bytes)) continue
    removeFolder(path)
    total -= bytes
  }
}

function bytesIn(folder: string): number {
  if (!lstatIfThere(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + (lstatIfThere(join(entry.parentPath, entry.name))?.size ?? 0), 0)
}
