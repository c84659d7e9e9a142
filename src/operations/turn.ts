import * as z from 'zod'
import { visibleLine } from '../kernel/visible.ts'
import { getSetting } from '../project/config/config.ts'
import { judgeTurn } from '../text/dialects/judge-turn.ts'
import { operation } from './operation.ts'

const limit = () => z.int().positive().optional()

const limits = z.strictObject({
  turns: limit().describe('Turns of one loop'),
  stalls: limit().describe('Turns in a row without a signal and without progress'),
  repetitions: limit().describe('Times that the same turns may come in a row'),
  updateRepeats: limit().describe('Turns in a row with the same update and without progress'),
})

const judge = operation({
  name: 'turn.judge',
  summary: 'Whether a loop goes on, has made a claim, or must stop, from the facts of its turns',
  when: 'Use between the turns of a loop of your own, to end it as QED would.',
  effect: 'read',
  mcp: 'full',
  input: z.strictObject({
    turns: z
      .array(
        z.strictObject({
          text: z.string().default('').describe('What the model said beside its calls'),
          calls: z
            .array(
              z.strictObject({
                name: z.string(),
                arguments: z.record(z.string(), z.json()).default({}),
                effect: z.enum(['read', 'write', 'execute']),
                ok: z.boolean().describe('It ran and did not fail'),
              }),
            )
            .default([]),
          signals: z.array(z.strictObject({ status: z.int(), text: z.string().default('') })).default([]),
        }),
      )
      .min(1)
      .max(10_000)
      .describe('All turns of the loop, oldest first; the last one is judged'),
    limits: limits.optional().describe('Instead of the settings under limits'),
  }),
  output: () =>
    z.strictObject({
      verdict: z.enum(['continue', 'claim', 'stop']),
      reason: z.enum(['max_turns', 'loop_detected', 'stalled', 'declined']).optional(),
      notice: z.string().optional(),
      silent: z.literal(true).optional(),
    }),
  examples: [`turn judge --turns '[{"text":"Done.","calls":[],"signals":[]}]' --json`],
  run: (app, input) => {
    const set = limits.parse(getSetting(app.configPlaces(), 'limits').value)
    return judgeTurn(input.turns, { ...set, ...input.limits })
  },
  human: ({ verdict, reason, notice, silent }, paint) =>
    [
      `${paint.bold(verdict)}${reason === undefined ? '' : `  ${reason}`}${silent ? '  silent' : ''}`,
      ...(notice === undefined ? [] : [paint.dim(visibleLine(notice))]),
    ].join('\n'),
})

export const operations = [judge] as const
