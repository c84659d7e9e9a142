import {
  compilePattern,
  findPattern,
  PATTERN_LIMITS,
  type PatternKind,
  type PatternOptions,
  type PatternOutcome,
  type PatternResult,
  refused,
} from './pattern.ts'

export interface MatchInput extends PatternOptions {
  pattern: string
  strings: readonly string[]
}

export interface MatchOutput {
  kind: PatternKind
  /** One per string, in order. */
  results: PatternResult[]
}

/** Matches one pattern against many strings, within the bounds of a call. */
export function matchStrings({ pattern, strings, mode, kind }: MatchInput): PatternOutcome<MatchOutput> {
  if (strings.length > PATTERN_LIMITS.strings)
    return refused('too_large', `${strings.length} strings are given; at most ${PATTERN_LIMITS.strings} are taken.`)
  const bytes = bytesOf(strings)
  if (bytes > PATTERN_LIMITS.bytes)
    return refused('too_large', `The strings have ${bytes} bytes in all; at most ${PATTERN_LIMITS.bytes} are taken.`)
  const compiled = compilePattern(pattern, { mode, kind })
  if (compiled.kind === 'refused') return compiled
  const found = findPattern(compiled.value, strings)
  return found.kind === 'refused' ? found : { kind: 'ok', value: { kind: compiled.value.kind, results: found.value } }
}

function bytesOf(strings: readonly string[]): number {
  const units = strings.reduce((sum, { length }) => sum + length, 0)
  // No UTF-16 unit takes more than three bytes, so most calls need no counting.
  return units * 3 <= PATTERN_LIMITS.bytes ? units : strings.reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8'), 0)
}
