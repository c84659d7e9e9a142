import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { App } from '../../app.ts'
import { chooseModel } from '../../engine/wire/choose-model.ts'
import { type EngineRequest, readEngineRequest, type WireFailure } from '../../engine/wire/request.ts'
import { serveTurn } from '../../engine/wire/serve-turn.ts'
import { reserveAt } from '../../engine/work/reserve.ts'
import { openProjectNode } from '../../engine/work/spending.ts'
import { asQedError } from '../../kernel/errors.ts'
import type { OpenModel } from '../../models/models.ts'
import { budgetSettings } from '../../operations/run-house.ts'
import { getSetting } from '../../project/config/config.ts'
import { createBudgets } from '../../runs/budget/budgets.ts'

// POST /api/engine: check the request → choose the model → ask it for one turn. Nothing is executed here, and no file is seen.

export const MOST_ENGINE_BYTES = 16 << 20
const TURN_MS = 300_000
const HEARTBEAT_MS = 15_000

/** Answers one turn, as JSON or, where the caller asks for it, as server-sent events. */
export async function engineTurn(
  context: Context,
  body: unknown,
  { app, abandoning }: { app: App; abandoning: AbortSignal },
): Promise<Response> {
  const read = readEngineRequest(body)
  if (!read.ok) return failed(read.failure)
  const { request } = read
  const models = await app.models()
  const opened = await open(request, app)
  if ('status' in opened) return failed(opened)
  const ports = {
    opened,
    gates: models.gates,
    clock: app.clock,
    random: Math.random,
    signal: AbortSignal.any([context.req.raw.signal, abandoning]),
    timeoutMs: TURN_MS,
    ...(await spending(app, opened)),
  }
  if (context.req.header('accept')?.includes('text/event-stream')) return streamed(context, request, ports)
  const turn = await serveTurn(request, ports)
  return turn.ok ? json(200, turn.reply) : failed(turn.failure)
}

export function badEngineRequest(message: string): Response {
  return failed({ status: 400, code: 'bad_request', message, path: '' })
}

type Ports = Parameters<typeof serveTurn>[1]

function streamed(context: Context, request: EngineRequest, ports: Ports): Response {
  return streamSSE(context, async stream => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    const heartbeat = setInterval(() => void stream.write(': here\n\n').catch(() => gone.abort()), HEARTBEAT_MS)
    // One after the other: the last event is sent when those before it are.
    let sending: Promise<unknown> = Promise.resolve()
    const send = (type: string, data: object): void => {
      sending = sending.then(() => stream.writeSSE({ event: type, data: JSON.stringify(data) })).catch(() => gone.abort())
    }
    try {
      const turn = await serveTurn(request, {
        ...ports,
        signal: AbortSignal.any([ports.signal, gone.signal]),
        onEvent: ({ type, data }) => send(type, data),
      })
      if (turn.ok) send('turn-end', turn.reply)
      else send('error', bodyOf(turn.failure))
      await sending
    } finally {
      clearInterval(heartbeat)
    }
  })
}

async function open(request: EngineRequest, app: App): Promise<OpenModel | WireFailure> {
  const setting = (key: string): string | null => (getSetting(app.configPlaces(), key).value ?? null) as string | null
  const name = chooseModel(request, {
    env: app.env,
    ofCommand: command => setting(`engine.models.${command}`),
    // Until agents are registered there is one persona, whose model is the one of the settings.
    ofPersona: () => setting('model'),
  })
  if (name === null) {
    return { status: 422, code: 'no_model', message: 'No model is named: give "model", or set one with qed config set model <name>.' }
  }
  try {
    return await (await app.models()).open(name)
  } catch (error) {
    const { code, message } = asQedError(error)
    return { status: code === 'auth_missing' ? 502 : 422, code, message }
  }
}

/** L-56: in a project, a turn counts against what all of its runs may spend together. */
async function spending(app: App, { spec }: OpenModel): Promise<Pick<Ports, 'reserve'>> {
  const project = app.findProject()
  if (!project) return {}
  const budgets = createBudgets({ ...(await app.projectStore()), clock: app.clock })
  return {
    reserve: reserveAt(budgets, openProjectNode(budgets, { project: project.id, settings: budgetSettings(app), by: 'program' }), spec),
  }
}

function bodyOf({ code, message, path, retryAfterMs }: WireFailure): object {
  return { code, message, ...(path !== undefined && { path }), ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

function failed(failure: WireFailure): Response {
  const seconds = failure.retryAfterMs === undefined ? undefined : Math.ceil(failure.retryAfterMs / 1000)
  return json(failure.status, { error: bodyOf(failure) }, seconds === undefined ? {} : { 'Retry-After': String(seconds) })
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(`${JSON.stringify(body)}\n`, { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers } })
}
