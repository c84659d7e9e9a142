import * as z from 'zod'
import { tool } from './tool.ts'

export const update = tool({
  name: 'update',
  description:
    'Say where the work stands, with each turn. status: 102 going on, 200 done, 204 nothing to do, 422 cannot be done (say why).',
  effect: 'read',
  input: () => z.strictObject({ status: z.int().default(102), body: z.string().default('') }),
  ask: () => null,
  prepare: () => ({ act: () => Promise.resolve({ ok: true, text: 'Noted.' }) }),
})
