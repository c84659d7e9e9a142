import * as z from 'zod'

/** What is kept about a place beside it. */
export const PlaceFile = () =>
  z.strictObject({
    run: z.string(),
    kind: z.enum(['worktree', 'clone']),
    base: z.string(),
    made_at: z.string(),
    ended_at: z.string().nullable(),
    /** Folders of build output that git ignores, relative to the place. */
    outputs: z.array(z.string()),
    /** Submodules whose commits are not on this machine. */
    empty_submodules: z.array(z.string()),
  })
export type PlaceFile = z.infer<ReturnType<typeof PlaceFile>>

/** The folder in which one run works, and its scratch folder. Never shared, never used again. */
export interface Place extends PlaceFile {
  path: string
  scratch: string
}
