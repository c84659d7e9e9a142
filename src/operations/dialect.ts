import * as z from 'zod'
import { visibleLine } from '../kernel/visible.ts'
import { parseReply } from '../text/dialects/parse-reply.ts'
import { DIALECTS, REJECTIONS, SOURCES, WARNING_CODES } from '../text/dialects/types.ts'
import { operation } from './operation.ts'

const shape = z.strictObject({
  name: z.string().min(1).describe('Name of the tool'),
  effect: z.enum(['read', 'write', 'execute']).optional().describe('Only a call that reads is recovered when it was cut off'),
  parameters: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of its arguments'),
  body: z.string().min(1).optional().describe("The argument that a tag's body fills"),
})

const Call = () =>
  z.strictObject({
    id: z.string(),
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    source: z.enum(SOURCES),
    span: z.tuple([z.int(), z.int()]),
  })

const parse = operation({
  name: 'dialect.parse',
  summary: 'Find the tool calls in the raw text of a model',
  when: 'Use it to see what QED would make of a reply: which calls it would run, which it would refuse, and why.',
  effect: 'read',
  mcp: 'full',
  positional: ['text'],
  input: z.strictObject({
    text: z.string().nullable().default('').describe("The model's reply as it came"),
    dialect: z.enum(DIALECTS).default('auto').describe('tags, the notations of model providers, both, or only thinking'),
    tools: z.array(shape).max(1_000).optional().describe('The tools that were offered; without them the default tags'),
  }),
  output: () =>
    z.strictObject({
      calls: z.array(Call()),
      rejected: z.array(Call().extend({ status: z.enum(REJECTIONS), message: z.string() })),
      text: z.string(),
      thinking: z.string().optional(),
      warnings: z.array(z.strictObject({ code: z.enum(WARNING_CODES), message: z.string(), at: z.int() })),
    }),
  examples: ['dialect parse "<get path=src/app.js/>"', 'dialect parse --text "<sh>npm test</sh>" --dialect tags --json'],
  run: (_app, { text, dialect, tools }) => parseReply(text, { dialect, tools }),
  human: ({ calls, rejected, text, warnings }, paint) =>
    [
      ...calls.map(
        call =>
          `${paint.good(`${paint.glyph.ok} ${call.name}`)}  ${visibleLine(JSON.stringify(call.arguments))}  ${paint.dim(call.source)}`,
      ),
      ...rejected.map(call => `${paint.bad(`${paint.glyph.fail} ${call.name}`)}  ${call.status}: ${visibleLine(call.message)}`),
      ...warnings.map(({ code, message }) => `${paint.careful(`${paint.glyph.warn} ${code}`)}  ${visibleLine(message)}`),
      text === '' ? paint.dim('No text beside the calls.') : `${paint.dim('text')}  ${visibleLine(text)}`,
    ].join('\n'),
})

export const operations = [parse] as const
