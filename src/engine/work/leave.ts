import { decide } from '../../policy/decide.ts'
import { type CompiledRule, compileRule } from '../../policy/rules/compile.ts'
import { Rule } from '../../policy/rules/schema.ts'
import type { PolicyScene } from '../../policy/scene.ts'
import type { Decision, Facts, PolicyOperation } from '../../policy/types.ts'
import type { Approval, Binding, KeptRule } from '../../runs/approval.ts'
import { changedInside, changedSince } from '../../sandbox/changed-since.ts'
import { lookAgain } from '../../sandbox/facts.ts'
import type { AskingCall, Leave } from '../../tools/executor.ts'
import type { Question } from '../../tools/tool.ts'

/** Puts an ask to a person and waits for the answer; null where nobody is there and nobody is waited for. */
export type AskLeave = (
  asked: { decision: Decision; question: Question; bindings: Binding[] },
  call: AskingCall,
) => Promise<Approval | null>

/** What was asked when nobody was there. */
export interface Unanswered {
  question: Question
  decision: Decision
}

export interface LeaveOptions {
  scene: PolicyScene
  isolation: PolicyOperation['facts']['isolation']
  ask: AskLeave
  /** Rules that answers of this run have made so far. */
  remembered: () => KeptRule[]
  /** An ask that nobody answers: inside a scope it is a refusal that the model hears of, else it ends the run. */
  onUnanswered: (asked: Unanswered) => void
}

/** What policy says to each call of a run, and the person where policy asks. Every call is judged by the disk as it is then. */
export function createLeave({ scene, isolation, ask, remembered, onUnanswered }: LeaveOptions) {
  const { readShell, context, cwd } = scene
  // Answers of this run come only while it waits for one.
  let kept = compiled(remembered())
  return async (question: Question, call: AskingCall | null): Promise<Leave> => {
    const facts = { ...lookAgain(scene.facts), isolation }
    const operation: PolicyOperation = { ...question, cwd, facts, context: { ...context, approver: 'person' } }
    const layers = { ...scene.layers, remembered: [...scene.layers.remembered, ...kept] }
    const decision = decide(operation, layers, readShell)
    const bindings = bindingsOf(decision)
    const { inside } = facts
    if (decision.verdict !== 'ask') return leaveOf(decision, { verdict: decision.verdict, bindings, inside })
    // What no call asks for has nothing to wait with: only a rule can allow it.
    if (!call)
      return leaveOf({ ...decision, reason: `${decision.reason} Only a rule can allow it here.` }, { verdict: 'deny', bindings, inside })
    const approval = await ask({ decision, question, bindings }, call)
    if (approval) {
      kept = compiled(remembered())
      return answered(decision, approval, inside)
    }
    onUnanswered({ question, decision })
    return leaveOf({ ...decision, reason: `${decision.reason} Nobody is there to be asked.` }, { verdict: 'deny', bindings, inside })
  }
}

/** Whether policy would let a file be read, without asking anyone. */
export function createMayRead({ layers, readShell, context, cwd, ...scene }: PolicyScene): (path: string) => boolean {
  const facts = lookAgain(scene.facts)
  return path => {
    const operation: PolicyOperation = { verb: 'file.read', paths: [{ path, access: 'read' }], cwd, facts, context }
    return decide(operation, layers, readShell).verdict === 'allow'
  }
}

// What was judged when it was asked is what was approved: those facts must still hold.
function answered(decision: Decision, { id, status, reason, bindings }: Approval, inside: Facts['inside']): Leave {
  if (status === 'approved') return leaveOf(decision, { verdict: 'allow', approval: id, bindings, inside })
  const said = status === 'rejected' ? 'The person said no' : 'The question was taken back'
  const why = `${decision.reason} ${said}${reason === null ? '.' : `: ${reason}`}`
  return leaveOf({ ...decision, reason: why }, { verdict: 'deny', approval: id, bindings, inside })
}

const READING = new Set(['read', 'memory'])

function leaveOf(
  { rule, reason, facets }: Decision,
  given: { verdict: 'allow' | 'deny'; approval?: string; bindings: readonly Binding[]; inside: Facts['inside'] },
): Leave {
  const { verdict, approval = null, bindings, inside } = given
  const readOnly = facets.every(onlyReads)
  return {
    verdict,
    approval,
    rule: `${rule.layer}/${rule.id}`,
    reason,
    readOnly,
    changed: () => changedSince(bindings) ?? changedInside(inside),
  }
}

/** R-13: a command of the read-only class changes nothing that its other facets do not name. */
function onlyReads({ category, access, verb, class: kind, flags }: Decision['facets'][number]): boolean {
  if (category === 'shell' || category === 'git') return kind === 'read-only' && flags.length === 0
  return READING.has(category) && (access ?? 'read') !== 'write' && verb !== 'memory.save'
}

function bindingsOf({ facets }: Decision): Binding[] {
  return facets.flatMap(({ path, real, binding }) =>
    path?.startsWith('/') && real !== undefined && binding ? [{ path, real, ...binding }] : [],
  )
}

function compiled(rules: readonly KeptRule[]): CompiledRule[] {
  return rules.map(rule => compileRule(Rule().parse(rule)))
}
