import { type Clock, timestamp } from '../../kernel/clock.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { readTree } from '../../sandbox/git/tree.ts'
import { type IsSensitive, isSensitiveName } from '../../sandbox/isolation/sensitive.ts'
import { realPath } from '../../sandbox/paths.ts'
import { DEFAULT_LAYER } from '../../sandbox/scope/outputs.ts'
import type { ScopeSnapshot } from './scope-snapshot.ts'
import { takeFolder } from './take-folder.ts'
import { takeGit } from './take-git.ts'
import { takeOutside } from './take-outside.ts'

export interface ScopeTaker {
  git: Git
  clock: Clock
  /** Where the work is done. */
  place: string
  /** The project's main checkout. */
  checkout: string
  /** QED's own folder of places. */
  places: string
  base: string
  /** Patterns of build output, the defaults included. */
  outputs: readonly string[]
  home: string
  watch_outside: readonly string[]
  isSensitive?: IsSensitive
}

/** What QED itself keeps in a project and writes while work is going on. */
const OWN_STATE = ['.qed/{blobs,backups,proofs,plans,missions}/**', '.qed/{qed.db*,server.json}']

/** F-5: looks at everything around the work. To be called before the worker starts and after all its processes are ended. */
export async function takeScope(taker: ScopeTaker): Promise<ScopeSnapshot> {
  const { git, place, checkout, places, home, outputs, watch_outside, isSensitive = isSensitiveName } = taker
  const tracked = new Set((await readTree(git, taker.base)).keys())
  const options = { git, tracked, skip: [...outputs, ...DEFAULT_LAYER, ...OWN_STATE] }
  const isSeparate = realPath(checkout) !== realPath(place)
  return {
    version: 1,
    at: timestamp(taker.clock),
    place: await takeFolder(place, options),
    checkout: isSeparate ? { root: checkout, entries: await takeFolder(checkout, options) } : null,
    git: await takeGit({ git, place, places }),
    outside: takeOutside({ home, added: watch_outside, isSensitive }),
  }
}
