import * as z from 'zod'
import { QedError } from '../kernel/errors.ts'
import { matchStrings } from '../text/patterns/match-strings.ts'
import { PATTERN_KINDS, PATTERN_MODES, type PatternError } from '../text/patterns/pattern.ts'
import { operation } from './operation.ts'

export class PatternRefused extends QedError {
  readonly code: PatternError['code']
  constructor({ code, message }: PatternError) {
    super(message)
    this.code = code
  }
}

const match = operation({
  name: 'pattern.match',
  summary: 'Which strings a pattern matches: a literal, a glob or a regular expression',
  when: 'To try a pattern before a tool uses it.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [10],
  positional: ['pattern', 'strings'],
  input: z.strictObject({
    pattern: z.string().describe('Literal text, a glob such as src/**/*.ts, or /expression/flags'),
    strings: z.array(z.string()).describe('What to match it against'),
    mode: z.enum(PATTERN_MODES).default('path').describe('path: the whole string; text: anywhere inside'),
    kind: z.enum(PATTERN_KINDS).optional().describe('How to read the pattern, when its form should not decide'),
  }),
  output: () =>
    z.strictObject({
      kind: z.enum(PATTERN_KINDS),
      results: z.array(z.strictObject({ matched: z.boolean(), index: z.int().optional(), match: z.string().optional() })),
    }),
  examples: ['pattern match "src/**/*.ts" src/main.ts README.md', 'pattern match "/TODO/i" "a todo" --mode text --json'],
  run: (_, input) => {
    const outcome = matchStrings(input)
    if (outcome.kind === 'refused') throw new PatternRefused(outcome.error)
    return outcome.value
  },
})

export const operations = [match] as const
