import type { Proof } from '../../../src/proof/proof.ts'
import type { ProveProgress } from '../../../src/proof/prove.ts'
import type { Proofs, Proven } from '../../../src/proof/service/proofs.ts'
import type { ProveRunRequest } from '../../../src/proof/service/prove-run.ts'
import type { ProofScope, VerifyCommand } from '../../../src/proof/terms.ts'
import type { ProcessOutcome } from '../../../src/sandbox/process/types.ts'
import type { Files, StackName } from './stacks.ts'

/** `sandbox`: bubblewrap around everything. `bare`: no walls at all, as with `isolation.require: none`. */
export type Mode = 'sandbox' | 'bare'

/** What a scripted worker can do. */
export interface Worker {
  mode: Mode
  /** Its place, the project's main checkout, the person's home, and a folder outside of all of them. */
  place: string
  root: string
  home: string
  outside: string
  base: { commit: string; tree: string }
  /** Edits files of the place, as an edit tool of the engine does. */
  write: (files: Files) => void
  /** Replaces a text that must be there. */
  edit: (path: string, from: string, to: string) => void
  /** The honest work of the stack. */
  fix: () => void
  /** Runs a command as the run. */
  sh: (command: string) => Promise<ProcessOutcome>
  /** Starts one that goes on. */
  start: (command: string) => void
  read: (path: string) => string
}

export interface Seen {
  proof: Proof
  lines: string[]
  worker: Worker
  proofs: Proofs
  /** Proves the place once more. */
  again: () => Promise<Proven>
}

export interface Row {
  id: string
  what: string
  stack: StackName
  /** Default: with the sandbox alone, for work that only edits files. */
  modes?: readonly Mode[]
  /** Laid over the files of the stack. */
  base?: Files
  /** Written into the main checkout and not committed. */
  checkout?: Record<string, string>
  command?: Partial<VerifyCommand>
  scope?: Partial<ProofScope>
  gates?: string[]
  include?: string[]
  act: (worker: Worker) => unknown
  given?: Partial<ProveRunRequest>
  during?: (event: ProveProgress, worker: Worker) => void
  /** A lie: these findings must be among those of a proof that is not proven. None: `holds` alone tells. */
  caught?: readonly string[] | Readonly<Record<Mode, readonly string[]>>
  /** The mechanism: why it does not hold, or null. */
  holds?: (seen: Seen) => string | null | Promise<string | null>
  /** Honest work of which the table says that a review is asked for. */
  reviews?: readonly string[]
}

export const BOTH: readonly Mode[] = ['sandbox', 'bare']
