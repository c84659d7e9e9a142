import { isPlainObject, parseJson } from '../kernel/json.ts'
import { type FailureKind, ModelFailed } from './failure.ts'
import { isOverflow } from './overflow.ts'
import { readRetryAfter } from './retry/retry-after.ts'

const BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'auth'],
  [403, 'auth'],
  [404, 'missing'],
  [405, 'missing'],
  [408, 'gateway'],
  [429, 'rate'],
  [500, 'server'],
  [501, 'missing'],
  [502, 'gateway'],
  [503, 'gateway'],
  [504, 'gateway'],
  [529, 'server'],
])

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

const LOADING = /\b(model is (still )?loading|currently loading|loading model)\b/i

/** What a model provider's library threw, as one of ours. */
export function classify(thrown: unknown, { now, signal }: { now: number; signal?: AbortSignal | undefined }): ModelFailed {
  if (thrown instanceof ModelFailed) return thrown
  if (signal?.aborted || isAbort(thrown)) return new ModelFailed('aborted', 'The request was stopped.', { cause: thrown })
  const { status, headers, body } = apiFacts(thrown)
  const message = messageOf(thrown, body)
  const about = { status, cause: thrown, retryAfterMs: readRetryAfter(headers, now) }
  if (isOverflow(status, message)) return new ModelFailed('overflow', message, about)
  if (LOADING.test(message)) return new ModelFailed('rate', message, about)
  if (status !== undefined) return new ModelFailed(BY_STATUS.get(status) ?? (status >= 500 ? 'server' : 'request'), message, about)
  if (connectionCode(thrown) !== undefined) return new ModelFailed('gateway', `${message} (${connectionCode(thrown)})`, about)
  // No status and no broken connection: what came back could not be read.
  return new ModelFailed('server', message, about)
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === 'AbortError' || thrown.name === 'ResponseAborted')
}

interface ApiFacts {
  status?: number | undefined
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

// By its fields, not its class: each provider's bundle brings a class of its own.
function apiFacts(thrown: unknown): ApiFacts {
  if (!isPlainObject(thrown)) return { headers: {}, body: '' }
  const { statusCode, responseHeaders, responseBody } = thrown
  return {
    status: typeof statusCode === 'number' ? statusCode : undefined,
    headers: isPlainObject(responseHeaders) ? (responseHeaders as Record<string, string | undefined>) : {},
    body: typeof responseBody === 'string' ? responseBody : '',
  }
}

const MOST_MESSAGE = 500

function messageOf(thrown: unknown, body: string): string {
  const inside = parseJson(body)
  const error = isPlainObject(inside) ? inside['error'] : undefined
  const said =
    (isPlainObject(error) && typeof error['message'] === 'string' && error['message']) ||
    (typeof error === 'string' && error) ||
    (thrown instanceof Error && thrown.message) ||
    (isPlainObject(thrown) && typeof thrown['message'] === 'string' && thrown['message']) ||
    String(thrown)
  return said.slice(0, MOST_MESSAGE)
}

function connectionCode(thrown: unknown): string | undefined {
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && CONNECTION_CODES.has(at.code)) return at.code
    if (at.message === 'fetch failed' && at.cause === undefined) return 'fetch failed'
  }
  return undefined
}
