import type { App } from '../app.ts'
import type { Event } from '../kernel/event.ts'
import type { RunId } from '../kernel/ids.ts'
import { eventsOf } from '../runs/history.ts'
import type { Run } from '../runs/run.ts'
import { sinceLastSaved } from '../runs/saved.ts'
import { headOf } from '../sandbox/git/head.ts'

/** Where a run worked: its place, or the checkout. */
export function rootOf(app: App, events: readonly Event[]): string {
  const place = events.find(({ type }) => type === 'run.started')?.data['place']
  return typeof place === 'string' ? place : app.project().root
}

/** the last snapshot of a run that is ended from outside. One that never came to change anything has none. */
export async function saveAborted(app: App, run: Run): Promise<void> {
  const { log } = await app.projectStore()
  const events = eventsOf(log, run.id)
  if (!events.some(({ type }) => type === 'snapshot.taken')) return
  const { git, snapshots } = await app.keeping()
  const root = rootOf(app, events)
  const { by, at } = sinceLastSaved(events)
  const { ref, n, tree } = await snapshots.take({ run: run.id as RunId, root, base: await headOf(git, root), reason: 'aborted' })
  log.append(`run:${run.id}`, 'snapshot.taken', { ...at, ref, n, tree, by, reason: 'aborted' })
}
