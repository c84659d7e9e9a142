import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchStrings } from '../../../src/text/patterns/match-strings.ts'
import { PATTERN_KINDS, PATTERN_MODES } from '../../../src/text/patterns/pattern.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const numRuns = Number(process.env['QED_PROPERTY_RUNS'] ?? 2000)

/** What a glob means, as an expression; only for patterns short enough that it cannot run away. */
function expressionOf(glob: string): RegExp {
  const body = glob
    .replace(/(?<=^|\/)\*{2,}\//g, '\u0001')
    .replace(/\*{2,}/g, '\u0002')
    .replace(/\*/g, '[^/]*')
    .replace(/\?/g, '[^/]')
    .replace(/\./g, '\\.')
    .replaceAll('\u0001', '(?:.*/)?')
    .replaceAll('\u0002', '.*')
  return new RegExp(`^${body}${glob.endsWith('/') ? '.*' : ''}$`, 's')
}

const glob = fc.array(fc.constantFrom('a', 'b', '/', '*', '**', '**/', '?', '.'), { maxLength: 8 }).map(parts => parts.join(''))
const path = fc.array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 10 }).map(parts => parts.join(''))

describe('patterns', () => {
  test('E-56 a glob matches what its meaning says', () => {
    fc.assert(
      fc.property(glob, path, (pattern, string) => {
        fc.pre(pattern !== '*' && !/^\*{2,}$/.test(pattern))
        const outcome = matchStrings({ pattern, strings: [string], kind: 'glob' })
        expect(outcome).toMatchObject({ value: { results: [{ matched: pattern === string || expressionOf(pattern).test(string) }] } })
      }),
      { numRuns: numRuns * 5 },
    )
  })

  test('E-53 any pattern on any strings answers, one result per string', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 20, unit: 'binary' }),
      glob,
      path,
      fc.constantFrom('/a(/', '/[/', '/(?<n>a)\\k<n>/u', 'known://*', '[', '\\', '/x/gg'),
    )
    fc.assert(
      fc.property(
        text,
        fc.array(text, { maxLength: 4 }),
        fc.constantFrom(undefined, ...PATTERN_MODES),
        fc.constantFrom(undefined, ...PATTERN_KINDS),
        (pattern, strings, mode, kind) => {
          const outcome = matchStrings({ pattern, strings, mode, kind })
          const told = outcome.kind === 'ok' ? outcome.value.results.length : outcome.error.code
          expect([strings.length, 'bad_pattern', 'timeout']).toContain(told)
        },
      ),
      { numRuns },
    )
  })

  test('E-60 globs of any stars end at once on long paths', () => {
    const long = fc.array(fc.constantFrom('a', 'b', '/'), { minLength: 200, maxLength: 300 }).map(parts => parts.join(''))
    const stars = fc
      .array(fc.constantFrom('*a', '**/', '**', '?*', '*b'), { minLength: 20, maxLength: 60 })
      .map(parts => `${parts.join('')}c`)
    fc.assert(
      fc.property(stars, long, (pattern, string) => {
        expect(cpuTime(() => matchStrings({ pattern, strings: [string], kind: 'glob' }))).toBeLessThan(200)
      }),
      { numRuns: Math.min(numRuns, 1000) },
    )
  })

  test('E-60 expressions of nested repetitions end in time', () => {
    const repeated = fc.array(fc.constantFrom('(a+)+', '(a|a)*', '(a*)*', 'a*a*', '(.*a){12}', '(?:a?){30}a{30}'), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(repeated, parts => {
        const strings = [`${'a'.repeat(40)}!`]
        expect(cpuTime(() => matchStrings({ pattern: `/^${parts.join('')}$/`, strings }))).toBeLessThan(1500)
      }),
      { numRuns: 12 },
    )
  })
})
