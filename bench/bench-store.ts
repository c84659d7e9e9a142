import * as z from 'zod'
import { systemClock } from '../src/kernel/clock.ts'
import { redactJson } from '../src/policy/secrets/redact.ts'
import { projectStore } from '../src/store/kinds.ts'
import { openStore, type Store } from '../src/store/store.ts'

/** A project store with one stream and one table to write to; everything else as in the product. */
export function openBenchStore(path: string): Store {
  const catalogue = { bench: { 'bench.happened': () => z.strictObject({ i: z.int(), text: z.string() }) } }
  const store = openStore(path, projectStore, { clock: systemClock, redact: redactJson, catalogue, mayCreate: true })
  store.db.exec('CREATE TABLE IF NOT EXISTS counter (n INTEGER); INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM counter)')
  return store
}
