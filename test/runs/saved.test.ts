import { expect, test } from 'vitest'
import type { Event } from '../../src/kernel/event.ts'
import { savedOf, sinceLastSaved } from '../../src/runs/saved.ts'

const event = (type: string, data: object): Event => ({
  seq: 0,
  stream: 'run:x',
  type,
  at: '',
  data: data as Event['data'],
  prev: '',
  hash: '',
})
const loop = (n: number): Event => event('loop.started', { loop: n })
const turn = (n: number, at: number): Event => event('turn.requested', { loop: n, turn: at })
const effect = (n: number, at: number): Event => event('call.reserved', { loop: n, turn: at })
const taken = (ref: string, by: 'run' | 'other', n: number, at: number): Event => event('snapshot.taken', { ref, by, loop: n, turn: at })

test('turns are counted through all loops of a run', () => {
  const { saved, turns } = savedOf([loop(1), turn(1, 0), turn(1, 1), taken('a', 'run', 1, 1), loop(2), turn(2, 0), taken('b', 'run', 2, 0)])
  expect([saved.map(({ ref, count }) => [ref, count]), turns]).toEqual([
    [
      ['a', 1],
      ['b', 2],
    ],
    3,
  ])
})

test('what was undone no longer stands; what others had changed meanwhile does', () => {
  const events = [loop(1), taken('a', 'other', 1, 0), taken('b', 'run', 1, 0), taken('c', 'run', 1, 1)]
  const undone = event('run.undone', { to: 'b', before: 'd', after: 'e' })
  expect(savedOf([...events, undone]).saved.map(({ ref, by }) => `${by} ${ref}`)).toEqual(['other a', 'run b', 'other e'])
})

test('what changed since the last snapshot is the run’s if an effect was begun since, else someone else’s', () => {
  const before = [loop(1), effect(1, 0), taken('a', 'run', 1, 0)]
  expect(sinceLastSaved(before)).toEqual({ by: 'other', at: { loop: 1, turn: 0 }, sweeps: 0 })
  expect(sinceLastSaved([...before, effect(1, 3), event('scope.reverted', {})])).toEqual({ by: 'run', at: { loop: 1, turn: 3 }, sweeps: 1 })
  expect(sinceLastSaved([])).toEqual({ by: 'other', at: { loop: 1, turn: 0 }, sweeps: 0 })
})
