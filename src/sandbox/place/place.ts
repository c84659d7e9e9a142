import * as z from 'zod'

/** What is kept about a place beside it. */
export const PlaceFile = () =>
  z.strictObject({
    run: z.string(),
    kind: z.enum(['worktree', 'clone']),
    base: z.string(),
    made_at: z.string(),
    ended_at: z.string().nullable(),
    /** What it takes on the disk, looked at when its run ended. */
    bytes: z.int().nullable().default(null),
    /** Folders of build output that git ignores, relative to the place. */
    outputs: z.array(z.string()),
    /** Submodules whose commits are not on this machine. */
    empty_submodules: z.array(z.string()),
    /** What of the prepared layer was copied in, relative to the place. */
    layer: z.array(z.string()).default([]),
    /** What of it is shown to the processes of the place. */
    layers: z.array(z.strictObject({ from: z.string(), to: z.string() })).default([]),
  })
export type PlaceFile = z.infer<ReturnType<typeof PlaceFile>>

/** The folder in which one run works, and its scratch folder. Never shared, never used again. */
export interface Place extends PlaceFile {
  path: string
  scratch: string
}
