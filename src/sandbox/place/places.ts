import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, timestamp } from '../../kernel/clock.ts'
import { NotFound } from '../../kernel/errors.ts'
import type { RunId } from '../../kernel/ids.ts'
import { parseJson } from '../../kernel/json.ts'
import { makeFolder, readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { Git } from '../git/git.ts'
import type { IsSensitive } from '../isolation/sensitive.ts'
import type { Snapshots } from '../snapshot/snapshots.ts'
import { checkOut } from './check-out.ts'
import { removePlace, type Saved } from './clean.ts'
import { CleanupUnsaved, PlaceBusy, PlaceLimit } from './errors.ts'
import { copyIncluded } from './include.ts'
import { layLayer, type PreparedLayer } from './layer.ts'
import { type Place, PlaceFile } from './place.ts'
import { sizeOf } from './size.ts'

export interface PlacesOptions {
  git: Git
  snapshots: Snapshots
  state: string
  project: { id: string; root: string }
  clock: Clock
  outputs: readonly string[]
  /** Ignored files of the checkout that a place gets a copy of. */
  include?: readonly string[]
  isSensitive?: IsSensitive
  limits?: PlaceLimits
  /** Whether processes of a place will have walls; without them a layer is copied. */
  isolated?: () => Promise<boolean>
}

export interface PlaceLimits {
  places: number
  bytes: number
}

interface MakePlace {
  run: RunId
  base: string
  kind?: 'worktree' | 'clone'
  /** Dependencies that were prepared for this base. */
  layer?: PreparedLayer
}

export interface Places {
  /** Makes room first, by cleaning places whose runs have ended; throws `blocked` where there is none to be made. */
  make: (options: MakePlace) => Promise<Place>
  list: () => Place[]
  /** Throws `not_found`. */
  get: (run: string) => Place
  end: (run: string) => Place
  /** Saves everything, checks that it is saved, and only then removes. Throws `cleanup.unsaved`. */
  clean: (run: string) => Promise<Saved>
}

const LIMITS = { places: 16, bytes: 20 * 2 ** 30 }

export function createPlaces(options: PlacesOptions): Places {
  const { git, state, project, clock } = options
  const limits = options.limits ?? LIMITS
  const folder = join(state, 'places', project.id)
  const fileOf = (run: string): string => join(folder, `${run}.json`)
  const write = (file: PlaceFile): Place => {
    writeFileAtomically(fileOf(file.run), `${JSON.stringify(file)}\n`, { private: true })
    return toPlace(state, folder, file)
  }
  const list = (): Place[] => listPlaces(state, project.id)
  const get = (run: string): Place => {
    const place = /^[\w-]{1,64}$/.test(run) ? readPlace(state, folder, run) : null
    if (place) return place
    throw new NotFound(`There is no place of the run ${run}.`, {
      details: { run },
      next: { operation: 'place.list', command: 'qed place list', why: 'It lists the places there are.' },
    })
  }
  const clean: Places['clean'] = async run => {
    const place = get(run)
    if (place.ended_at === null) throw new PlaceBusy(run)
    const saved = await removePlace(place, options)
    rmSync(fileOf(run), { force: true })
    return saved
  }
  const makeRoom = async (): Promise<void> => {
    const unsaved = new Set<string>()
    for (;;) {
      const own = list()
      const bytes = listAllPlaces(state).reduce((sum, place) => sum + (place.bytes ?? sizeOf(place.path)), 0)
      if (own.length < limits.places && bytes < limits.bytes) return
      const ended = own.filter(place => place.ended_at !== null && !unsaved.has(place.run))
      const [oldest] = ended.sort((a, b) => ((a.ended_at ?? '') < (b.ended_at ?? '') ? -1 : 1))
      if (!oldest)
        throw new PlaceLimit(own.length < limits.places ? { bytes, most: limits.bytes } : { places: own.length, most: limits.places })
      try {
        await clean(oldest.run)
      } catch (error) {
        // One that cannot be cleaned stays; it must not keep the others from being cleaned.
        if (!(error instanceof CleanupUnsaved)) throw error
        unsaved.add(oldest.run)
      }
    }
  }

  return {
    list,
    get,
    clean,
    end: run => {
      const place = get(run)
      return write({ ...stored(place), ended_at: timestamp(clock), bytes: sizeOf(place.path) })
    },
    async make({ run, base, kind = 'worktree', layer }) {
      await makeRoom()
      makeFolder(folder, { private: true })
      makeFolder(join(state, 'scratch', run), { private: true })
      const commit = await git.line(['rev-parse', '--verify', `${base}^{commit}`])
      // The record comes first: a place that was half made when QED was killed is then found and cleaned like any other.
      const made_at = timestamp(clock)
      const file: PlaceFile = {
        run,
        kind,
        base: commit,
        made_at,
        ended_at: null,
        bytes: null,
        outputs: [],
        empty_submodules: [],
        layer: [],
        layers: [],
      }
      const place = write(file)
      const made = await checkOut(place, { git, state, outputs: options.outputs })
      await copyIncluded(place.path, { ...options, root: project.root })
      if (!layer) return write({ ...file, ...made })
      const mounts = (await options.isolated?.()) ?? false
      const layers = await layLayer(place.path, layer, { outputs: made.outputs, mounts })
      const copied = layer.paths.filter(path => !layers.some(({ to }) => to === path))
      return write({ ...file, ...made, layers, layer: copied })
    },
  }
}

/** The places of a project on this machine, oldest first. */
export function listPlaces(state: string, project: string): Place[] {
  const folder = join(state, 'places', project)
  const names = /^[\w-]{1,64}$/.test(project) && existsSync(folder) ? readdirSync(folder) : []
  return names
    .flatMap(name => (name.endsWith('.json') ? (readPlace(state, folder, name.slice(0, -'.json'.length)) ?? []) : []))
    .sort((a, b) => (a.made_at < b.made_at ? -1 : 1))
}

function listAllPlaces(state: string): Place[] {
  const folder = join(state, 'places')
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap(project => listPlaces(state, project))
}

function readPlace(state: string, folder: string, run: string): Place | null {
  const parsed = PlaceFile().safeParse(parseJson(readFileIfThere(join(folder, `${run}.json`)) ?? ''))
  return parsed.success ? toPlace(state, folder, parsed.data) : null
}

function toPlace(state: string, folder: string, file: PlaceFile): Place {
  return { ...file, path: join(folder, file.run), scratch: join(state, 'scratch', file.run) }
}

function stored({ path: _path, scratch: _scratch, ...file }: Place): PlaceFile {
  return file
}
