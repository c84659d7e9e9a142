import type { Processes } from '../sandbox/process/types.ts'

/** What the steps work with: a temporary repository, and the real program. */
export interface Stage {
  repository: string
  env: Readonly<Record<string, string | undefined>>
  /** The command that starts QED. */
  self: string[]
  processes: Processes
  signal: AbortSignal
}
