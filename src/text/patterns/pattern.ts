import { withinTime } from './bounded.ts'
import { compileGlob } from './glob.ts'

/** What a pattern means, for every tool that takes one. */

export const PATTERN_KINDS = ['literal', 'glob', 'regex'] as const
export type PatternKind = (typeof PATTERN_KINDS)[number]
export const PATTERN_MODES = ['path', 'text'] as const
export type PatternMode = (typeof PATTERN_MODES)[number]

export const PATTERN_LIMITS = {
  patternLength: 1024,
  strings: 10_000,
  bytes: 10 * 1024 * 1024,
  expressionMs: 250,
  callMs: 2000,
} as const

export interface PatternError {
  code: 'bad_pattern' | 'too_large' | 'timeout'
  message: string
}

export type PatternOutcome<T> = { kind: 'ok'; value: T } | { kind: 'refused'; error: PatternError }

/** Where a pattern was found. `index` and `match` only where it searches inside a text. */
export interface PatternResult {
  matched: boolean
  index?: number
  match?: string
}

/** A pattern that was understood. */
export type Pattern =
  | { kind: 'literal' | 'glob'; mode: PatternMode; find: (text: string) => PatternResult }
  | { kind: 'regex'; mode: PatternMode; expression: RegExp; equals: string | undefined }

export interface PatternOptions {
  mode?: PatternMode | undefined
  kind?: PatternKind | undefined
}

export function compilePattern(pattern: string, { mode = 'path', kind }: PatternOptions = {}): PatternOutcome<Pattern> {
  if (pattern.length > PATTERN_LIMITS.patternLength)
    return refused('too_large', `The pattern has ${pattern.length} characters; at most ${PATTERN_LIMITS.patternLength} are taken.`)
  switch (kind ?? patternKind(pattern, mode)) {
    case 'literal':
      return { kind: 'ok', value: literal(pattern, mode) }
    case 'glob':
      return mode === 'text'
        ? refused('bad_pattern', 'A glob compares whole paths. In a text use a literal or /expression/.')
        : { kind: 'ok', value: glob(pattern) }
    case 'regex':
      return regex(pattern, mode)
  }
}

const SLASHED = /^\/(.+)\/([dgimsuvy]*)$/s
const SPECIAL = /[\^$\\[\]()|+*?{}]/

/** What a pattern is when nobody says so. */
export function patternKind(pattern: string, mode: PatternMode): PatternKind {
  const [, body = '', flags = ''] = SLASHED.exec(pattern) ?? []
  if (body !== '' && !endsEscaped(body) && (mode === 'text' || flags !== '' || SPECIAL.test(body))) return 'regex'
  return mode === 'path' && (hasWildcard(pattern) || pattern.endsWith('/')) ? 'glob' : 'literal'
}

/** Whether what follows is escaped: an odd number of backslashes stands before it. */
function endsEscaped(text: string): boolean {
  return (text.length - text.replace(/\\+$/, '').length) % 2 === 1
}

function hasWildcard(pattern: string): boolean {
  return /^(?:[^\\*?]|\\.)*[*?]/s.test(pattern)
}

function literal(pattern: string, mode: PatternMode): Pattern {
  if (mode === 'path') return { kind: 'literal', mode, find: text => ({ matched: text === pattern }) }
  const find = (text: string): PatternResult => {
    const index = text.indexOf(pattern)
    return index < 0 ? { matched: false } : { matched: true, index, match: pattern }
  }
  return { kind: 'literal', mode, find }
}

const SCHEME = /^[^/\\]*:\/\//

function glob(pattern: string): Pattern {
  const everything = pattern === '*' || pattern === '**'
  const scheme = SCHEME.test(pattern)
  const matches = compileGlob(pattern, { scheme })
  const find = (path: string): PatternResult => ({
    matched: everything || path === pattern || ((scheme || !SCHEME.test(path)) && matches(path)),
  })
  return { kind: 'glob', mode: 'path', find }
}

function regex(pattern: string, mode: PatternMode): PatternOutcome<Pattern> {
  const [, body = pattern, flags = ''] = SLASHED.exec(pattern) ?? []
  try {
    // Without g and y an expression keeps no place between calls. They are left to the engine first, which may refuse them.
    const checked = new RegExp(body, flags)
    const expression = new RegExp(body, checked.flags.replace(/[gy]/g, ''))
    return { kind: 'ok', value: { kind: 'regex', mode, expression, equals: mode === 'path' ? pattern : undefined } }
  } catch (thrown) {
    return badExpression(pattern, thrown)
  }
}

function badExpression(pattern: string, thrown: unknown): { kind: 'refused'; error: PatternError } {
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return refused('bad_pattern', `${pattern} is no valid expression: ${reason}`)
}

/** Looks for the pattern in each string, in the time of one call. */
export function findPattern(pattern: Pattern, strings: readonly string[]): PatternOutcome<PatternResult[]> {
  return pattern.kind === 'regex' ? findExpression(pattern, strings) : { kind: 'ok', value: strings.map(pattern.find) }
}

/** Strings are searched together under one limit. When it strikes, the string at hand gets a full limit of its own, so that it
 *  is late only if it took all of it alone. */
function findExpression(
  { expression, equals, mode }: Extract<Pattern, { kind: 'regex' }>,
  strings: readonly string[],
): PatternOutcome<PatternResult[]> {
  const results: PatternResult[] = []
  const search = (text: string): PatternResult => {
    const found = expression.exec(text)
    if (!found) return { matched: text === equals }
    return mode === 'path' ? { matched: true } : { matched: true, index: found.index, match: found[0] }
  }
  const end = performance.now() + PATTERN_LIMITS.callMs
  try {
    while (results.length < strings.length) {
      const before = results.length
      const left = end - performance.now()
      const round = withinTime(Math.min(PATTERN_LIMITS.expressionMs, left), () => {
        for (let i = results.length; i < strings.length; i++) results[i] = search(strings[i] ?? '')
      })
      if (round.kind === 'late' && (results.length === before || left < PATTERN_LIMITS.expressionMs))
        return refused('timeout', `The expression did not end in time on string ${results.length}. Write it without nested repetition.`)
    }
  } catch (thrown) {
    return badExpression(expression.source, thrown)
  }
  return { kind: 'ok', value: results }
}

export function refused(code: PatternError['code'], message: string): { kind: 'refused'; error: PatternError } {
  return { kind: 'refused', error: { code, message } }
}
