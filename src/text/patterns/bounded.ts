import { createContext, Script } from 'node:vm'

/** Work that a regular expression may make endless, ended in time. */
export type Bounded<T> = { kind: 'done'; value: T } | { kind: 'late' }

// The engine looks for an interruption while an expression backtracks, so a script with a time limit ends it where it stands and
// the process goes on. Nothing else in the platform can do that without another thread.
let runner: { script: Script; context: { work?: () => void } } | undefined

/** Runs the work, which must be safe to leave at any point, for at most so many milliseconds. What it throws is thrown. */
export function withinTime<T>(ms: number, work: () => T): Bounded<T> {
  if (ms < 1) return { kind: 'late' }
  runner ??= { script: new Script('work()'), context: createContext({}) }
  const { script, context } = runner
  let result: Bounded<T> = { kind: 'late' }
  context.work = () => {
    result = { kind: 'done', value: work() }
  }
  try {
    script.runInContext(context, { timeout: Math.floor(ms) })
  } catch (thrown) {
    if (!isTimeout(thrown)) throw thrown
  } finally {
    delete context.work
  }
  return result
}

// Not by its class: the error can come from another realm than ours.
function isTimeout(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
