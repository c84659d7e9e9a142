// One connection through the official SDK. Loaded with the first server that a run needs, and only then.
import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import {
  Client,
  INVALID_PARAMS,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import type { JsonObject } from '../../kernel/json.ts'
import { version } from '../../kernel/version.ts'
import { compileWildcard } from '../../policy/patterns/wildcard.ts'
import type { McpServer } from '../../project/mcp-servers.ts'
import type { ProcessOutcome } from '../../sandbox/process/types.ts'
import { resultText } from './result-text.ts'
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts'
import { type McpConnection, McpFailure, type McpSurroundings, type McpTool } from './types.ts'

const CONNECT_MS = 30_000
/** A server of an older protocol may not answer the first question at all. */
const PROBE_MS = 5_000
const MOST_TOOLS = 1_000
/** Nothing that lives longer than the longest process. */
const MOST_LIFE_MS = 3_600_000

export async function connect(server: McpServer, around: McpSurroundings): Promise<McpConnection> {
  const secrets: string[] = []
  const redact = (text: string): string => around.redact(text, secrets)
  const { at } = server
  const open = at.kind === 'http' ? await httpOpener(at, around, secrets) : await processOpener(at, server.name, around, secrets)
  const { client, transport } = await opened(server, open, { signal: around.signal, redact, connectMs: around.connectMs ?? CONNECT_MS })
  const failed = (error: unknown): McpFailure => failureOf(error, { server, transport, redact, signal: around.signal })
  const options = { signal: around.signal, timeout: server.timeoutMs }
  const validator = new AjvJsonSchemaValidator()
  return {
    tools: async () => {
      // The SDK would print to stdout where a server has no tools at all.
      if (!client.getServerCapabilities()?.tools) return []
      const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'refresh' }).catch(thrown(failed))
      const isOffered = server.tools.map(pattern => compileWildcard(pattern, { classes: false }))
      return tools
        .filter(({ name }) => isOffered.some(fits => fits(name)))
        .slice(0, MOST_TOOLS)
        .map(({ name, title, description, inputSchema, annotations }) => ({
          server: server.name,
          name,
          description: redact(description ?? title ?? annotations?.title ?? ''),
          schema: inputSchema as JsonObject,
          readOnly: annotations?.readOnlyHint === true,
        }))
    },
    check: (tool, input) => check(validator, tool, input),
    call: async ({ name, schema }, input) => {
      // Told to the SDK without its output schema: what comes back is text for a model, and is not refused for its shape.
      const toolDefinition = { name, inputSchema: schema as Tool['inputSchema'] }
      const result = await client.callTool({ name, arguments: input }, { ...options, toolDefinition }).catch(thrown(failed))
      return { ok: result.isError !== true, text: redact(resultText(result)) }
    },
    close: () => client.close().catch(() => undefined),
  }
}

/** A schema that nobody can read is left to the server itself. */
function check(validator: AjvJsonSchemaValidator, { schema }: McpTool, input: JsonObject): void {
  let judge: ReturnType<typeof validator.getValidator>
  try {
    judge = validator.getValidator(schema)
  } catch {
    return
  }
  const { valid, errorMessage } = judge(input)
  if (!valid) throw new McpFailure('arguments', errorMessage ?? 'they do not fit')
}

type Opener = () => Transport | StdioTransport

async function processOpener(
  at: McpServer['at'] & { kind: 'process' },
  server: string,
  { processes, walls, run, root, env, signal, key, refusedSecret }: McpSurroundings,
  secrets: string[],
): Promise<Opener> {
  for (const name of at.secrets) {
    const refused = await refusedSecret(name, server)
    if (refused !== null) throw new McpFailure('unavailable', `it may not have the secret ${name}: ${refused}`)
    secrets.push(await had(key({ vault: name })))
  }
  return () =>
    createStdioTransport(processes, {
      ...walls,
      network: at.network ? 'host' : 'off',
      argv: at.command,
      cwd: at.cwd === null ? root : resolve(root, at.cwd),
      env: env(at.env),
      secrets: at.secrets.map(name => ({ name, as: { env: name } })),
      timeout_ms: MOST_LIFE_MS,
      keep: { head: 0, tail: 4_096 },
      run_id: run,
      signal,
    })
}

async function httpOpener(at: McpServer['at'] & { kind: 'http' }, { key }: McpSurroundings, secrets: string[]): Promise<Opener> {
  const value = at.key === null ? null : await had(key(at.key))
  if (value !== null) secrets.push(value)
  const requestInit = value === null ? {} : { headers: { authorization: `Bearer ${value}` } }
  return () => new StreamableHTTPClientTransport(new URL(at.url), { requestInit, fetch: boundedFetch })
}

/** An answer without end is broken off, as that of a process is. */
const boundedFetch: typeof fetch = async (address, init) => {
  const response = await fetch(address, init)
  if (response.body === null) return response
  let bytes = 0
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, out) => {
      bytes += chunk.byteLength
      if (bytes <= STDIO_DEFAULT_MAX_BUFFER_SIZE) out.enqueue(chunk)
      else out.error(new Error(`it gave more than ${STDIO_DEFAULT_MAX_BUFFER_SIZE} bytes`))
    },
  })
  return new Response(response.body.pipeThrough(bounded), response)
}

