import * as z from 'zod'

/** A text in the log: itself, or where it is kept when it is long. */
export const KeptText = () => z.union([z.string(), z.strictObject({ blob: z.string(), bytes: z.int(), preview: z.string() })])
export type KeptText = z.infer<ReturnType<typeof KeptText>>
