import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { verifyChain } from '../../src/store/verify-chain.ts'
import { openBenchStore } from '../bench-store.ts'
import { type Case, milliseconds } from '../harness.ts'
import { NODE, ROOT, type Scene } from '../scene.ts'

const TIMES = 5000
const WORKER = join(ROOT, 'bench/workers/append.ts')

/** Appends with their state change, per second, beside bare SQLite writing the same two rows. */
export function storeCases({ folder }: Scene): Case[] {
  let round = 0
  const fresh = (): string => join(folder, `bench-${++round}.db`)
  const appendIn = async (processes: number): Promise<number> => {
    const path = fresh()
    openBenchStore(path).close()
    const args = ['--disable-warning=ExperimentalWarning', WORKER, path, String(TIMES)]
    const times = await Promise.all(Array.from({ length: processes }, async () => Number((await promisify(execFile)(NODE, args)).stdout)))
    return (processes * TIMES * 1000) / Math.max(...times)
  }
  const floor = 'bare SQLite, two rows a transaction'
  return [
    { name: floor, unit: 'tx/s', run: () => bareWrites(fresh()) },
    { name: 'event append, one process', unit: 'appends/s', floor, goal: { least: 10_000 }, run: () => appendIn(1) },
    { name: 'event append, four processes', unit: 'appends/s', floor, goal: { least: 5000 }, run: () => appendIn(4) },
    { name: 'chain check', unit: 'events/s', run: () => chainCheck(fresh()) },
  ]
}

async function bareWrites(path: string): Promise<number> {
  const db = new DatabaseSync(path)
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0); CREATE TABLE log (seq INTEGER PRIMARY KEY, data TEXT)',
  )
  const [begin, count, insert, commit] = [
    'BEGIN IMMEDIATE',
    'UPDATE counter SET n = n + 1',
    'INSERT INTO log (data) VALUES (?)',
    'COMMIT',
  ].map(sql => db.prepare(sql))
  const took = await milliseconds(() => {
    for (let i = 0; i < TIMES; i++) {
      begin?.run()
      count?.run()
      insert?.run(JSON.stringify({ i, text: 'what happened, in a few words' }))
      commit?.run()
    }
  })
  db.close()
  return (TIMES * 1000) / took
}

async function chainCheck(path: string): Promise<number> {
  const store = openBenchStore(path)
  store.db.transaction(() => {
    for (let i = 0; i < TIMES; i++) store.log.append('bench', 'bench.happened', { i, text: 'what happened, in a few words' })
  })
  const took = await milliseconds(() => verifyChain(store.log.rows()))
  store.close()
  return (TIMES * 1000) / took
}
