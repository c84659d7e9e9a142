// A process that appends events with a state change each, as fast as it can: `node append-worker.ts <store> <times> <name>`.
// It prints the last number it has seen committed, so that whoever kills it knows what must be there.
import { writeSync } from 'node:fs'
import { projectStore } from '../../src/store/kinds.ts'
import { openStore } from '../../src/store/store.ts'
import { logOptions } from './log-options.ts'

const [path = '', times = '0', name = ''] = process.argv.slice(2)
const store = openStore(path, projectStore, { ...logOptions(), mayCreate: true })
for (let i = 1; i <= Number(times); i++) {
  store.db.transaction(() => {
    store.db.run('INSERT INTO counters (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = excluded.n', name, i)
    store.log.append(`test:${name}`, 'test.happened', { i })
  })
  writeSync(1, `${i}\n`)
}
store.close()
