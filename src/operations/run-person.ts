import type { App } from '../app.ts'
import type { WorkPorts } from '../engine/work/types.ts'
import { QedError } from '../kernel/errors.ts'
import { visible } from '../kernel/visible.ts'
import type { Approval } from '../runs/approval.ts'
import { AlreadyResolved } from '../runs/errors.ts'
import { answerPorts } from './answering.ts'
import { askPrompt, readAnswer, rulesText } from './approval-words.ts'
import { callerName } from './caller-name.ts'
import type { Call } from './operation.ts'
import { approvalRecords } from './run-house.ts'

type PersonPorts = Pick<WorkPorts, 'ask' | 'askPerson' | 'waits'>

/** How a run reaches the person of this call; where there is none, whether it waits for one elsewhere. */
export function personPorts(app: App, call: Call, waits: boolean): PersonPorts {
  const { ask } = call
  if (!ask || call.caller.approver !== 'person') return { ask: null, askPerson: null, waits }
  return {
    waits,
    ask: (approval, signal) => askAt(app, { ask, columns: call.columns }, approval, signal),
    askPerson: async (question, signal) => {
      const answer = await ask(`The model asks: ${visible(question)}\n> `, signal)
      return answer.trim() === '' ? null : answer
    },
  }
}

/** Asks until there is an answer that can be kept; ends quietly where it was answered elsewhere meanwhile. */
async function askAt(
  app: App,
  { ask, columns }: { ask: NonNullable<Call['ask']>; columns: number | undefined },
  approval: Approval,
  signal: AbortSignal,
): Promise<void> {
  const [approvals, ports] = await Promise.all([approvalRecords(app), answerPorts(app)])
  const common = { actor: callerName(app.env), digest: approval.operation_digest }
  let prompt = askPrompt(approval, columns)
  try {
    for (;;) {
      const said = readAnswer(await ask(prompt, signal))
      if ('wants' in said) {
        prompt = `${rulesText(approval)}\n${askPrompt(approval, columns)}`
        continue
      }
      if (!said.allowed) {
        const reason = said.reason || (await ask('Why not? The model reads it (Enter: no reason): ', signal)).trim()
        approvals.resolve(approval.id, { ...common, resolution: 'rejected', ...(reason !== '' && { reason }) }, ports)
        return
      }
      try {
        approvals.resolve(approval.id, { ...common, resolution: 'approved', remember: said.remember, wider: said.wider }, ports)
        return
      } catch (error) {
        if (error instanceof AlreadyResolved || !(error instanceof QedError)) throw error
        prompt = `${visible(error.message)}\nAllow it in another way? [o]nce, [N]o: `
      }
    }
  } catch (error) {
    if (error instanceof AlreadyResolved || signal.aborted) return
    throw error
  }
}
