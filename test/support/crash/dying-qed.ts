// The program from its sources, in a process that ends itself with SIGKILL at one exact point:
// `node dying-qed.ts <before|after|rename|event>:<n> <arguments of qed>`. Transactions are those of the project's store, from 1;
// `rename` is the moment before the n-th file of the checkout is put into its place, `event:<type>#<n>` the one behind the n-th
// event of a type. `count:0` only tells how many transactions and renames there were.
import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { sep } from 'node:path'
import { Database } from '../../../src/store/database.ts'
import { EventLog } from '../../../src/store/event-log.ts'

const [where = '', ...argv] = process.argv.slice(2)
const [kind, point = ''] = where.split(':')
const root = process.cwd() + sep
const passed = { transactions: 0, renames: 0 }

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal comes at the next chance; nothing may happen until then.
  for (;;);
}

const append = Reflect.get(EventLog.prototype, 'append')
const appended = new Map<string, number>()
EventLog.prototype.append = function noted(...event) {
  appended.set(event[1], (appended.get(event[1]) ?? 0) + 1)
  return append.apply(this, event)
}
const [type = '', times] = point.split('#')
const isBehindEvent = (): boolean => kind === 'event' && String(appended.get(type)) === times

const whole = Reflect.get(Database.prototype, 'transaction')
let inside = false
Database.prototype.transaction = function transaction<T>(this: Database, work: () => T): T {
  if (inside || !this.path.startsWith(`${root}.qed`)) return whole.call(this, work) as T
  passed.transactions++
  const isHere = String(passed.transactions) === point
  if (kind === 'before' && isHere) die()
  inside = true
  try {
    return whole.call(this, work) as T
  } finally {
    inside = false
    if ((kind === 'after' && isHere) || isBehindEvent()) die()
  }
}

const rename = fs.renameSync
fs.renameSync = (from, to) => {
  const own = String(to).startsWith(root) && !/^\.(qed|git)\b/.test(String(to).slice(root.length))
  if (own) passed.renames++
  if (own && kind === 'rename' && String(passed.renames) === point) die()
  rename(from, to)
}
syncBuiltinESMExports()

const { main } = await import('../../../src/main.ts')
await main(argv, [process.execPath, import.meta.filename, 'count:0'])
if (kind === 'count') writeSync(2, `\n${JSON.stringify(passed)}\n`)
