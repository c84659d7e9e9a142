import * as z from 'zod'
import { operation } from '../operation.ts'

const ping = operation({
  name: 'system.ping',
  summary: 'Answers at once; shows that the other side is there',
  effect: 'read',
  mcp: 'never',
  input: z.strictObject({}),
  output: () => z.strictObject({}),
  examples: ['system ping --json'],
  run: () => ({}),
  human: (_, paint) => `${paint.good(paint.glyph.ok)} here`,
})

export const operations = [ping] as const
