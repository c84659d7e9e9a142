import type { Event } from '../kernel/event.ts'

/** Whose doing it is that a snapshot differs from the one before it. */
export type SavedBy = 'run' | 'other'

/** One snapshot of a run, as its log tells it. */
export interface Saved {
  ref: string
  /** Its content, as git calls it. */
  tree: string
  by: SavedBy
  loop: number
  turn: number
  /** The turn counted through all loops of the run, from 0. */
  count: number
}

/** Where a run stood when its process died: what changed since its last snapshot is its own if an effect was begun since. */
export function sinceLastSaved(events: readonly Event[]): { by: SavedBy; at: { loop: number; turn: number }; sweeps: number } {
  const last = events.findLastIndex(({ type }) => type === 'snapshot.taken')
  const effects = events.slice(last + 1).filter(({ type }) => type === 'call.reserved')
  const { loop, turn } = (effects.at(-1) ?? events[last])?.data ?? {}
  return {
    by: effects.length > 0 ? 'run' : 'other',
    at: { loop: Number(loop ?? 1), turn: Number(turn ?? 0) },
    sweeps: events.filter(({ type }) => type === 'scope.reverted').length,
  }
}

/** The snapshots of a run that still stand, oldest first: what was undone is no longer among them. */
export function savedOf(events: readonly Event[]): { saved: Saved[]; turns: number } {
  let saved: Saved[] = []
  let turns = 0
  const before = new Map<number, number>()
  for (const { type, data } of events) {
    const loop = Number(data['loop'])
    if (type === 'loop.started' && !before.has(loop)) before.set(loop, turns)
    else if (type === 'turn.requested') turns = Math.max(turns, (before.get(loop) ?? 0) + Number(data['turn']) + 1)
    else if (type === 'snapshot.taken') {
      const turn = Number(data['turn'])
      const { ref, tree, by } = data as unknown as Pick<Saved, 'ref' | 'tree' | 'by'>
      saved.push({ ref, tree, by, loop, turn, count: (before.get(loop) ?? 0) + turn })
    } else if (type === 'run.undone') {
      const to = saved.findIndex(({ ref }) => ref === data['to'])
      // What stands since then beside it is what others have changed.
      const now = saved[to]
      const after = data['after'] as string
      saved = [...saved.slice(0, to + 1), ...(now ? [{ ...now, ref: after, tree: after, by: 'other' as const }] : [])]
    }
  }
  return { saved, turns }
}
