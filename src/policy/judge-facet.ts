import { raisingFlags } from './flags.ts'
import { brief } from './layers/brief.ts'
import { defaults } from './layers/defaults.ts'
import { floor } from './layers/floor.ts'
import { ANSWERABLE, type Answer, type PolicyLayers, type Subject } from './layers/layer.ts'
import { mode } from './layers/mode.ts'
import { ruleSubject, settings } from './layers/settings.ts'
import { isLiteral } from './rules/literal.ts'
import type { Decision, Facet, LayerName } from './types.ts'
import { strictest } from './verdict.ts'

/** One facet's verdict with the way to it. */
export interface Judged {
  facet: Facet
  answer: Answer
  layer: LayerName
  trace: Omit<Decision['trace'][number], 'facet'>[]
  /** A person's answer to it may be kept as a rule. */
  rememberable: boolean
}

type Said = { layer: LayerName; answer: Answer | null; untrusted?: string[] }

/** Asks the layers in order; the strictest answer counts, and the defaults where nobody answered. */
export function judgeFacet(subject: Subject, layers: PolicyLayers): Judged {
  const trace: Judged['trace'] = exceptionTrace(subject)
  const spoken: { layer: LayerName; answer: Answer }[] = []
  for (const { layer, answer, untrusted = [] } of heard(subject, layers)) {
    for (const rule of untrusted) trace.push({ layer, rule, answer: 'untrusted' })
    if (!answer) continue
    trace.push({ layer, rule: answer.rule, answer: answer.verdict })
    spoken.push({ layer, answer })
  }
  const best = strictest(spoken, said => said.answer.verdict) ?? byDefault(subject, layers, trace)
  const rememberable = best.answer.verdict === 'ask' && mayRemember(best.layer, subject)
  const remembered = rememberable ? rememberedRule(subject, layers) : undefined
  if (!remembered) return { facet: subject.facet, ...best, trace, rememberable }
  trace.push({ layer: best.layer, rule: remembered, answer: 'remembered' })
  const answer: Answer = {
    verdict: 'allow',
    rule: remembered,
    code: 'rule',
    reason: 'A person allowed this before and said to remember it.',
  }
  return { facet: subject.facet, layer: best.layer, answer, trace, rememberable: false }
}

function heard(subject: Subject, layers: PolicyLayers): Said[] {
  const { agent } = subject.operation.context
  const own = agent === undefined || !Object.hasOwn(layers.agents, agent) ? undefined : layers.agents[agent]
  return [
    { layer: 'floor', answer: floor(subject, layers) },
    { layer: 'mode', answer: mode(subject, layers) },
    { layer: 'brief', answer: brief(subject, layers) },
    { layer: 'project', ...settings('project', layers.project, subject) },
    { layer: 'personal', ...settings('personal', layers.personal, subject) },
    { layer: 'agent', ...settings('agent', own ? [own] : [], subject) },
  ]
}

function byDefault(subject: Subject, layers: PolicyLayers, trace: Judged['trace']): { layer: LayerName; answer: Answer } {
  const answer = defaults(subject, layers) ?? { verdict: 'ask', rule: 'ask', code: 'default', reason: 'Nobody has an answer.' }
  trace.push({ layer: 'defaults', rule: answer.rule, answer: answer.verdict })
  return { layer: 'defaults', answer }
}

// The person's own word that a file is not secret is shown, because it opens what the floor would close.
function exceptionTrace({ path }: Subject): Judged['trace'] {
  return path?.sensitivity?.kind === 'excepted' ? [{ layer: 'personal', rule: 'sensitive_except', answer: 'allow' }] : []
}

function mayRemember(layer: LayerName, { facet, bare }: Subject): boolean {
  return ANSWERABLE.includes(layer) && facet.category !== 'secrets' && !bare && raisingFlags(facet.flags).length === 0
}

// Code that a command carries is remembered word for word or not at all.
function rememberedRule(subject: Subject, layers: PolicyLayers): string | undefined {
  const asked = ruleSubject(subject)
  const literalOnly = subject.facet.flags.length > 0
  return layers.remembered.find(
    compiled => compiled.rule.effect === 'allow' && (!literalOnly || isLiteral(compiled.rule)) && compiled.matches(asked),
  )?.rule.id
}
