import { constants, existsSync, promises, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PlaceUnfit } from '../isolation/errors.ts'
import { isInside, lstatIfThere, makePlainFolder } from '../paths.ts'
import type { LayerMount } from '../process/types.ts'

/** What preparation made: dependencies that no worker can write. Made elsewhere and handed in. */
export interface PreparedLayer {
  folder: string
  /** What of it belongs into a place, relative to both. */
  paths: readonly string[]
  /** Puts right what of a path names the folder that it was made in; such a path is copied, never shown. Null: nothing does. */
  relocation?: (path: string) => ((place: string) => void) | null
}

export interface LayOptions {
  /** Folders of build output, relative to the place. */
  outputs: readonly string[]
  /** Whether a process of this place will have walls; only then can something be shown without being there. */
  mounts: boolean
}

/** Brings a layer into a place: shown read-only, or copied where builds write inside it. Gives what is to be shown; it goes into
 *  the spec of every process of the place. Throws `sandbox_failed` where something else is in its way. */
export async function layLayer(
  place: string,
  { folder, paths, relocation }: PreparedLayer,
  { outputs, mounts }: LayOptions,
): Promise<LayerMount[]> {
  const shown: LayerMount[] = []
  for (const path of paths) {
    const from = join(folder, path)
    if (!existsSync(from)) continue
    if (path.split('/').includes('..')) throw new PlaceUnfit(`The layer's ${path} leads out of the place.`)
    const relocate = relocation?.(path) ?? null
    const canShow = mounts && relocate === null && lstatIfThere(from)?.isDirectory()
    if (canShow && !outputs.some(output => isInside(path, output))) shown.push({ from, to: path })
    else {
      await copy(place, { from, path })
      relocate?.(place)
    }
  }
  return shown
}

async function copy(place: string, { from, path }: { from: string; path: string }): Promise<void> {
  const to = join(place, path)
  const found = lstatIfThere(to)
  const isFree = !found || (found.isDirectory() && readdirSync(to).length === 0)
  if (!isFree || !makePlainFolder(place, dirname(path) === '.' ? '' : dirname(path)))
    throw new PlaceUnfit(`The prepared layer has no room at ${path}: something else is in its way.`)
  // Through node:fs, which loads them when they are used: few runs have a layer.
  await promises.cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE })
}
