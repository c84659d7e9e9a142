import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { App } from '../app.ts'
import { visibleLine } from '../kernel/visible.ts'
import { createAttempts } from '../runs/attempts.ts'
import { askToEnd } from '../runs/end-request.ts'
import { isTerminal } from '../runs/lifecycle.ts'
import { thisProcess } from '../runs/owner.ts'
import { Run } from '../runs/run.ts'
import type { Runs } from '../runs/runs.ts'
import { settleOpen } from '../runs/settle-open.ts'
import { digestNow } from '../tools/files.ts'
import { type Call, operation } from './operation.ts'
import { actorOf, runRecords } from './run-house.ts'
import { outcomeWord } from './run-result.ts'

export const abort = operation({
  name: 'run.abort',
  summary: 'End a run; what it has done stays and can be undone',
  when: 'Use to stop a run that nobody drives any more, or that goes wrong.',
  effect: 'write',
  mcp: 'full',
  long: true,
  exitCodes: [3],
  positional: ['run'],
  input: z.strictObject({
    run: z.string().min(1).describe('Id or alias of the run'),
    reason: z.string().max(1000).default('stopped by the person').describe('Why'),
  }),
  output: Run,
  examples: ['run abort 1a2b3c4d'],
  run: async (app, { run: id, reason }, call) => {
    const { runs, store } = await runRecords(app)
    const before = runs.get(id)
    if (isTerminal(before.status)) return before
    if (runs.isDriven(before.id)) {
      askToEnd(store.log, before.id, { reason, actor: actorOf(app, call) })
      await heard(runs, before.id, call.signal)
    }
    return isTerminal(runs.get(before.id).status) ? runs.get(before.id) : takenOver(app, before.id, { reason, call })
  },
  human: (run, paint) => `${outcomeWord(run, paint)}  ${abortedText(run)}`,
})

/** Long enough for a call in flight to be ended and everything to be saved. */
const MOST_WAIT_MS = 15_000
const LOOK_MS = 50

/** Settles when nobody drives the run any more, or the process that does has had its time. */
async function heard(runs: Runs, run: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + MOST_WAIT_MS
  while (runs.isDriven(run) && performance.now() < until) await sleep(LOOK_MS, undefined, { signal })
}

/** Ends a run that nobody drives, or whose driver does not hear: that one holds an old fence from here on. */
async function takenOver(app: App, run: string, { reason, call }: { reason: string; call: Call }): Promise<Run> {
  const { runs, store } = await runRecords(app)
  const claim = store.db.transaction(() =>
    isTerminal(runs.get(run).status) ? null : runs.claim(run, thisProcess(call.caller.surface), { fromAnyone: true }),
  )
  if (!claim) return runs.get(run)
  await (await app.sandbox()).processes.endRun(claim.run)
  const attempts = createAttempts({ ...store, clock: app.clock, runs })
  settleOpen(claim, { log: store.log, runs, attempts, digestNow })
  const { saveAborted } = await import('./run-saved.ts')
  await saveAborted(app, claim)
  return runs.finalize(claim, { status: 'aborted', outcome: 'cancelled', reason, data: { actor: actorOf(app, call) } })
}

function abortedText({ alias, status, outcome_reason }: Run): string {
  if (status !== 'aborted') return `The run ${alias} had ended already. It was left as it is.`
  return `The run ${alias} has ended (${visibleLine(outcome_reason ?? 'no reason given')}). To take its changes back: qed run undo ${alias}`
}
