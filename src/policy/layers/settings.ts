import type { CompiledRule, RuleSubject } from '../rules/compile.ts'
import type { Category, Verdict } from '../types.ts'
import { strictest } from '../verdict.ts'
import type { Answer, SettingsSource, Subject } from './layer.ts'

type SettingsLayerName = 'project' | 'personal' | 'agent'

export interface SettingsAnswer {
  answer: Answer | null
  /** Rules that would have allowed, had anyone trusted their file. */
  untrusted: string[]
}

/** What the files of one layer say together: the strictest of all rules that match, else the category, else nothing. */
export function settings(layer: SettingsLayerName, sources: SettingsSource[], subject: Subject): SettingsAnswer {
  const unloadable = sources.find(source => source.policy.kind === 'unloadable')
  if (unloadable?.policy.kind === 'unloadable')
    return { answer: unloadableAnswer(layer, unloadable.policy.problems[0]?.message, subject), untrusted: [] }
  const loaded = sources.flatMap(({ policy, trusted }) => (policy.kind === 'loaded' ? [{ policy, trusted }] : []))
  const asked = ruleSubject(subject)
  const matching = loaded.flatMap(({ policy, trusted }) =>
    policy.rules.filter(rule => rule.matches(asked)).map(({ rule }) => ({ rule, trusted })),
  )
  const counted = matching.filter(({ rule, trusted }) => trusted || rule.effect !== 'allow')
  const untrusted = matching.filter(found => !counted.includes(found)).map(({ rule }) => rule.id)

  const byRule = strictest(
    counted.flatMap(({ rule }) => limited(rule.effect, layer, subject, rule).map(verdict => ({ rule, verdict }))),
    found => found.verdict,
  )
  if (byRule) {
    const reason = byRule.rule.reason ?? `Rule ${byRule.rule.id} of the ${layer} policy says so.`
    return { answer: { verdict: byRule.verdict, rule: byRule.rule.id, code: 'rule', reason }, untrusted }
  }
  const { category } = subject.facet
  const said = loaded.flatMap(({ policy, trusted }) => {
    const verdict = policy.categories[category]
    return verdict === undefined ? [] : [{ verdict, trusted }]
  })
  if (said.some(({ verdict, trusted }) => verdict === 'allow' && !trusted)) untrusted.push(`categories.${category}`)
  const spoken = said.filter(({ verdict, trusted }) => (trusted || verdict !== 'allow') && speaks(verdict, category, subject))
  const byCategory = strictest(
    spoken.flatMap(({ verdict }) => limited(verdict, layer, subject)),
    verdict => verdict,
  )
  if (!byCategory) return { answer: null, untrusted }
  const reason = `The ${layer} policy says ${byCategory} for ${category}.`
  return { answer: { verdict: byCategory, rule: `categories.${category}`, code: 'rule', reason }, untrusted }
}

export function ruleSubject({ facet, path, reading, operation }: Subject): RuleSubject {
  return {
    facet,
    projectPath: path?.project ?? null,
    caseInsensitive: operation.facts.caseInsensitive,
    reading,
    context: operation.context,
  }
}

// A general "ask" for commands does not mean looking around, nor effects whose paths are judged by themselves.
function speaks(verdict: Verdict, category: Category, { segment }: Subject): boolean {
  if (verdict !== 'ask' || (category !== 'shell' && category !== 'git')) return true
  return segment?.class !== 'read-only' && segment?.class !== 'file-effect'
}

/** What is left of an answer where a setting has its limits: nothing opens what is outside the roots, and a secret is given
 *  out only where the person's own rule names it. */
function limited(verdict: Verdict, layer: SettingsLayerName, { facet }: Subject, rule?: CompiledRule['rule']): Verdict[] {
  if (facet.category === 'external-directory') return verdict === 'deny' ? ['deny'] : []
  if (facet.category !== 'secrets' || verdict !== 'allow') return [verdict]
  const named = facet.secret !== undefined && rule?.secret?.includes(facet.secret) === true && !/[*?{]/.test(facet.secret)
  return layer === 'personal' && facet.verb === 'secret.use' && named ? ['allow'] : ['ask']
}

function unloadableAnswer(layer: SettingsLayerName, why: string | undefined, { facet, path }: Subject): Answer | null {
  if (facet.category === 'read' || path?.special === 'free') return null
  const reason = `The ${layer} policy cannot be read (${why ?? 'no reason given'}), so only reading is left. Repair the file.`
  return { verdict: 'deny', rule: 'policy-unloadable', code: 'policy-unloadable', reason }
}
