import * as z from 'zod'

/** One path as it was. Names are kept, contents only as digests. */
const ScopeEntry = () =>
  z.strictObject({
    path: z.string(),
    kind: z.enum(['file', 'link', 'folder', 'other']),
    /** Permission bits. */
    mode: z.int(),
    size: z.int(),
    /** How many names a file has. */
    links: z.int(),
    /** Time of the last change of anything and of the content, in nanoseconds. */
    times: z.string(),
    /** Of the content, or of where a link leads; none where only the times are looked at. */
    sha256: z.string().optional(),
    /** Git ignores it and the base does not hold it. */
    ignored: z.literal(true).optional(),
  })
export type ScopeEntry = z.infer<ReturnType<typeof ScopeEntry>>

// Lists and not objects: a worker chooses the names, and an object has members of its own.
const Entries = () => z.array(ScopeEntry())
const Pairs = () => z.array(z.tuple([z.string(), z.string()]))

const GitState = () =>
  z.strictObject({
    /** Files of the git folder that change what git does, with their digests. */
    files: Pairs(),
    /** What each ref means; also `HEAD` of the checkout. */
    refs: Pairs(),
    /** Heads of the other worktrees, by name. */
    worktrees: Pairs(),
    /** Paths that the index of the place hides from git; null where the index cannot be read. */
    index_flags: z.array(z.string()).nullable(),
    /** The place's own pointer to its git folder; null where it has none or is a repository by itself. */
    pointer: z.string().nullable(),
  })
export type GitState = z.infer<ReturnType<typeof GitState>>

/** F-5: everything around the work at one moment, as it is kept in a bundle. */
export const ScopeSnapshot = () =>
  z.strictObject({
    version: z.literal(1),
    at: z.string(),
    /** Relative to the place. */
    place: Entries(),
    /** Relative to the main checkout; null where the work is done in it. */
    checkout: z.strictObject({ root: z.string(), entries: Entries() }).nullable(),
    git: GitState(),
    /** By absolute path. */
    outside: Entries(),
  })
export type ScopeSnapshot = z.infer<ReturnType<typeof ScopeSnapshot>>
