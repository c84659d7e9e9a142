import * as z from 'zod'
import { redact } from '../policy/secrets/redact.ts'
import { scan as scanText } from '../policy/secrets/scan.ts'
import { vaultValues } from '../policy/secrets/vault-values.ts'
import { operation } from './operation.ts'

const scan = operation({
  name: 'secrets.scan',
  summary: 'Where secrets stand in a text, and the text without them; their values are never shown',
  when: 'Use it before you show, store or send a text that may hold a secret.',
  effect: 'read',
  mcp: 'full',
  positional: ['text'],
  input: z.strictObject({
    text: z
      .string()
      .max(16 * 1024 * 1024)
      .describe('Text to look through'),
  }),
  output: () =>
    z.strictObject({
      findings: z.array(z.strictObject({ detector: z.string(), start: z.int(), end: z.int(), line: z.int(), column: z.int() })),
      redacted: z.string(),
    }),
  examples: ['secrets scan "password=hunter2"'],
  run: async (app, { text }) => {
    const vault = vaultValues(await app.knownSecrets())
    return { findings: scanText(text, vault), redacted: redact(text, vault) }
  },
  human: ({ findings, redacted }, paint) =>
    [
      redacted,
      findings.length === 0 ? paint.good(`${paint.glyph.ok} no secrets found`) : paint.bad(`${paint.glyph.fail} ${findings.length} found`),
      ...findings.map(({ detector, line, column }) => `  ${paint.glyph.bullet} ${detector} at ${line}:${column}`),
    ].join('\n'),
})

export const operations = [scan] as const
