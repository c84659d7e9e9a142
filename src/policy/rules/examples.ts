import { plainFacts } from '../plain-facts.ts'
import type { ReadShell } from '../shell-port.ts'
import type { Facts, PolicyContext } from '../types.ts'
import type { CompiledRule } from './compile.ts'

/** The world in which examples are read: one project, nothing on disk. */
export const EXAMPLE_FACTS: Facts = plainFacts('/project')
const EXAMPLE_CONTEXT: PolicyContext = { mode: 'act', surface: 'cli', approver: 'person' }

export interface ExampleFailure {
  example: string
  wanted: 'match' | 'not_match'
}

/** Examples of a rule that do not behave as they say, and what is missing of them. */
export function checkExamples(compiled: CompiledRule, readShell: ReadShell): ExampleFailure[] {
  const { match, not_match } = compiled.rule
  return [
    ...match.filter(example => !covers(compiled, example, readShell)).map(example => ({ example, wanted: 'match' as const })),
    ...not_match.filter(example => covers(compiled, example, readShell)).map(example => ({ example, wanted: 'not_match' as const })),
  ]
}

/** Allow rules carry one example of each kind at least, the others one that they hit. */
export function missingExamples({ rule }: CompiledRule): string | null {
  if (rule.match.length === 0) return 'it needs at least one "match" example'
  return rule.effect === 'allow' && rule.not_match.length === 0 ? 'an allow rule needs at least one "not_match" example' : null
}

function covers(compiled: CompiledRule, example: string, readShell: ReadShell): boolean {
  const { rule } = compiled
  const isCommand = rule.category === 'shell' || rule.category === 'git' || (rule.command !== undefined && !hasOwnSelector(compiled))
  return isCommand ? coversCommand(compiled, example, readShell) : coversTarget(compiled, example)
}

function hasOwnSelector({ rule }: CompiledRule): boolean {
  return [rule.path, rule.host, rule.tool, rule.secret].some(selector => selector !== undefined)
}

function coversCommand(compiled: CompiledRule, example: string, readShell: ReadShell): boolean {
  const { rule } = compiled
  const reading = readShell(example, { cwd: '/project', facts: EXAMPLE_FACTS })
  const ofCategory = rule.category === 'shell' || rule.category === 'git'
  const hits = reading.segments.map(
    segment =>
      (!ofCategory || segment.category === rule.category) && (rule.command === undefined || compiled.matchesSegment(segment, reading)),
  )
  if (rule.effect !== 'allow') return hits.some(Boolean)
  return reading.grammar === 'known' && hits.length > 0 && hits.every(Boolean)
}

function coversTarget(compiled: CompiledRule, example: string): boolean {
  const { rule } = compiled
  if (!hasOwnSelector(compiled)) return compiled.matchesVerb(example)
  const kind = rule.path ? 'path' : rule.host ? 'host' : rule.tool ? 'tool' : 'secret'
  return compiled.selects({
    facet: { category: rule.category, verb: '', flags: [], [kind]: example },
    projectPath: rule.path ? example.replace(/\/+$/, '') : null,
    caseInsensitive: false,
    reading: null,
    context: EXAMPLE_CONTEXT,
  })
}
