import type { Target } from './endings.ts'
import { descendantsOf, type ProcTable } from './proc-table.ts'

const FIRST_LOOK_MS = 20
const MOST_BETWEEN_MS = 250

/** Notes the descendants of a process while it runs, so that one which leaves its group and its environment is still known. */
export function watchDescendants(target: Target, table: ProcTable): () => void {
  let timer: NodeJS.Timeout | undefined
  const look = (pause: number): void => {
    for (const { pid, start } of descendantsOf(table, target.pid)) target.seen.set(pid, start)
    // One that was adopted by init is no longer below the process, but what it starts is below it.
    for (const [pid, start] of target.seen) {
      if (table.facts(pid)?.start !== start) target.seen.delete(pid)
      else for (const below of descendantsOf(table, pid)) target.seen.set(below.pid, below.start)
    }
    timer = setTimeout(look, pause, Math.min(pause * 2, MOST_BETWEEN_MS)).unref()
  }
  look(FIRST_LOOK_MS)
  return () => clearTimeout(timer)
}
