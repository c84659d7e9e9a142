import type { IsolationInForce } from '../../kernel/isolation.ts'
import type { Mark } from './mark.ts'
import type { ProcessSpec, SecretUse } from './types.ts'

/** A secret with its value, on its way to one process. */
export interface GivenSecret {
  use: SecretUse
  value: string
}

/** What is really started for a spec. */
export interface ReadyLaunch {
  kind: 'ready'
  argv: string[]
  cwd: string
  env: Record<string, string>
  umask: '0022' | '0077'
  /** Contents for descriptors that bubblewrap reads. */
  files: Uint8Array[]
  /** Inside a pid namespace of its own, started by bubblewrap. */
  namespaced: boolean
  /** Values that must not be seen in its output. */
  secrets: string[]
  isolation: IsolationInForce
}

export interface RefusedLaunch {
  kind: 'refused'
  error: { code: string; message: string }
  isolation: IsolationInForce | null
}

/** Puts the walls of a profile around a process, or says why it cannot. Starts nothing. May throw what the vault or the disk
 *  throws; nothing was started then. */
export type Isolate = (spec: ProcessSpec, mark: Mark) => Promise<ReadyLaunch | RefusedLaunch>
