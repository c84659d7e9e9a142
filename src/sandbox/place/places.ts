import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
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
import { PlaceBusy, PlaceLimit } from './errors.ts'
import { copyIncluded } from './include.ts'
import { type Place, PlaceFile } from './place.ts'

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
  limits?: { places: number; bytes: number }
}

export interface Places {
  /** Makes room first, by cleaning places whose runs have ended; throws `blocked` where there is none to be made. */
  make: (options: { run: RunId; base: string; kind?: 'worktree' | 'clone' }) => Promise<Place>
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
  const toPlace = (file: PlaceFile): Place => ({ ...file, path: join(folder, file.run), scratch: join(state, 'scratch', file.run) })
  const write = (file: PlaceFile): Place => {
    writeFileAtomically(fileOf(file.run), `${JSON.stringify(file)}\n`, { private: true })
    return toPlace(file)
  }
  const read = (run: string): Place | null => {
    const parsed = PlaceFile().safeParse(parseJson(readFileIfThere(fileOf(run)) ?? ''))
    return parsed.success ? toPlace(parsed.data) : null
  }
  const list = (): Place[] =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .flatMap(name => (name.endsWith('.json') ? (read(name.slice(0, -'.json'.length)) ?? []) : []))
      .sort((a, b) => (a.made_at < b.made_at ? -1 : 1))
  const get = (run: string): Place => {
    const place = /^[\w-]{1,64}$/.test(run) ? read(run) : null
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
    for (;;) {
      const all = list()
      const bytes = all.reduce((sum, place) => sum + sizeOf(place.path), 0)
      if (all.length < limits.places && bytes < limits.bytes) return
      const ended = all.filter(place => place.ended_at !== null).sort((a, b) => ((a.ended_at ?? '') < (b.ended_at ?? '') ? -1 : 1))[0]
      if (!ended)
        throw new PlaceLimit(all.length < limits.places ? { bytes, most: limits.bytes } : { places: all.length, most: limits.places })
      await clean(ended.run)
    }
  }

  return {
    list,
    get,
    clean,
    end: run => write({ ...stored(get(run)), ended_at: timestamp(clock) }),
    async make({ run, base, kind = 'worktree' }) {
      await makeRoom()
      makeFolder(folder, { private: true })
      makeFolder(join(state, 'scratch', run), { private: true })
      const commit = await git.line(['rev-parse', '--verify', `${base}^{commit}`])
      // The record comes first: a place that was half made when QED was killed is then found and cleaned like any other.
      const file: PlaceFile = { run, kind, base: commit, made_at: timestamp(clock), ended_at: null, outputs: [], empty_submodules: [] }
      const place = write(file)
      const made = await checkOut(place, { git, outputs: options.outputs })
      await copyIncluded(place.path, { ...options, root: project.root })
      return write({ ...file, ...made })
    },
  }
}

function stored({ path: _path, scratch: _scratch, ...file }: Place): PlaceFile {
  return file
}

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + (lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0)
}
