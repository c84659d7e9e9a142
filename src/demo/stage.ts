/** What the steps work with: a temporary repository, and the real program. */
export interface Stage {
  repository: string
  env: Readonly<Record<string, string | undefined>>
  /** The command that starts QED. */
  self: string[]
  signal: AbortSignal
}
