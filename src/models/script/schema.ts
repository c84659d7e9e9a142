import * as z from 'zod'

// A script that a model plays: interfaces.md, "Scripted model". Strict, so that a misspelt key is told and not ignored.

const Call = z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()).default({}) })

const Reply = {
  text: z.string().optional(),
  thinking: z.string().optional(),
  calls: z.array(Call).optional(),
  /** The reply as plain text, for dialects. */
  raw: z.string().optional(),
  error: z
    .strictObject({ status: z.int().min(400).max(599), retry_after: z.number().nonnegative().optional(), message: z.string().optional() })
    .optional(),
  delay_ms: z.int().nonnegative().max(600_000).optional(),
  usage: z.strictObject({ input: z.int().nonnegative(), output: z.int().nonnegative() }).optional(),
}

export const ScriptReply = z.strictObject(Reply)
const ScriptTurn = z.strictObject({
  ...Reply,
  when: z.strictObject({ sees: z.string().min(1), times: z.int().positive().default(1) }).optional(),
})
const Script = z.strictObject({ turns: z.array(ScriptTurn), otherwise: ScriptReply.optional() })
export const ScriptFile = z.strictObject({ $schema: z.string().optional(), scripts: z.record(z.string().min(1), Script) })

export type ScriptReply = z.infer<typeof ScriptReply>
export type Script = z.infer<typeof Script>
