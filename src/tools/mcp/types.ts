import type { RunId } from '../../kernel/ids.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Processes, ProcessSpec } from '../../sandbox/process/types.ts'

// What a run knows of MCP servers. The SDK behind it is loaded with the first connection.

/** What servers need of the run that starts them. */
export interface McpSurroundings {
  run: RunId
  root: string
  signal: AbortSignal
  processes: Pick<Processes, 'run'>
  /** What a process of this run may write and see. */
  walls: Pick<ProcessSpec, 'writable' | 'profile' | 'layers'>
  /** Values of the variables that a server may see; names that hold credentials or steer programs are left out. */
  env: (names: readonly string[]) => Record<string, string>
  key: (source: { env: string } | { vault: string }) => Promise<string>
  /** Null where policy and person let this server have the secret, else the reason. */
  refusedSecret: (name: string, server: string) => Promise<string | null>
  /** Takes out what looks like a secret, and these values. */
  redact: (text: string, values: readonly string[]) => string
  /** How long a server may take until it answers at all; half a minute where nothing is said. */
  connectMs?: number
}

/** A tool as its server describes it: words of another program, data and not orders. */
export interface McpTool {
  server: string
  name: string
  description: string
  schema: JsonObject
  /** The server says that it changes nothing; nobody else can tell. */
  readOnly: boolean
}

/** What a call came to, as text for a model. */
export interface McpResult {
  ok: boolean
  text: string
}

/** One server that answers. Every method throws `McpFailure` and nothing else. */
export interface McpConnection {
  tools: () => Promise<McpTool[]>
  /** Throws where the arguments do not fit; the server hears nothing of it. */
  check: (tool: McpTool, input: JsonObject) => void
  call: (tool: McpTool, input: JsonObject) => Promise<McpResult>
  /** Ends the server where it is a process of the run. */
  close: () => Promise<void>
}

/** Why a server did not do what was asked. */
export type FailureKind =
  /** It could not be started or reached; nothing happened. */
  | 'unavailable'
  /** It ended or broke off in the middle; nobody knows what it did. */
  | 'gone'
  | 'timeout'
  | 'aborted'
  /** The arguments do not fit the tool. */
  | 'arguments'
  /** It answered that it cannot, or with what is no answer. */
  | 'answer'

export class McpFailure extends Error {
  override readonly name = 'McpFailure'
  readonly kind: FailureKind
  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
