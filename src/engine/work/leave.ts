import { decide } from '../../policy/decide.ts'
import type { PolicyScene } from '../../policy/scene.ts'
import type { Decision, PolicyOperation } from '../../policy/types.ts'
import type { Leave } from '../../tools/executor.ts'
import type { Question } from '../../tools/tool.ts'

/** A person's answer to an ask. */
export type AskLeave = (decision: Decision, question: Question) => Promise<boolean>

/** What was asked when nobody was there. */
export interface Unanswered {
  question: Question
  decision: Decision
}

export interface LeaveOptions {
  scene: PolicyScene
  /** Null: nobody is there. */
  ask: AskLeave | null
  /** An ask that nobody answers: inside a scope it is a refusal that the model hears of, else it ends the run. */
  onUnanswered: (asked: Unanswered) => void
}

/** What policy says to each call of a run, and the person where policy asks. */
export function createLeave({ scene, ask, onUnanswered }: LeaveOptions): (question: Question) => Promise<Leave> {
  const { layers, readShell, facts, context, cwd } = scene
  return async question => {
    const operation: PolicyOperation = { ...question, cwd, facts, context: { ...context, approver: 'person' } }
    const decision = decide(operation, layers, readShell)
    if (decision.verdict === 'ask') return answered(decision, question, { ask, onUnanswered })
    return leaveOf(decision, decision.verdict)
  }
}

/** Whether policy would let a file be read, without asking anyone. */
export function createMayRead({ layers, readShell, facts, context, cwd }: PolicyScene): (path: string) => boolean {
  return path => {
    const operation: PolicyOperation = { verb: 'file.read', paths: [{ path, access: 'read' }], cwd, facts, context }
    return decide(operation, layers, readShell).verdict === 'allow'
  }
}

async function answered(
  decision: Decision,
  question: Question,
  { ask, onUnanswered }: Pick<LeaveOptions, 'ask' | 'onUnanswered'>,
): Promise<Leave> {
  if (!ask) {
    onUnanswered({ question, decision })
    return leaveOf({ ...decision, reason: `${decision.reason} Nobody is there to be asked.` }, 'deny')
  }
  const yes = await ask(decision, question)
  return leaveOf(yes ? decision : { ...decision, reason: `${decision.reason} The person said no.` }, yes ? 'allow' : 'deny')
}

const READING = new Set(['read', 'memory'])

function leaveOf({ rule, reason, facets }: Decision, verdict: 'allow' | 'deny'): Leave {
  const readOnly = facets.every(
    ({ category, access, verb }) => READING.has(category) && (access ?? 'read') !== 'write' && verb !== 'memory.save',
  )
  return { verdict, rule: `${rule.layer}/${rule.id}`, reason, approval: null, readOnly }
}
