import { sha256 } from '../kernel/sha256.ts'
import { shellWord } from '../kernel/shell-word.ts'
import { isWithin, pathBelow } from './paths/names.ts'
import { compileRule } from './rules/compile.ts'
import { EXAMPLE_FACTS } from './rules/examples.ts'
import { Rule, type RuleInput } from './rules/schema.ts'
import type { ReadShell } from './shell-port.ts'
import type { Decision, Facet } from './types.ts'

/** One way to answer an ask. A rule is shown with the file it would go to before anyone agrees to it. */
export interface Offer {
  answer: 'once' | 'run' | 'project' | 'reject'
  rules?: RuleInput[]
  /** Where the rules would be kept; a run's are kept in the store. */
  file?: string
  /** Recorded commands that a wider rule would have let through as well. */
  would_newly_allow?: string[]
}

export const REMEMBERED_FILE = '.qed/policy.local.json'

/** The answers that a person can give. The exact rule first; a wider one only where words can be left open safely. */
export function offersFor(decision: Decision, recorded: Recorded): Offer[] {
  if (decision.verdict !== 'ask' && decision.code !== 'ask-without-person') return []
  const asking = decision.rememberable ? decision.facets.filter(facet => facet.verdict === 'ask') : []
  const kept = allOrNone(asking.map(facet => exactRule(withCommand(facet, decision), recorded.projectRoot)))
  const wide = allOrNone(asking.map(widerRule))
  return [
    { answer: 'once' },
    ...(kept.length > 0 ? remembering(kept) : []),
    ...(wide.length > 0 ? remembering(wide, newlyAllowed(wide, recorded)) : []),
    { answer: 'reject' },
  ]
}

// A host that is not written, such as a remote of git, is told by the words of its command.
function withCommand(facet: Facet, { facets }: Decision): Facet {
  const command = facet.host === '*' ? facets.find(({ segment, argv }) => segment === facet.segment && argv !== undefined) : undefined
  return command?.argv && facet.segment !== undefined ? { ...facet, argv: command.argv } : facet
}

interface Recorded {
  /** Commands that were asked about before. */
  commands: string[]
  readShell: ReadShell
  /** The real path to which rules about paths are relative. */
  projectRoot: string
}

// An ask with several parts is only saved by rules for all of them.
function allOrNone(rules: (RuleInput | null)[]): RuleInput[] {
  const known = rules.filter(rule => rule !== null)
  return known.length === rules.length ? known : []
}

function remembering(rules: RuleInput[], would_newly_allow?: string[]): Offer[] {
  const shown = would_newly_allow === undefined ? {} : { would_newly_allow }
  return [
    { answer: 'run', rules, ...shown },
    { answer: 'project', rules, file: REMEMBERED_FILE, ...shown },
  ]
}

/** The rule that allows exactly this facet and nothing else, with examples that show it; null where none can. */
export function exactRule(facet: Facet, projectRoot: string): RuleInput | null {
  const base = { effect: 'allow' as const, category: facet.category, reason: 'answered by a person' }
  if (facet.real !== undefined) {
    if (facet.recursive || !isWithin(facet.real, projectRoot, false)) return null
    const path = pathBelow(facet.real, projectRoot)
    // Braces cannot be escaped in a pattern.
    if (path === '' || /[{}]/.test(path)) return null
    return named({ ...base, path: path.replace(/[*?[]/g, '[$&]'), match: [path], not_match: [`${path}.other`] })
  }
  if (facet.argv) {
    const words = facet.argv
    const spelled = words.every(isPlainWord) ? words.join(' ') : { argv: words }
    const line = words.map(shellWord).join(' ')
    return named({ ...base, command: spelled, match: [line], not_match: [`${line} qed-other-word`] })
  }
  if (facet.host !== undefined && facet.host !== '*')
    return named({ ...base, host: facet.host, verb: facet.verb, match: [facet.host], not_match: [`other.${facet.host}`] })
  if (facet.tool !== undefined && !/[*?{},]/.test(facet.tool))
    return named({ ...base, tool: facet.tool, match: [facet.tool], not_match: [`${facet.tool}-other`] })
  return facet.category === 'memory' ? named({ ...base, verb: facet.verb, match: [facet.verb], not_match: ['memory.other'] }) : null
}

const THREE_WORDS = [/^npm run$/, /^(?:pnpm|yarn|bun) run$/, /^docker compose$/, /^python[\d.]* -m$/]

/** The same beginning with any further words. Never for what carries code or runs on. */
function widerRule(facet: Facet): RuleInput | null {
  if (!facet.argv || facet.flags.length > 0) return null
  const count = THREE_WORDS.some(form => form.test((facet.argv ?? []).slice(0, 2).join(' '))) ? 3 : 2
  const words = facet.argv.slice(0, count)
  if (facet.argv.length < count || !words.every(isPlainWord) || words.some(word => word.startsWith('-') && word !== '-m')) return null
  const line = words.join(' ')
  return named({
    effect: 'allow',
    category: facet.category,
    reason: 'answered by a person',
    command: `${line} **`,
    match: [line, facet.argv.map(shellWord).join(' ')],
    not_match: [words.slice(0, -1).join(' '), `${line} && qed-other-word`],
  })
}

function newlyAllowed(rules: RuleInput[], { commands, readShell }: Recorded): string[] {
  const compiled = rules.map(rule => compileRule(Rule().parse(rule)))
  return commands.filter(command => {
    const reading = readShell(command, { cwd: '/project', facts: EXAMPLE_FACTS })
    const { segments } = reading
    return segments.length > 0 && segments.every(segment => compiled.some(rule => rule.matchesSegment(segment, reading)))
  })
}

function named(rule: Omit<RuleInput, 'id'>): RuleInput {
  return { id: `remembered-${sha256(JSON.stringify(rule)).slice(0, 12)}`, ...rule }
}

// A word that a pattern spells as itself: no blank, no wildcard, no brace.
function isPlainWord(word: string): boolean {
  return /^[^\s*?{},]+$/.test(word)
}
