import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { RunId } from '../../kernel/ids.ts'
import { newId } from '../../kernel/new-id.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { privateClone } from '../../sandbox/git/private-clone.ts'
import { makeFolder } from '../../store/files.ts'
import type { ProofRecord } from './records.ts'
import { removeFolder } from './remove-folder.ts'

/** A clean folder with the files of one commit and nothing else, its git data part of it. Used by one run. */
export interface ProofPlace {
  run: RunId
  path: string
  scratch: string
  commit: string
}

export interface ProofPlacesOptions {
  git: Git
  state: string
  /** Id of the project, or one that looks like it where the repository is none. */
  project: string
  clock: Clock
  record: Pick<ProofRecord, 'note'>
  /** Leaves them for a person to look at. */
  keep?: boolean
}

/** F-6. Named and laid out like the places of workers, so that nothing in a path tells a proof from a worker's own run (F-9). */
export interface ProofPlaces {
  make: (commit: string) => Promise<ProofPlace>
  remove: (place: ProofPlace) => void
  /** Makes one for a while. */
  use: <T>(commit: string, work: (place: ProofPlace) => Promise<T>) => Promise<T>
  /** Removes what is left, also what is still being made. */
  close: () => Promise<void>
  /** Those that are there. */
  list: () => ProofPlace[]
}

export function createProofPlaces({ git, state, project, clock, record, keep = false }: ProofPlacesOptions): ProofPlaces {
  const there = new Set<ProofPlace>()
  const making = new Set<Promise<unknown>>()

  const fill = async (place: ProofPlace): Promise<ProofPlace> => {
    for (const path of [place.path, place.scratch]) {
      record.note(path)
      makeFolder(join(path, '..'), { private: true })
      mkdirSync(path, 0o700)
    }
    await privateClone(git, { path: place.path, base: place.commit })
    return place
  }
  const make: ProofPlaces['make'] = async commit => {
    const run = newId('run', clock)
    const place = { run, commit, path: join(state, 'places', project, run), scratch: join(state, 'scratch', run) }
    there.add(place)
    const made = fill(place)
    making.add(made)
    return made.finally(() => making.delete(made))
  }
  const remove: ProofPlaces['remove'] = place => {
    if (keep) return
    removeFolder(place.path)
    removeFolder(place.scratch)
    there.delete(place)
  }
  return {
    make,
    remove,
    list: () => [...there],
    async use(commit, work) {
      const place = await make(commit)
      try {
        return await work(place)
      } finally {
        remove(place)
      }
    },
    async close() {
      await Promise.allSettled(making)
      for (const place of there) remove(place)
    },
  }
}
