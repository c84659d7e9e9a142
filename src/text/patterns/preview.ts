const MOST_LISTED = 200

/** What a call with a pattern would touch: one `path (tokens)` per line, by path, and how many more there are. */
export function previewLines(touched: readonly { path: string; tokens: number }[]): string[] {
  const sorted = [...touched].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const listed = sorted.slice(0, MOST_LISTED).map(({ path, tokens }) => `${path} (${tokens})`)
  const rest = sorted.length - listed.length
  return rest > 0 ? [...listed, `and ${rest} more`] : listed
}
