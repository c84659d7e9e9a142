import type { RunFact } from '../facts.ts'

/** F-12. `not-run`: nothing can be said about the tree. */
export type RunColour = 'green' | 'red' | 'not-run'

const CANNOT_EXECUTE = new Set([126, 127])

/** What one run says about its tree. A hang or a flood before the work says nothing; on the result it is a failure. */
export function colourOf(run: RunFact, hangIsRed: boolean): RunColour {
  const isResult = run.name === 'result' || run.name === 'vary'
  switch (run.reason) {
    case 'not-started':
    case 'aborted':
      return 'not-run'
    case 'timeout':
    case 'silent':
      return isResult || hangIsRed ? 'red' : 'not-run'
    case 'output-limit':
    case 'signalled':
      return isResult ? 'red' : 'not-run'
    case 'exited':
      if (run.exit === 0) return 'green'
      return run.exit === null || (!isResult && CANNOT_EXECUTE.has(run.exit)) ? 'not-run' : 'red'
  }
}

export function runsOf(runs: readonly RunFact[], name: RunFact['name']): RunFact[] {
  return runs.filter(run => run.name === name)
}
