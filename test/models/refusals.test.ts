import { describe, expect, test } from 'vitest'
import { classify } from '../../src/models/classify.ts'
import type { FailureKind } from '../../src/models/failure.ts'

// Bodies as model providers document or send them.
const refused = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  classify(
    Object.assign(new Error(`${status}`), {
      statusCode: status,
      responseHeaders: headers,
      responseBody: typeof body === 'string' ? body : JSON.stringify(body),
      url: 'http://127.0.0.1:11434/chat/completions?k=1',
    }),
    { now: Date.parse('2026-11-16T12:00:00Z') },
  )

describe('a request that is too long is known by the words of', () => {
  test.each<[string, number, unknown]>([
    ['OpenAI', 400, { error: { message: 'Your input is too much.', type: 'invalid_request_error', code: 'context_length_exceeded' } }],
    ['OpenAI responses', 400, { error: { message: 'Your input exceeds the context window of this model.', code: 'x' } }],
    ['OpenAI, larger than a minute allows', 429, { error: { message: 'Request too large for gpt-4o on tokens per min (TPM): Limit 1' } }],
    ['Anthropic', 400, { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 2 tokens > 1 maximum' } }],
    ['Anthropic with a limit', 400, { error: { message: 'input length and `max_tokens` exceed context limit: 1 + 2 > 2' } }],
    ['Google', 400, { error: { code: 400, message: 'The input token count (2) exceeds the maximum number of tokens allowed (1).' } }],
    [
      'Mistral',
      400,
      { object: 'error', message: 'Prompt contains 2 tokens, too large for model with 1 maximum context length', code: 3051 },
    ],
    ['llama.cpp', 400, { error: { code: 400, message: 'request is too big', type: 'exceed_context_size_error', n_ctx: 4096 } }],
    ['vLLM', 400, { object: 'error', message: "This model's maximum context length is 1 tokens.", type: 'BadRequestError', code: 400 }],
    ['Groq', 400, { error: { message: 'Please reduce the length of the messages or completion.', code: 'context_length_exceeded' } }],
    ['xAI', 400, { code: 'Client specified an invalid argument', error: "This model's maximum prompt length is 1 but 2" }],
    [
      'a model provider behind OpenRouter',
      400,
      { error: { code: 400, message: 'Provider returned error', metadata: { raw: '{"error":{"message":"prompt is too long"}}' } } },
    ],
  ])('%s', (_, status, body) => {
    expect(refused(status, body).kind).toBe('overflow')
  })
})

test.each<[string, number, unknown, FailureKind]>([
  [
    'what OpenAI says when the money is used up',
    429,
    { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
    'quota',
  ],
  ['what DeepSeek says then', 402, { error: { message: 'Insufficient Balance' } }, 'quota'],
  ['what Anthropic says then', 400, { error: { message: 'Your credit balance is too low to access the Anthropic API.' } }, 'quota'],
  ['the quota of a day at Google', 429, googleQuota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '39s'), 'quota'],
  ['the quota of a minute at Google', 429, googleQuota('GenerateRequestsPerMinutePerProjectPerModel', '34.07s'), 'rate'],
  ['a key that Google does not know', 400, { error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }, 'auth'],
  ['a key that xAI does not know', 400, { error: 'Incorrect API key provided: xa***' }, 'auth'],
  ['an unknown field at Mistral', 422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'x'], msg: 'Extra inputs' }] }, 'request'],
  ['a model that loads', 503, { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } }, 'rate'],
])('%s is known for what it is', (_, status, body, kind) => {
  expect(refused(status, body).kind).toBe(kind)
})

test('what Google says of waiting in the body of a refusal is kept to', () => {
  expect(refused(429, googleQuota('PerMinute', '34.07s')).retryAfterMs).toBe(34_070)
  expect(refused(429, {}, { 'retry-after': 'Mon, 16 Nov 2026 12:00:05 GMT' }).retryAfterMs).toBe(5_000)
  expect(refused(429, {}, { 'retry-after': '7', 'retry-after-ms': '1500' }).retryAfterMs).toBe(1_500)
})

test.each<[string, unknown, string]>([
  ['a list', [{ error: { code: 400, message: 'no' } }], 'no'],
  ['faults of a schema', { object: 'error', message: { detail: [{ loc: ['body', 'tools'], msg: 'bad' }] } }, 'body.tools: bad'],
  ['JSON as text', { error: { message: '{"error":{"message":"no"}}' } }, 'no'],
  ['a plain message', { message: 'no', request_id: 'r' }, 'no'],
  ['a detail', { detail: 'no' }, 'no'],
  ['plain text', 'no', 'no'],
  ['a page', '<html><body>no</body></html>', '400'],
  ['nothing', '', '400'],
])('the message of a refusal is found in %s', (_, body, message) => {
  expect(refused(400, body).message).toBe(message)
})

test('an address that knows no such path is named, a model that is not there is told in the words of its provider', () => {
  expect(refused(404, '404 page not found').message).toBe(
    '404 page not found (http://127.0.0.1:11434/chat/completions). Look at base_url: it often ends with /v1.',
  )
  expect(refused(404, { error: { message: 'model "x" not found' } }).message).toBe('model "x" not found')
})

test('an error inside a stream is judged by its name', () => {
  const inside = (error: object): FailureKind => classify(error, { now: 0 }).kind
  expect(inside({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })).toBe('server')
  expect(inside({ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } })).toBe('rate')
  expect(inside({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } })).toBe('request')
  expect(inside({ code: 'context_length_exceeded', message: 'too much' })).toBe('overflow')
  expect(inside({ code: 'insufficient_quota', message: 'pay' })).toBe('quota')
  const failed = { type: 'response.failed', response: { error: { code: 'context_length_exceeded', message: 'too much' } } }
  expect(inside(failed)).toBe('overflow')
})

function googleQuota(quotaId: string, retryDelay: string): unknown {
  return {
    error: {
      code: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
      ],
    },
  }
}
