import type { App } from '../app.ts'
import type { PlaceEvents, Workplace } from '../engine/work/types.ts'
import type { RunId } from '../kernel/ids.ts'
import type { ProveProgress } from '../proof/prove.ts'
import { headOf } from '../sandbox/git/head.ts'
import { shown } from './proof-progress.ts'
import { stepOf } from './run-verify.ts'

/** The place of a run, with what was prepared for its base: made for a new one, found for one that goes on. */
export async function placeOf(app: App, run: RunId, { signal, tell, failed }: PlaceEvents): Promise<Workplace> {
  const { places, git } = await app.keeping()
  const found = places.list().find(place => place.run === run)
  if (found) return found
  const base = (await headOf(git, app.project().root)) ?? 'HEAD'
  const step = (event: ProveProgress): void => tell?.('proof.progress', stepOf(shown(event)))
  const layer = await (await app.proofs()).layer(base, {
    signal,
    preparing: command => step({ kind: 'preparing', command }),
    prepared: fact => {
      step({ kind: 'prepared', prepare: fact })
      if (fact.outcome === 'failed') failed(fact.output ?? 'The dependencies could not be prepared.')
    },
  })
  return places.make({ run, base, ...(layer && { layer }) })
}
