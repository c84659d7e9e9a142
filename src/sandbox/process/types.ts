import type { Readable } from 'node:stream'
import type { RunId } from '../../kernel/ids.ts'
import type { IsolationInForce } from '../../kernel/isolation.ts'

/** What a process is for; each has its own walls. `own` are QED's own tools (git, bubblewrap), which run without any. */
export const PROFILES = ['worker', 'proof', 'gate', 'prepare', 'advisor', 'dry-run', 'own'] as const
export type Profile = (typeof PROFILES)[number]

/** What a process may write. Patterns are relative to the place. */
interface Writable {
  /** The folder it works in: a run's place, a proof place (which lies outside the project), or the checkout. */
  place?: string
  /** The patterns of `files_owned`. */
  owned?: string[]
  /** Folders of build output, relative to the place. */
  outputs?: string[]
  scratch?: string
  /** Where preparation puts the layer. */
  layer?: string
  /** Files inside the owned scope that stay as they are, relative to the place. */
  protected?: string[]
  /** The place is a private clone whose own git folder may be written. */
  commits?: boolean
}

/** A folder of the prepared layer, shown read-only inside the place. */
export interface LayerMount {
  /** Absolute, in the layer. */
  from: string
  /** Relative to the place; an empty folder or none. */
  to: string
}

/** For this run; for this project on this machine; not at all. */
type Consent = 'once' | 'project' | 'no'
export type AskConsent = (what: readonly string[]) => Promise<Consent>

export interface SecretUse {
  name: string
  as: { env: string } | { file: string }
}

export interface ProcessSpec {
  argv: string[] | { shell: string }
  cwd: string
  profile: Profile
  writable: Writable
  /** What preparation made, shown inside the place. */
  layers?: readonly LayerMount[]
  /** Added to the environment that is built from nothing. */
  env: Record<string, string>
  /** All of it at once, or as it comes. */
  stdin?: Uint8Array | Readable
  timeout_ms: number
  /** Ends the process when it printed nothing for so long. */
  silent_ms?: number
  keep: { head: number; tail: number }
  secrets?: SecretUse[]
  run_id: RunId
  /** Outlives the turn that started it: does not wait for a slot, ends with the run at the latest. */
  background?: boolean
  /** Others like it will follow: walls are used again, or made beforehand. */
  series?: boolean
  network?: 'off' | 'host'
  /** Asks the person of this run whether it may go on without walls, showing what would not hold. */
  consent?: AskConsent
  signal?: AbortSignal
  /** Gets redacted text only. */
  onOutput?(stream: 'stdout' | 'stderr', text: string): void
  /** Takes stdout as bytes instead of keeping it. Nothing is redacted: for QED's own tools, and for a protocol whose reader takes
   *  secrets out of what it reads. One that throws ends the process. */
  onBytes?(chunk: Buffer): void
}

export type EndReason = 'exited' | 'signalled' | 'timeout' | 'silent' | 'output-limit' | 'aborted' | 'not-started'

export interface ProcessRef {
  pid: number
  command: string
}

/** One stream as it is kept: redacted, its middle left out where it was long. `bytes` and `sha256` are of the whole. */
export interface Captured {
  text: string
  bytes: number
  sha256: string
  cut: boolean
  file?: string
}

export interface ProcessOutcome {
  reason: EndReason
  exit: number | null
  signal: string | null
  stdout: Captured
  stderr: Captured
  started_at: string
  duration_ms: number
  /** What the process had left behind and QED ended. */
  ended: ProcessRef[]
  /** How many it had left that were ended with the walls around them, where nobody saw their names. */
  left_running?: number
  /** What is still there after every way of ending was tried. */
  escaped: ProcessRef[]
  isolation: IsolationInForce
  error?: { code: string; message: string }
}

export interface RunningProcess {
  pid: number
  run_id: RunId
  command: string
  started_at: string
  background: boolean
}

/** Starts processes; nothing else in QED does. `run` never rejects because of what a process did: the outcome says it. When it
 *  settles, no process that it started is left, on any way out, or the ones that are stand in `escaped`. */
export interface Processes {
  run: (spec: ProcessSpec) => Promise<ProcessOutcome>
  /** Makes the walls for the first of a series that is likely to come. Never rejects. */
  expect: (spec: ProcessSpec) => Promise<void>
  running: () => RunningProcess[]
  /** Ends every process of a run and looks again until none is left or the time for it is over. */
  endRun: (run: RunId) => Promise<{ ended: ProcessRef[]; escaped: ProcessRef[] }>
  /** Ends what a QED that was killed has left behind. To be called once, at the start. */
  endLeftovers: () => Promise<{ ended: ProcessRef[]; escaped: ProcessRef[] }>
}

export const LIMITS = {
  timeoutMs: 120_000,
  mostTimeoutMs: 3_600_000,
  graceMs: 2_000,
  lookMs: 5_000,
  drainMs: 500,
  mostOutputBytes: 64 << 20,
  mostFileBytes: 8 << 20,
  keepBytes: 32 << 10,
  atOnce: 8,
} as const

/** How much a tool call keeps of each stream. */
export const TOOL_KEEP = { head: LIMITS.keepBytes, tail: LIMITS.keepBytes }
