import { isPlainObject } from '../kernel/json.ts'
import { type ErrorBody, readErrorBody } from './error-body.ts'
import { type FailureKind, ModelFailed } from './failure.ts'
import { isOverflow } from './overflow.ts'
import { readRetryAfter } from './retry/retry-after.ts'
import { connectionCode, tlsAdvice } from './transport-codes.ts'

const BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'auth'],
  [402, 'quota'],
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

const LOADING = /\b(model is (still )?loading|currently loading|loading model)\b/i
/** No key, told with a status that means something else. */
const NO_KEY = /\bapi[ _]key[ _](not[ _]valid|invalid)|(incorrect|invalid) api[ _]key/i
/** What is used up and does not come back by waiting a while. */
const USED_UP =
  /insufficient_quota|insufficient_balance|insufficient (balance|credits)|credit balance is too low|billing_hard_limit|usage_limit_reached|PerDay/i
const MAY_BE_USED_UP = /exceeded your current quota/i

/** What a model provider's library threw, as one of ours. */
export function classify(thrown: unknown, { now, signal }: { now: number; signal?: AbortSignal | undefined }): ModelFailed {
  if (thrown instanceof ModelFailed) return thrown
  if (signal?.aborted || isAbort(thrown)) return new ModelFailed('aborted', 'The request was stopped.', { cause: thrown })
  const { status, headers, body, url } = apiFacts(thrown)
  const said = readErrorBody(body)
  const message = messageOf(thrown, said)
  const retryAfterMs = readRetryAfter(headers, now) ?? said.retryAfterMs
  const about = { status, cause: thrown, retryAfterMs }
  const words = [message, ...said.codes].join(' ')
  if (isOverflow(status, words)) return new ModelFailed('overflow', message, about)
  if (LOADING.test(message)) return new ModelFailed('rate', message, about)
  if (status !== undefined || said.codes.length > 0) {
    const kind = kindOf(status, words, retryAfterMs)
    return new ModelFailed(
      kind,
      kind === 'missing' && !said.structured && url !== undefined
        ? `${message} (${url}). Look at base_url: it often ends with /v1.`
        : message,
      about,
    )
  }
  const broken = connectionCode(thrown)
  if (broken !== undefined) return new ModelFailed('gateway', `${message} (${broken})`, about)
  const advice = tlsAdvice(thrown)
  if (advice !== undefined) return new ModelFailed('request', advice, about)
  // No status and no broken connection: what came back could not be read.
  return new ModelFailed('server', message, about)
}

function kindOf(status: number | undefined, words: string, retryAfterMs: number | undefined): FailureKind {
  if (USED_UP.test(words) || (MAY_BE_USED_UP.test(words) && retryAfterMs === undefined)) return 'quota'
  if (status === 400 && NO_KEY.test(words)) return 'auth'
  if (status === undefined) return BY_CODE.find(([code]) => code.test(words))?.[1] ?? 'server'
  return BY_STATUS.get(status) ?? (status >= 500 ? 'server' : 'request')
}

/** Errors inside a stream have no status. */
const BY_CODE: readonly [RegExp, FailureKind][] = [
  [/rate_limit|too_many_requests|RESOURCE_EXHAUSTED/, 'rate'],
  [/invalid_request|INVALID_ARGUMENT|invalid_prompt/, 'request'],
  [/authentication_error|permission_error|UNAUTHENTICATED|PERMISSION_DENIED/, 'auth'],
  [/not_found_error|model_not_found/, 'missing'],
]

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === 'AbortError' || thrown.name === 'ResponseAborted')
}

interface ApiFacts {
  status?: number | undefined
  headers: Readonly<Record<string, string | undefined>>
  body: string
  url?: string | undefined
}

// By its fields, not its class: each provider's bundle brings a class of its own.
function apiFacts(thrown: unknown): ApiFacts {
  if (!isPlainObject(thrown)) return { headers: {}, body: '' }
  const { statusCode, responseHeaders, responseBody, url } = thrown
  return {
    status: typeof statusCode === 'number' ? statusCode : undefined,
    headers: isPlainObject(responseHeaders) ? (responseHeaders as Record<string, string | undefined>) : {},
    // What an error inside a stream says is the error itself.
    body: typeof responseBody === 'string' ? responseBody : thrown instanceof Error ? '' : JSON.stringify(thrown),
    url: typeof url === 'string' ? url.replace(/\?.*/s, '') : undefined,
  }
}

const MOST_MESSAGE = 500

function messageOf(thrown: unknown, { message }: ErrorBody): string {
  const said = message || (thrown instanceof Error && thrown.message) || String(thrown)
  return said.slice(0, MOST_MESSAGE)
}
