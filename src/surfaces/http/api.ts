import { type Context, Hono } from 'hono'
import type { App } from '../../app.ts'
import type { Caller } from '../../kernel/caller.ts'
import { asQedError, InvalidInput, QedError, TooLarge } from '../../kernel/errors.ts'
import { exitCodeOf } from '../../kernel/exit-codes.ts'
import { parseJson } from '../../kernel/json.ts'
import { newId } from '../../kernel/new-id.ts'
import { invoke } from '../../operations/invoke.ts'
import type { Call, Catalogue } from '../../operations/operation.ts'
import { publicError } from '../../operations/public-error.ts'
import { badEngineRequest, engineTurn, MOST_ENGINE_BYTES } from './engine.ts'
import { eventStream } from './event-stream.ts'
import type { Guard, Verdict } from './guard.ts'
import { openApi } from './openapi.ts'

const MOST_BODY_BYTES = 5 << 20

export const HEADERS: Record<string, string> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

const STATUS_BY_EXIT: Record<number, number> = { 2: 400, 3: 404, 4: 403, 5: 428, 6: 422, 7: 413, 8: 409, 9: 503, 10: 504, 130: 499 }
const STATUS_BY_CODE: Record<string, number> = { too_large: 413, busy: 429 }

export interface HttpParts {
  app: App
  catalogue: Catalogue
  guard: Guard
  /** Aborted when the server begins to stop: streams end. */
  stopping: AbortSignal
  /** Aborted when it will wait no longer: calls end. */
  abandoning: AbortSignal
  /** Serves `/mcp`. */
  mcp: (request: Request) => Promise<Response>
}

/** Everything the server answers over plain HTTP. */
export function createApi(parts: HttpParts): Hono {
  const api = new Hono()
  api.use('*', async (context, next) => {
    const verdict = context.req.path === '/health' ? parts.guard.checkPlace(credentials(context)) : parts.guard.check(credentials(context))
    if (verdict.ok) await next()
    else context.res = refusal(verdict)
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value)
  })
  api.get('/health', context => context.json({ ok: true }))
  api.get('/api/discover', context => call('discover', { prefix: context.req.query('prefix') }, context, parts))
  api.get('/api/openapi.json', async context => context.json(openApi(await parts.catalogue.all())))
  api.get('/api/events', context => eventStream(context, parts))
  api.post('/api/engine', async context => {
    const body = await readBody(context.req.raw, MOST_ENGINE_BYTES).catch((error: unknown) => asQedError(error))
    if (body instanceof InvalidInput) return badEngineRequest(body.message)
    return body instanceof QedError ? failure(body) : engineTurn(context, body, parts)
  })
  api.post('/api/:operation', async context => {
    const body = await readBody(context.req.raw).catch((error: unknown) => asQedError(error))
    return body instanceof QedError ? failure(body) : call(context.req.param('operation'), body, context, parts)
  })
  api.all('/mcp', context => parts.mcp(context.req.raw))
  api.notFound(() => json(404, { error: { code: 'not_found', message: 'There is nothing here. GET /api/discover lists the operations.' } }))
  api.onError(error => failure(asQedError(error)))
  return api
}

async function call(name: string, input: unknown, context: Context, parts: HttpParts): Promise<Response> {
  try {
    const operation = await parts.catalogue.find(name)
    const output = await invoke(operation, parts.app, input, callOf(context, parts))
    return json(200, output)
  } catch (error) {
    return failure(asQedError(error, name))
  }
}

function callOf(context: Context, { app, catalogue, abandoning }: HttpParts): Call {
  const client = context.req.header('user-agent')
  const caller: Caller = {
    surface: 'http',
    connection: newId('con', app.clock),
    role: 'person',
    approver: 'none',
    ...(client && { client }),
  }
  return { caller, signal: AbortSignal.any([context.req.raw.signal, abandoning]), catalogue }
}

async function readBody(request: Request, most = MOST_BODY_BYTES): Promise<unknown> {
  const said = Number(request.headers.get('content-length') ?? 0)
  if (said > most) throw new TooLarge('The body', { bytes: said, most })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length
    if (bytes > most) throw new TooLarge('The body', { bytes, most })
    chunks.push(chunk)
  }
  if (bytes === 0) return {}
  const value = parseJson(Buffer.concat(chunks).toString('utf8'))
  if (value === undefined) throw new InvalidInput('The body', [{ path: '', message: 'this is not JSON' }])
  return value
}

function failure(error: QedError): Response {
  return json(STATUS_BY_CODE[error.code] ?? STATUS_BY_EXIT[exitCodeOf(error.code)] ?? 500, { error: publicError(error) })
}

function refusal({ status, code, message }: Extract<Verdict, { ok: false }>): Response {
  return json(status, { error: { code, message } })
}

function json(status: number, body: unknown): Response {
  return new Response(`${JSON.stringify(body)}\n`, { status, headers: { 'Content-Type': 'application/json; charset=utf-8' } })
}

function credentials({ req }: Context) {
  return { host: req.header('host'), origin: req.header('origin'), authorization: req.header('authorization'), protocols: undefined }
}
