// Appends events, each with a state change in the same transaction, and prints how long that took: `append.ts <store> <times>`.
import { performance } from 'node:perf_hooks'
import { openBenchStore } from '../bench-store.ts'

const [path = '', times = '0'] = process.argv.slice(2)
const store = openBenchStore(path)
const started = performance.now()
for (let i = 0; i < Number(times); i++) {
  store.db.transaction(() => {
    store.db.run('UPDATE counter SET n = n + 1')
    store.log.append(`bench:${process.pid}`, 'bench.happened', { i, text: 'what happened, in a few words' })
  })
}
process.stdout.write(String(performance.now() - started))
store.close()
