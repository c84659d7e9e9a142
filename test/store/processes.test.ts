import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { verifyChain } from '../../src/store/verify-chain.ts'
import { temporaryFolder } from '../support/folders.ts'
import { testStore } from '../support/store.ts'

const WORKER = join(import.meta.dirname, '../support/append-worker.ts')

function sharedStore(): { path: string; store: Store } {
  const path = join(temporaryFolder(), 'qed.db')
  const store = testStore({ path })
  store.db.exec('CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  return { path, store }
}

function startWorker(path: string, times: number, name: string) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WORKER, path, String(times), name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let seen = 0
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = chunk.toString().trimEnd().split('\n')
    seen = Number(lines.at(-1))
  })
  return { child, committed: () => seen }
}

test('four processes with 5,000 appends each leave 20,000 events and a valid chain', { timeout: 120_000 }, async () => {
  const { path, store } = sharedStore()
  const workers = ['a', 'b', 'c', 'd'].map(name => startWorker(path, 5000, name))
  const exits = await Promise.all(workers.map(async ({ child }) => (await once(child, 'exit'))[0] as number))
  expect(exits).toEqual([0, 0, 0, 0])
  expect(verifyChain(store.log.rows())).toMatchObject({ ok: true, count: 20_000 })
  const perStream = store.db.all(
    'SELECT stream, count(*) AS n, count(DISTINCT data) AS different FROM events GROUP BY stream ORDER BY stream',
  )
  expect(perStream.map(row => ({ ...row }))).toEqual(
    ['a', 'b', 'c', 'd'].map(name => ({ stream: `test:${name}`, n: 5000, different: 5000 })),
  )
})

test('50 processes killed while they append leave a valid chain, no half state, and all that was committed', {
  timeout: 120_000,
}, async () => {
  const { path, store } = sharedStore()
  for (let round = 0; round < 25; round++) {
    const names = [`${round}x`, `${round}y`]
    const workers = names.map(name => startWorker(path, 1_000_000, name))
    await Promise.all(workers.map(({ child }) => once(child.stdout, 'data')))
    await Promise.all(
      workers.map(async ({ child }) => {
        await new Promise(resolve => setTimeout(resolve, Math.random() * 60))
        child.kill('SIGKILL')
        await once(child, 'close')
      }),
    )
    for (const [i, name] of names.entries()) {
      const state = store.db.get<{ n: number }>('SELECT n FROM counters WHERE name = ?', name)?.n ?? 0
      const events = store.db.get<{ n: number }>('SELECT count(*) AS n FROM events WHERE stream = ?', `test:${name}`)?.n ?? 0
      expect(state).toBe(events)
      expect(state).toBeGreaterThanOrEqual(workers[i]?.committed() ?? 0)
    }
  }
  expect(verifyChain(store.log.rows())).toMatchObject({ ok: true })
})
