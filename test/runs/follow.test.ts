import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runEvents } from '../../src/runs/events.ts'
import { followRun, type RunEvent } from '../../src/runs/follow.ts'
import { projectStore } from '../../src/store/kinds.ts'
import { openStore } from '../../src/store/store.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folders.ts'

function scene(after = 0) {
  const clock = handClock()
  const store = openStore(`${temporaryFolder()}/qed.db`, projectStore, {
    clock,
    catalogue: { run: runEvents },
    redact: data => data,
    mayCreate: true,
  })
  const sent: RunEvent[] = []
  const note = (message: string, run = 'a'): void => void store.log.append(`run:${run}`, 'error.recorded', { where: 'here', message })
  const following = () => followRun({ log: store.log, clock, run: 'a', after, send: event => void sent.push(event) })
  const seen = (): unknown[] => sent.map(({ seq, type, data }) => [seq, type, data['message'] ?? data['text']])
  return { store, note, following, sent, seen }
}

test('L-35: stored events with their seq and what passes by, in the order in which it happened, each once', async () => {
  const { note, following, seen, sent } = scene()
  note('first')
  const { tell, end } = following()
  tell('call.output', { text: 'a' })
  note('second')
  note('of another run', 'b')
  tell('call.output', { text: 'b' })
  await tick()
  note('third')
  await tick()
  note('last')
  end()
  note('too late')
  await tick()
  expect(seen()).toEqual([
    [1, 'error.recorded', 'first'],
    [undefined, 'call.output', 'a'],
    [2, 'error.recorded', 'second'],
    [undefined, 'call.output', 'b'],
    [4, 'error.recorded', 'third'],
    [5, 'error.recorded', 'last'],
  ])
  expect(sent.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true)
})

test('L-35: a stored event is told without anything else happening', async () => {
  const { note, following, seen } = scene()
  following()
  note('alone')
  await tick()
  expect(seen()).toEqual([[1, 'error.recorded', 'alone']])
})

test('L-35: only what comes after the given seq is told', () => {
  const { note, following, seen } = scene(1)
  note('known')
  note('new')
  following().end()
  expect(seen()).toEqual([[2, 'error.recorded', 'new']])
})

test('what a transaction takes back was never told', async () => {
  const { store, note, following, seen } = scene()
  const { end } = following()
  const failing = (): void =>
    store.db.transaction(() => {
      note('undone')
      throw new Error('no')
    })
  expect(failing).toThrow('no')
  note('kept')
  await tick()
  end()
  expect(seen()).toEqual([[1, 'error.recorded', 'kept']])
})

test('what another process writes in between is told in its place', async () => {
  const { store, note, following, seen } = scene()
  const other = openStore(store.db.path, projectStore, {
    clock: handClock(),
    catalogue: { run: runEvents },
    redact: data => data,
    mayCreate: false,
  })
  const { end } = following()
  note('first')
  await tick()
  note('second')
  other.log.append('run:a', 'error.recorded', { where: 'there', message: 'from elsewhere' })
  note('third')
  await tick()
  other.log.append('run:a', 'error.recorded', { where: 'there', message: 'unheard' })
  other.log.append('run:b', 'error.recorded', { where: 'there', message: 'of another run' })
  note('of a third run', 'c')
  note('last')
  end()
  expect(seen()).toEqual([
    [1, 'error.recorded', 'first'],
    [2, 'error.recorded', 'second'],
    [3, 'error.recorded', 'from elsewhere'],
    [4, 'error.recorded', 'third'],
    [5, 'error.recorded', 'unheard'],
    [8, 'error.recorded', 'last'],
  ])
})

test('an event is told as it stands in the log', async () => {
  const { store, following, sent } = scene()
  const { end } = following()
  await tick()
  store.log.append('run:a', 'call.settled', {
    loop: 1,
    turn: 0,
    call: 'c',
    attempt: null,
    ok: true,
    result: 'r',
    duration_ms: 1,
    exit: null,
  })
  end()
  expect(sent).toEqual(store.log.list({ streams: ['run:a'] }, 10).map(({ seq, at, type, data }) => ({ seq, at, type, data })))
})
