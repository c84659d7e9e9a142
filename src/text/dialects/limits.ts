/** What is read of one reply; the rest is cut off. */
export const MOST_BYTES = 1_048_576
export const MOST_CALLS = 50
/** Characters of a path that a call names. */
export const MOST_TARGET = 512
/** Deeper values are refused: nobody calls a tool with them, and everything after us walks values by recursion. */
export const MOST_DEPTH = 200
/** Characters of one opening tag in a model provider's notation. */
export const MOST_TAG = 1_000
/** How far into broken arguments a name is looked for. */
export const MOST_HEAD = 2_000