/** A secret that cannot be had (no vault, no such name) is a reason why the server cannot be used. */
function had(value: Promise<string>): Promise<string> {
  return value.catch((error: unknown) => {
    throw new McpFailure('unavailable', messageOf(error), { cause: error })
  })
}

interface Opened {
  client: Client
  transport: Transport | StdioTransport
}

interface Watch {
  signal: AbortSignal
  redact: (text: string) => string
}

interface Start extends Watch {
  connectMs: number
}

async function opened(server: McpServer, open: Opener, watch: Start, mode: 'auto' | 'legacy' = 'auto'): Promise<Opened> {
  const transport = open()
  const timeoutMs = server.at.kind === 'process' ? Math.min(PROBE_MS, watch.connectMs) : watch.connectMs
  const versionNegotiation = mode === 'auto' ? { mode, probe: { timeoutMs } } : { mode }
  const client = new Client({ name: 'qed', version }, { versionNegotiation })
  try {
    await client.connect(transport, { signal: watch.signal, timeout: watch.connectMs })
    return { client, transport }
  } catch (error) {
    await transport.close().catch(() => undefined)
    // Some servers of older protocols leave when they hear a question before the greeting; a new process is greeted in their way.
    if (mode === 'auto' && leftAtProbe(error, transport)) return opened(server, open, watch, 'legacy')
    throw unavailable(error, { server, transport, ...watch })
  }
}

function leftAtProbe(error: unknown, transport: Transport | StdioTransport): boolean {
  return isSdk(error, SdkErrorCode.EraNegotiationFailed) && endOf(transport)?.reason === 'exited'
}

interface At extends Watch {
  server: McpServer
  transport: Transport | StdioTransport
}

function unavailable(error: unknown, at: At & Start): McpFailure {
  if (at.signal.aborted) return new McpFailure('aborted', 'The run was stopped.', { cause: error })
  if (isUnauthorized(error)) return new McpFailure('unavailable', `it wants a key that fits (mcp.${at.server.name}.key)`, { cause: error })
  return new McpFailure('unavailable', at.redact(whyNotStarted(error, at)), { cause: error })
}

function whyNotStarted(error: unknown, at: At & Start): string {
  const end = endOf(at.transport)
  // Ended by QED itself, because it did not answer.
  if (end?.reason === 'aborted' || isSdk(error, SdkErrorCode.RequestTimeout))
    return withWords(`it did not answer within ${at.connectMs / 1_000} s`, end)
  if (end?.reason === 'not-started') return `it could not be started: ${end.error?.message ?? 'unknown reason'}${outOfSight(at.server)}`
  return endText(at) ?? messageOf(error)
}

/** A program that the person sees may be hidden from what a run starts. */
function outOfSight({ at }: McpServer): string {
  const [program = ''] = at.kind === 'process' ? at.command : []
  return isAbsolute(program) && existsSync(program)
    ? ' It is on this machine, but hidden from runs: install it in the project or the system, or name its folder in sandbox.home_read.'
    : ''
}

const UNREADABLE = 'it gave an answer that is not valid MCP, which was left out. The tool may have acted; check before repeating it.'

function failureOf(error: unknown, at: At): McpFailure {
  const seconds = at.server.timeoutMs / 1_000
  if (at.signal.aborted) return new McpFailure('aborted', 'The run was stopped.', { cause: error })
  if (isSdk(error, SdkErrorCode.RequestTimeout)) return new McpFailure('timeout', `it did not answer within ${seconds} s`, { cause: error })
  const ended = endText(at)
  if (ended !== null) return new McpFailure('gone', at.redact(ended), { cause: error })
  // The tool has answered, so it has acted; what it said cannot be read.
  if (isSdk(error, SdkErrorCode.InvalidResult)) return new McpFailure('answer', UNREADABLE, { cause: error })
  if (error instanceof ProtocolError) {
    const kind = error.code === INVALID_PARAMS ? 'arguments' : 'answer'
    return new McpFailure(kind, at.redact(error.message), { cause: error })
  }
  const kind = at.server.at.kind === 'http' && !(error instanceof SdkError) ? 'gone' : 'answer'
  return new McpFailure(kind, at.redact(messageOf(error)), { cause: error })
}

/** How the process ended, with its last words; null while it runs, or where there is none. */
function endText({ transport }: At): string | null {
  const end = endOf(transport)
  if (end === null) return null
  const { reason, exit, signal, error } = end
  const how =
    error?.message ?? (reason === 'exited' ? `it exited with ${exit}` : reason === 'signalled' ? `it was ended by ${signal}` : reason)
  return withWords(how, end)
}

function withWords(how: string, end: ProcessOutcome | null): string {
  const words = end?.stderr.text.trim() ?? ''
  return words === '' ? how : `${how}. Its last words:\n${words}`
}

function endOf(transport: Transport | StdioTransport): ProcessOutcome | null {
  return 'outcome' in transport ? transport.outcome() : null
}

function isSdk(error: unknown, code: SdkErrorCode): boolean {
  return error instanceof SdkError && error.code === code
}

function isUnauthorized(error: unknown): boolean {
  return (
    error instanceof UnauthorizedError ||
    isSdk(error, SdkErrorCode.ClientHttpAuthentication) ||
    isSdk(error, SdkErrorCode.ClientHttpForbidden)
  )
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? messageOf(error.cause) : ''
  return cause === '' || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`
}

const thrown =
  (failed: (error: unknown) => McpFailure) =>
  (error: unknown): never => {
    throw failed(error)
  }
