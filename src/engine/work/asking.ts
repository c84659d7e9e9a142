// An ask of a run: written down → shown to the person at this surface, if there is one → answered, there or in another process. The
// run waits on the record; what is shown is only one way to it.
import type { JsonObject } from '../../kernel/json.ts'
import { offersFor } from '../../policy/offers.ts'
import type { PolicyScene } from '../../policy/scene.ts'
import { type Approval, RUN_FINALISED } from '../../runs/approval.ts'
import type { Approvals } from '../../runs/approvals.ts'
import type { AskingCall } from '../../tools/executor.ts'
import type { AskLeave } from './leave.ts'
import type { RunTime } from './time.ts'
import type { Hands } from './types.ts'

/** Asks of late, whose commands show what a wider rule would have allowed. */
const MOST_RECORDED = 200

const FORGED = 'It was not signed with the key of the person.'

export interface AskingOptions {
  hands: Hands
  approvals: Approvals
  scene: PolicyScene
  /** What would hold around a command, in words. */
  walls: string
  signal: AbortSignal
  time: RunTime
}

export function createAsking({ hands, approvals, scene, walls, signal, time }: AskingOptions): AskLeave {
  const { ports, claim, house, tell } = hands
  const request = ({ decision, question, bindings }: Parameters<AskLeave>[0], call: AskingCall): Approval => {
    const rule = `${decision.rule.layer}/${decision.rule.id}`
    const projectRoot = scene.facts.roots[0]?.real ?? scene.cwd
    const offers = offersFor(decision, { commands: askedCommands(approvals), readShell: scene.readShell, projectRoot })
    const asked = {
      ...call.at(),
      call: call.id,
      tool: call.name,
      operation: { ...(question as JsonObject), cwd: scene.cwd },
      operation_digest: decision.digest,
      rule,
      asked: decision.reason,
      preview: call.preview(),
      walls: question.command === undefined ? '' : walls,
      bindings,
      offers: offers as Approval['offers'],
    }
    return approvals.request(claim, asked, id => call.announce({ approval: id, rule, reason: decision.reason }))
  }
  return async (asked, call) => {
    // A process that died while it waited has asked already; the answer may have come meanwhile.
    const known = approvals.ofCall(claim.run, { ...call.at(), call: call.id }, asked.decision.digest)
    // One that the end of the run took back was not answered by anybody.
    const earlier = known?.status === 'cancelled' && known.reason === RUN_FINALISED ? undefined : known
    if (!earlier && !ports.ask && !ports.waits) return null
    const approval = earlier ?? request(asked, call)
    if (approval.status === 'pending' && !ports.ask) tell?.('approval.waiting', { ...approval } as unknown as JsonObject)
    const answer = await time.standStill(() => waited(approval, { approvals, ask: ports.ask, signal }))
    return answer.status !== 'approved' || house.isPersons(answer) ? answer : { ...answer, status: 'rejected', reason: FORGED }
  }
}

/** The answer, from whoever gives it first. What could not be put to anybody is taken back. */
async function waited(
  approval: Approval,
  { approvals, ask, signal }: { approvals: Approvals; ask: Hands['ports']['ask']; signal: AbortSignal },
): Promise<Approval> {
  if (approval.status !== 'pending') return approval
  const shown = new AbortController()
  const answer = approvals.answered(approval.id, signal)
  const asking = ask?.(approval, AbortSignal.any([signal, shown.signal]))
  try {
    return await (asking ? Promise.race([answer, asking.then(() => answer)]) : answer)
  } catch (error) {
    if (!signal.aborted) approvals.cancel(approval.id, error instanceof Error ? error.message : String(error))
    throw error
  } finally {
    shown.abort()
    await asking?.catch(() => undefined)
  }
}

function askedCommands(approvals: Approvals): string[] {
  const asked = approvals.list({ last: MOST_RECORDED })
  return [...new Set(asked.flatMap(({ operation }) => (typeof operation['command'] === 'string' ? [operation['command']] : [])))]
}
