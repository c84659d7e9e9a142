import * as z from 'zod'
import { tool } from './tool.ts'

const MARKS = { open: '[ ]', doing: '[>]', done: '[x]' } as const

export const todo = tool({
  name: 'todo',
  description: 'Keep a list of steps for longer work; each call replaces the list.',
  effect: 'read',
  input: () =>
    z.strictObject({ items: z.array(z.strictObject({ text: z.string().min(1), status: z.enum(['open', 'doing', 'done']) })).max(50) }),
  ask: () => null,
  prepare: ({ items }) => ({
    act: () =>
      Promise.resolve({ ok: true, text: items.map(({ text, status }) => `${MARKS[status]} ${text}`).join('\n') || 'The list is empty.' }),
  }),
})
