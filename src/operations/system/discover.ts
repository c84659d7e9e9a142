import * as z from 'zod'
import { version } from '../../kernel/version.ts'
import { describe } from '../describe.ts'
import { operation } from '../operation.ts'

const schema = z.record(z.string(), z.json())

const discover = operation({
  name: 'discover',
  summary: 'Everything QED can do, with the schema of each input and output',
  when: 'Use to find the operation for a task and the schema of its input.',
  effect: 'read',
  mcp: 'full',
  positional: ['prefix'],
  input: z.strictObject({ prefix: z.string().optional().describe('Only operations whose name starts so') }),
  output: () =>
    z.strictObject({
      version: z.string(),
      operations: z.array(
        z.strictObject({
          name: z.string(),
          summary: z.string(),
          effect: z.enum(['read', 'write', 'execute']),
          input: schema,
          output: schema,
          surfaces: z.array(z.string()),
          positional: z.array(z.string()),
          person_only: z.boolean(),
          streams: z.boolean(),
          mcp: z.enum(['core', 'full', 'never']),
          exit_codes: z.array(z.int()),
        }),
      ),
    }),
  examples: ['discover', 'discover events. --json'],
  run: async (_app, { prefix = '' }, call) => {
    const all = await call.catalogue.all()
    return { version, operations: all.filter(({ name }) => name.startsWith(prefix)).map(describe) }
  },
  human: ({ operations }, paint) => {
    const width = Math.max(0, ...operations.map(({ name }) => name.length))
    return operations.map(({ name, effect, summary }) => `${paint.bold(name.padEnd(width))}  ${effect.padEnd(7)}  ${summary}`).join('\n')
  },
})

export const operations = [discover] as const
