import type { Clock } from '../../kernel/clock.ts'
import type { ReadShell } from '../../policy/shell-port.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { EventLog } from '../../store/event-log.ts'

/** What the proof room needs from the rest of the house. */
export interface ProofPorts {
  cwd: string
  /** The person's own data folder: keys and trust. */
  personal: string
  clock: Clock
  sandbox: Sandbox
  readShell: ReadShell
  redact: (text: string) => string
  /** Where the repository is a project: its id, its log and its settings. */
  project: ProofProject | null
  /** Policy's word on a command that prepares dependencies. A built-in one is part of what the caller ordered. */
  mayPrepare: (command: string) => Promise<boolean>
  /** The person's own ignore file; undefined where they have none. */
  excludes: string | undefined
  /** Whether a program is on the PATH. */
  isInstalled: (program: string) => boolean
}

interface ProofProject {
  id: string
  log: EventLog
  /** Ignored files that every place gets. */
  include: readonly string[]
  /** Whether the person trusts a config file with this digest. */
  isTrusted: (digest: string) => Promise<boolean>
}
