import type { App } from '../app.ts'
import type { Event } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import { FenceLost } from '../runs/errors.ts'
import { eventsOf } from '../runs/history.ts'
import type { Run } from '../runs/run.ts'
import type { Claim } from '../runs/runs.ts'
import { type Saved, savedOf, sinceLastSaved } from '../runs/saved.ts'
import { headOf } from '../sandbox/git/head.ts'
import { runRecords } from './run-house.ts'

/** Where a run worked: its place, or the checkout. */
export function rootOf(app: App, events: readonly Event[]): string {
  const place = events.find(({ type }) => type === 'run.started')?.data['place']
  return typeof place === 'string' ? place : app.project().root
}

/** Files that are otherwise because of a run, by its snapshots: what its commands did is among them. */
export async function changedBy(app: App, run: Run): Promise<string[]> {
  const saved = await snapshotsOf(app, run)
  if (saved.length < 2) return []
  const [{ git, snapshots }, { ownChanges }] = await Promise.all([app.keeping(), import('../sandbox/snapshot/own-changes.ts')])
  await snapshots.publish()
  return ownChanges(git, saved)
}

/** The first and the last snapshot of a run. */
export async function savedBy(app: App, run: Run): Promise<{ before: string; after: string } | null> {
  const saved = await snapshotsOf(app, run)
  const [first, last] = [saved.at(0), saved.at(-1)]
  return first && last && first !== last ? { before: first.ref, after: last.ref } : null
}

async function snapshotsOf(app: App, run: Run): Promise<Saved[]> {
  const { log } = await app.projectStore()
  return savedOf(eventsOf(log, run.id, ['loop.started', 'turn.requested', 'snapshot.taken', 'run.undone'])).saved
}

/** the last snapshot of a run that is ended from outside. One that never came to change anything has none. What cannot be
 *  saved is told in the record: nothing is removed by the end of a run. */
export async function saveAborted(app: App, claim: Claim): Promise<void> {
  const { runs, store } = await runRecords(app)
  const events = eventsOf(store.log, claim.run)
  const write = (type: string, data: JsonObject): void => void runs.fenced(claim, () => store.log.append(`run:${claim.run}`, type, data))
  if (!events.some(({ type }) => type === 'snapshot.taken')) return
  const { by, at } = sinceLastSaved(events)
  try {
    const { git, snapshots, places } = await app.keeping()
    const root = rootOf(app, events)
    const layer = places.list().find(place => place.run === claim.run)?.layer ?? []
    const { ref, n, tree } = await snapshots.take({ run: claim.run, root, base: await headOf(git, root), layer, reason: 'aborted' })
    write('snapshot.taken', { ...at, ref, n, tree, by, reason: 'aborted' })
  } catch (error) {
    if (error instanceof FenceLost) throw error
    write('error.recorded', { where: 'snapshot', message: error instanceof Error ? error.message : String(error) })
  }
}
