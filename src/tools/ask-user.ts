import * as z from 'zod'
import { ToolError, tool } from './tool.ts'

/** Puts a question to the person; null where nobody can answer. */
export type AskPerson = (question: string, signal: AbortSignal) => Promise<string | null>

export const askUser = (ask: AskPerson) =>
  tool({
    name: 'ask_user',
    description: 'Ask the person one short question when you cannot go on without the answer.',
    effect: 'read',
    input: () => z.strictObject({ question: z.string().min(1).max(2_000) }),
    ask: () => null,
    prepare: ({ question }, { signal }) => ({
      act: async () => {
        const answer = await ask(question, signal)
        if (answer === null) throw new ToolError('Nobody is there to answer. Decide yourself and say what you assumed.')
        return { ok: true, text: answer }
      },
    }),
  })
