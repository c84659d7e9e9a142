import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tailEvents } from '../../src/store/tail.ts'
import { temporaryFolder } from '../support/folders.ts'
import { happen, testStore } from '../support/store.ts'

test('a tail gives what is there, then what another process appends, each once and in order', async () => {
  const path = join(temporaryFolder(), 'qed.db')
  const store = testStore({ path })
  store.db.exec('CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  happen(store, 3)
  const stop = new AbortController()
  const worker = join(import.meta.dirname, '../support/append-worker.ts')
  const seen: number[] = []
  for await (const event of tailEvents(store.log, { after: 1 }, stop.signal)) {
    seen.push(event.seq)
    if (event.seq === 3) spawn(process.execPath, ['--disable-warning=ExperimentalWarning', worker, path, '1200', 'w'], { stdio: 'ignore' })
    if (event.seq === 1203) stop.abort()
  }
  expect(seen).toEqual(Array.from({ length: 1202 }, (_, i) => i + 2))
})

test('a tail with nothing to tell ends when it is told to', async () => {
  const stop = new AbortController()
  const events = tailEvents(testStore().log, {}, stop.signal)
  setTimeout(() => stop.abort(), 20)
  expect(await events.next()).toEqual({ done: true, value: undefined })
})
