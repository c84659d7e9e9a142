import * as z from 'zod'
import type { RunId } from '../kernel/ids.ts'
import { visibleLine } from '../kernel/visible.ts'
import { createAttempts } from '../runs/attempts.ts'
import { isTerminal } from '../runs/lifecycle.ts'
import { Run } from '../runs/run.ts'
import type { Claim } from '../runs/runs.ts'
import { settleOpen } from '../runs/settle-open.ts'
import { digestNow } from '../tools/files.ts'
import { operation } from './operation.ts'
import { runRecords } from './run-house.ts'
import { outcomeWord } from './run-result.ts'

/** The process that drives the run loses its fence with this, notices, and stops; what it had under way is ended here. */
export const abort = operation({
  name: 'run.abort',
  summary: 'End a run; what it has done stays and can be undone',
  when: 'Use to stop a run that nobody drives any more, or that goes wrong.',
  effect: 'write',
  mcp: 'full',
  exitCodes: [3],
  positional: ['run'],
  input: z.strictObject({
    run: z.string().min(1).describe('Id or alias of the run'),
    reason: z.string().max(1000).default('stopped by the person').describe('Why'),
  }),
  output: Run,
  examples: ['run abort 1a2b3c4d'],
  run: async (app, { run: id, reason }) => {
    const { runs, store } = await runRecords(app)
    const attempts = createAttempts({ ...store, clock: app.clock, runs })
    const open = (claim: Claim): void => void settleOpen(claim, { log: store.log, runs, attempts, digestNow })
    const before = runs.get(id)
    const run = runs.abort(before.id, reason, open)
    await (await app.sandbox()).processes.endRun(run.id as RunId)
    if (!isTerminal(before.status)) await (await import('./run-saved.ts')).saveAborted(app, run)
    return run
  },
  human: (run, paint) => `${outcomeWord(run, paint)}  ${abortedText(run)}`,
})

function abortedText({ alias, status, outcome_reason }: Run): string {
  if (status !== 'aborted') return `The run ${alias} had ended already. It was left as it is.`
  return `The run ${alias} has ended (${visibleLine(outcome_reason ?? 'no reason given')}). To take its changes back: qed run undo ${alias}`
}
