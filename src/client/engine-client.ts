import type { EngineCommandKind } from '../engine/types.ts'
import { EngineReply } from '../engine/wire/request.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import type { EngineLoopClient, EngineLoopMessage, EngineLoopResponse } from '../kernel/frames.ts'
import { isPlainObject, parseJson } from '../kernel/json.ts'
import { readRetryAfter } from '../models/retry/retry-after.ts'

export interface EngineClientOptions {
  /** Address of a running `qed serve`. */
  url: string
  token: string
  command?: EngineCommandKind
  model?: string
  clock?: Clock
}

type ErrorCode = Extract<EngineLoopResponse, { stop: 'error' }>['code']

/** Asks a model through `POST /api/engine` of a server. Never rejects. */
export function createEngineClient({ url, token, command, model, clock = systemClock }: EngineClientOptions): EngineLoopClient {
  return {
    send: async (messages, tools, { personaSlug, maxTokens, temperature, signal }) => {
      try {
        const response = await fetch(new URL('/api/engine', url), {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            personaSlug,
            messages,
            tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
            command,
            model,
            maxTokens,
            temperature,
          }),
          ...(signal && { signal }),
        })
        const body = parseJson(await response.text())
        return response.ok ? toAnswer(body) : toError(response, body, clock)
      } catch (error) {
        return failed(error instanceof Error ? messageOf(error) : String(error))
      }
    },
  }
}

function toAnswer(body: unknown): EngineLoopResponse {
  const parsed = EngineReply.safeParse(body)
  if (!parsed.success) return failed('The server answered with something that is no turn.')
  const { stop, content, toolCalls = [], rejected = [], tokensUsed, usage } = parsed.data
  const calls = [...toolCalls, ...rejected.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }))]
  const assistantMessage: EngineLoopMessage = { role: 'assistant', content, ...(calls.length > 0 && { toolCalls: calls }) }
  const common = {
    assistantMessage,
    tokensUsed,
    ...(rejected.length > 0 && { rejected: rejected.map(({ id, message }) => ({ id, message })) }),
    ...(usage && { usage }),
  }
  if (stop === 'length') return { stop: 'text', content, truncated: true, ...common }
  return stop === 'tool_use' ? { stop, ...common } : { stop, content, ...common }
}

const BY_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'auth_missing'],
  [403, 'auth_missing'],
  [404, 'endpoint_missing'],
  [405, 'endpoint_missing'],
  [501, 'endpoint_missing'],
  [429, 'rate_limited'],
])
/** What a loop can do something about is said by its own code, whatever the status. */
const OWN_CODES: ReadonlySet<string> = new Set(['budget', 'context_overflow'] satisfies ErrorCode[])

function toError({ status, headers }: Response, body: unknown, clock: Clock): EngineLoopResponse {
  const error = isPlainObject(body) && isPlainObject(body['error']) ? body['error'] : {}
  const said = typeof error['code'] === 'string' ? error['code'] : ''
  const message = typeof error['message'] === 'string' ? error['message'] : `The server answered with ${status}.`
  if (status === 403 && said === 'tool_refused') return failed(message)
  const code = BY_STATUS.get(status) ?? (OWN_CODES.has(said) ? (said as ErrorCode) : 'failed')
  const own = error['retryAfterMs']
  const wait = typeof own === 'number' ? own : readRetryAfter({ 'retry-after': headers.get('retry-after') ?? undefined }, clock.now())
  return { stop: 'error', code, message, ...(wait !== undefined && { retryAt: new Date(clock.now() + wait).toISOString() }) }
}

function failed(message: string): EngineLoopResponse {
  return { stop: 'error', code: 'failed', message }
}

// fetch itself says only "fetch failed".
function messageOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message
}
