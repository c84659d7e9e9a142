import { foldCase } from '../paths/names.ts'
import { expandBraces } from '../patterns/braces.ts'
import { compileHostPattern, type HostPattern } from '../patterns/host-pattern.ts'
import { compilePathPattern, type PathPattern } from '../patterns/path-pattern.ts'
import { compileWildcard } from '../patterns/wildcard.ts'
import type { ShellReading, ShellSegment } from '../shell-port.ts'
import type { Facet, PolicyContext } from '../types.ts'
import { compileCommand, type LevelTest } from './command-pattern.ts'
import type { Rule } from './schema.ts'

/** A facet with what rules may ask about it. */
export interface RuleSubject {
  facet: Facet
  /** From the project root; null where the path is elsewhere. */
  projectPath: string | null
  caseInsensitive: boolean
  reading: ShellReading | null
  context: PolicyContext
}

export interface CompiledRule {
  rule: Rule
  /** All of it: what it selects, its verbs, and when it holds. */
  matches(subject: RuleSubject): boolean
  /** What it selects alone, as an example shows it. */
  selects(subject: RuleSubject): boolean
  matchesVerb(verb: string): boolean
  /** Whether the rule holds for one whole segment, whatever its facets. */
  matchesSegment(segment: ShellSegment, reading: ShellReading): boolean
}

/** Compiles a rule once. Throws on a pattern that cannot be meant. */
export function compileRule(rule: Rule): CompiledRule {
  const commands = rule.command?.map(compileCommand)
  const paths = rule.path?.map(pattern => compilePathPattern(pattern))
  const except = (rule.except ?? []).map(pattern => compilePathPattern(pattern))
  const folded = rule.path && { paths: rule.path.map(foldedPattern), except: (rule.except ?? []).map(foldedPattern) }
  const hosts = rule.host?.map(compileHostPattern)
  const tools = rule.tool?.map(wordTest)
  const secrets = rule.secret?.map(wordTest)
  const verbs = rule.verb?.map(wordTest)
  const isAllow = rule.effect === 'allow'

  const matchesSegment = (segment: ShellSegment, reading: ShellReading): boolean =>
    commands !== undefined && segmentFits(commands, segment, reading, isAllow)
  const pathFits = (subject: RuleSubject): boolean => {
    const { projectPath } = subject
    if (projectPath === null || subject.facet.path === undefined) return false
    const [wanted, left] = subject.caseInsensitive && folded ? [folded.paths, folded.except] : [paths ?? [], except]
    return coversPath(wanted, left, projectPath, subject.facet.recursive === true, isAllow)
  }
  const selects = (subject: RuleSubject): boolean => {
    const { facet, reading } = subject
    if (facet.category !== rule.category) return false
    if (commands) {
      const segment = facet.segment === undefined ? undefined : reading?.segments[facet.segment]
      if (!segment || !reading || !matchesSegment(segment, reading)) return false
    }
    if (paths && !pathFits(subject)) return false
    if (hosts && !hostFits(hosts, facet.host, isAllow)) return false
    return isNamed(tools, facet.tool) && isNamed(secrets, facet.secret)
  }
  const matchesVerb = (verb: string): boolean => verbs === undefined || verbs.some(fits => fits(verb))
  return {
    rule,
    matchesSegment,
    matchesVerb,
    selects,
    matches: subject => selects(subject) && matchesVerb(subject.facet.verb) && whenHolds(rule.when, subject.context),
  }
}

type WordTest = (text: string) => boolean

function isNamed(tests: WordTest[] | undefined, name: string | undefined): boolean {
  return tests === undefined || (name !== undefined && tests.some(fits => fits(name)))
}

// A rule that forbids is tried on every level; one that allows only on what really runs, and only behind wrappers that add nothing.
function segmentFits(commands: LevelTest[], segment: ShellSegment, reading: ShellReading, isAllow: boolean): boolean {
  if (!isAllow) {
    return segment.levels.some(level => commands.some(fits => fits(level, { programByName: true, staticOnly: false })))
  }
  const innermost = segment.levels.at(-1)
  if (reading.grammar !== 'known' || !innermost || !segment.levels.every(level => level.transparent)) return false
  return commands.some(fits => fits(innermost, { programByName: false, staticOnly: true }))
}

// A recursive effect is allowed when everything below is covered and nothing of it is excepted; it is forbidden when any of it may be.
function coversPath(paths: PathPattern[], except: PathPattern[], path: string, recursive: boolean, isAllow: boolean): boolean {
  if (!recursive) return paths.some(pattern => pattern.matches(path)) && !except.some(pattern => pattern.matches(path))
  if (isAllow) return paths.some(pattern => pattern.coversBelow(path)) && except.length === 0
  return paths.some(pattern => pattern.matches(path) || pattern.mayMatchBelow(path)) && !except.some(pattern => pattern.coversBelow(path))
}

function hostFits(hosts: HostPattern[], host: string | undefined, isAllow: boolean): boolean {
  if (host === undefined) return false
  // A host that is not known may be any, so what forbids one forbids it.
  if (host === '*') return !isAllow
  return hosts.some(pattern => pattern.matches(host, !isAllow))
}

function whenHolds(when: Rule['when'], context: PolicyContext): boolean {
  if (!when) return true
  const holds = (wanted: string[] | undefined, value: string | undefined): boolean =>
    wanted === undefined || (value !== undefined && wanted.includes(value))
  return holds(when.agent, context.agent) && holds(when.surface, context.surface) && holds(when.mode, context.mode)
}

function wordTest(pattern: string): WordTest {
  const alternatives = expandBraces(pattern).map(alternative => compileWildcard(alternative, { classes: false }))
  return text => alternatives.some(fits => fits(text))
}

function foldedPattern(pattern: string): PathPattern {
  return compilePathPattern(pattern, { fold: foldCase })
}
