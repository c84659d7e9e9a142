import { dirname } from 'node:path'
import { makeFolder } from '../../store/files.ts'

const WAIT_MS = 10_000

/** Does one thing while no other QED on this machine does. The lock is SQLite's own, which the system lets go of with the process,
 *  however that ends. The work must be short: others wait. */
export function whileLocked<T>(file: string, work: () => T): T {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  makeFolder(dirname(file), { private: true })
  const lock = new DatabaseSync(file, { timeout: WAIT_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return work()
  } finally {
    lock.close()
  }
}
