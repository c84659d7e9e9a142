import { realpathSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type * as z from 'zod'
import type { App } from '../../app.ts'
import type { Caller } from '../../kernel/caller.ts'
import { timestamp } from '../../kernel/clock.ts'
import { asQedError, Busy, Cancelled, Conflict, NotFound, type QedError, TimedOut } from '../../kernel/errors.ts'
import type { ConnectionId } from '../../kernel/ids.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { nearest } from '../../kernel/names.ts'
import { newId } from '../../kernel/new-id.ts'
import { version } from '../../kernel/version.ts'
import { checkInput, invoke } from '../../operations/invoke.ts'
import type { AnyOperation, Call, Catalogue } from '../../operations/operation.ts'
import { redactText } from '../../policy/secrets/redact.ts'
import { MOST_RECORDED_CHARACTERS, recordCall } from '../../store/call-record.ts'
import { tailEvents } from '../../store/tail.ts'
import { RateLimit } from '../rate-limit.ts'
import {
  describeMethods,
  InitParams,
  type MethodTable,
  PROTOCOL,
  SubscribeParams,
  type TransportMethod,
  UnsubscribeParams,
} from './methods.ts'
import { type Member, type Request, type RequestId, type RpcError, readFrame, toRpcError, unknownMethod } from './protocol.ts'

const MOST_IN_FLIGHT = 64
const RATE = { most: 200, spanMs: 10_000 }
const ORDINARY_TIMEOUT_MS = 30_000
const MOST_SUBSCRIPTIONS = 64
/** A call record is worth no more waiting than this. */
const RECORD_WITHIN_MS = 50

/** The other end of a socket, as far as the protocol needs it. */
interface Peer {
  /** Resolves when the text is handed to the network; rejects when the peer is gone. */
  send(text: string): Promise<void>
}

export interface ConnectionParts {
  app: App
  catalogue: Catalogue
  methods: MethodTable
  peer: Peer
  client?: string | undefined
  /** An app for another project, closed with the connection; or the server's own. */
  openApp: (root: string) => App
}

type Outcome = { result: unknown } | { error: RpcError }

/** One client's stay. Requests run at the same time; answers come when ready. Ends everything it started when it closes,
 *  but never what the operations have committed. */
export class RpcConnection {
  readonly id: ConnectionId
  readonly #parts: ConnectionParts
  readonly #rate: RateLimit
  readonly #inFlight = new Map<RequestId, AbortController>()
  readonly #subscriptions = new Map<string, AbortController>()
  readonly #closing = new AbortController()
  #bound: { root: string; app: App } | null = null
  #client: string | undefined
  #running = 0

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#client = parts.client
    this.id = newId('con', parts.app.clock)
    this.#rate = new RateLimit(RATE)
  }

  /** Answers one frame. Never rejects. */
  async receive(text: string): Promise<void> {
    const frame = readFrame(text)
    if (frame.kind === 'single') {
      const answer = await this.#answer(frame.member)
      if (answer) await this.#send(answer)
      return
    }
    const answers = (await Promise.all(frame.members.map(member => this.#answer(member)))).filter(answer => answer !== null)
    if (answers.length > 0) await this.#send(answers)
  }

  /** Ends waiting: every request in flight is answered as cancelled. */
  abandon(): void {
    this.#closing.abort()
  }

  /** Ends everything; called when the socket has closed. */
  close(): void {
    this.abandon()
    for (const subscription of this.#subscriptions.values()) subscription.abort()
    this.#subscriptions.clear()
    const bound = this.#bound?.app
    this.#bound = null
    if (bound && bound !== this.#parts.app) void bound.close()
  }

  get running(): number {
    return this.#running
  }

  async #answer(member: Member): Promise<JsonObject | null> {
    if (member.kind === 'wrong') return { jsonrpc: '2.0', id: member.id, error: { ...member.error } }
    const { request } = member
    if (request.method === '$/cancel') return this.#cancel(request)
    const outcome = await this.#admitted(request)
    return request.id === undefined ? null : ({ jsonrpc: '2.0', id: request.id, ...outcome } as JsonObject)
  }

  #cancel({ params }: Request): null {
    this.#inFlight.get(params['id'] as RequestId)?.abort(new Cancelled('The request'))
    return null
  }

  async #admitted(request: Request): Promise<Outcome> {
    const started = performance.now()
    const outcome = await this.#limited(request)
    const durationMs = performance.now() - started
    // After the answer: a store that another process keeps locked must not hold it up.
    setImmediate(() => void this.#record(request, outcome, durationMs))
    return outcome
  }

  async #limited(request: Request): Promise<Outcome> {
    if (this.#running >= MOST_IN_FLIGHT) return { error: toRpcError(tooMany(`more than ${MOST_IN_FLIGHT} requests at once`, 100)) }
    if (this.#rate.isReached()) return { error: toRpcError(tooMany(`more than ${RATE.most} requests in 10 s`, this.#rate.retryAfterMs())) }
    if (request.id !== undefined && this.#inFlight.has(request.id)) {
      return {
        error: { code: -32600, message: `Request ${JSON.stringify(request.id)} is still in flight.`, data: { code: 'invalid_request' } },
      }
    }
    this.#rate.add()
    const abort = new AbortController()
    if (request.id !== undefined) this.#inFlight.set(request.id, abort)
    this.#running++
    try {
      return { result: await this.#run(request, AbortSignal.any([abort.signal, this.#closing.signal])) }
    } catch (error) {
      if (error instanceof MethodUnknown) return { error: unknownMethod(error.method, error.near) }
      return { error: toRpcError(asQedError(error, request.method)) }
    } finally {
      this.#running--
      if (request.id !== undefined) this.#inFlight.delete(request.id)
    }
  }

  async #run(request: Request, signal: AbortSignal): Promise<unknown> {
    const method = this.#parts.methods.get(request.method)
    if (!method) throw new MethodUnknown(request.method, nearest(request.method, this.#parts.methods.keys()))
    if (method.kind === 'transport') return this.#transport(method.method, request.params)
    const { operation } = method
    const late = operation.long ? [] : [AbortSignal.timeout(this.#timeoutMs())]
    const limited = AbortSignal.any([signal, ...late])
    const work = invoke(operation, this.#app(), request.params, this.#call(limited), { unknownKeys: 'ignore' })
    return Promise.race([work, abandoned(operation, limited, signal, this.#timeoutMs())])
  }

  #transport(method: TransportMethod, params: JsonObject): unknown {
    switch (method) {
      case 'discover':
        return describeMethods(this.#parts.methods)
      case 'init':
        return this.#init(read(InitParams, method, params))
      case 'subscribe':
        return this.#subscribe(read(SubscribeParams, method, params))
      case 'unsubscribe':
        return this.#unsubscribe(read(UnsubscribeParams, method, params))
    }
  }

  async #init({ project_root, name, client }: z.output<typeof InitParams>): Promise<JsonObject> {
    const root = realFolder(project_root)
    if (this.#bound && this.#bound.root !== root)
      throw new Conflict(`This connection is bound to ${this.#bound.root}. Open another one for ${root}.`)
    const app = this.#bound?.app ?? this.#parts.openApp(root)
    const operation = await this.#parts.catalogue.find('init')
    await invoke(operation, app, name === undefined ? {} : { name }, this.#call(this.#closing.signal))
    const project = app.project()
    this.#bound = { root, app }
    if (client) this.#client = `${client.name} ${client.version}`
    return { project_id: project.id, name: project.name, protocol: PROTOCOL, version }
  }

  async #subscribe(wanted: z.output<typeof SubscribeParams>): Promise<JsonObject> {
    if (this.#subscriptions.size >= MOST_SUBSCRIPTIONS) throw tooMany(`more than ${MOST_SUBSCRIPTIONS} subscriptions`, 1000)
    const { log } = await this.#app().projectStore()
    const subscription = newId('sub', this.#parts.app.clock)
    const seq = wanted.after ?? log.head()?.seq ?? 0
    const stop = new AbortController()
    this.#subscriptions.set(subscription, stop)
    // Not awaited: it lasts as long as the subscription. A peer that is gone, or a store that fails, ends it.
    void this.#follow(subscription, tailEvents(log, { ...wanted, after: seq }, stop.signal)).catch(() =>
      this.#subscriptions.delete(subscription),
    )
    return { subscription, seq }
  }

  async #follow(subscription: string, events: ReturnType<typeof tailEvents>): Promise<void> {
    for await (const { seq, stream, type, at, data } of events) {
      await this.#parts.peer.send(
        JSON.stringify({ jsonrpc: '2.0', method: 'event', params: { subscription, seq, stream, type, at, data } }),
      )
    }
  }

  #unsubscribe({ subscription }: z.output<typeof UnsubscribeParams>): JsonObject {
    const stop = this.#subscriptions.get(subscription)
    if (!stop) throw new NotFound(`There is no subscription ${subscription} on this connection.`)
    stop.abort()
    this.#subscriptions.delete(subscription)
    return {}
  }

  #app(): App {
    return this.#bound?.app ?? this.#parts.app
  }

  #call(signal: AbortSignal): Call {
    const caller: Caller = {
      surface: 'rpc',
      connection: this.id,
      role: 'person',
      approver: 'person',
      ...(this.#client && { client: this.#client }),
    }
    return { caller, signal, catalogue: this.#parts.catalogue }
  }

  #timeoutMs(): number {
    const asked = Number(this.#parts.app.env['QED_RPC_TIMEOUT'])
    return Number.isInteger(asked) && asked > 0 ? asked : ORDINARY_TIMEOUT_MS
  }

  async #send(value: unknown): Promise<void> {
    await this.#parts.peer.send(JSON.stringify(value)).catch(() => undefined)
  }

  // A call whose record cannot be written (a full disk, a busy store) is still answered: the answer may be what says so.
  async #record(request: Request, outcome: Outcome, durationMs: number): Promise<void> {
    try {
      const { db } = await this.#parts.app.projectStore()
      const call = {
        at: timestamp(this.#parts.app.clock),
        surface: 'rpc',
        connection: this.id,
        client: this.#client ?? null,
        method: request.method.slice(0, 200),
        request: request.id === undefined ? null : JSON.stringify(request.id),
        input: recorded(request.params),
        output: 'result' in outcome ? recorded(outcome.result) : null,
        error: 'error' in outcome ? recorded(outcome.error) : null,
        duration_ms: durationMs,
      }
      db.impatiently(RECORD_WITHIN_MS, () => recordCall(db, call))
    } catch {
      return
    }
  }
}

class MethodUnknown extends Error {
  readonly method: string
  readonly near: string[]
  constructor(method: string, near: string[]) {
    super(method)
    this.method = method
    this.near = near
  }
}

function read<T extends z.ZodObject>(schema: T, method: string, params: JsonObject): z.output<T> {
  return checkInput(`Params of ${method}`, schema, params, { unknownKeys: 'ignore' })
}

/** Rejects when nobody waits any longer: with `timeout` when the time was up, else with `cancelled`. */
function abandoned(operation: AnyOperation, limited: AbortSignal, asked: AbortSignal, timeoutMs: number): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(asked.aborted ? new Cancelled(operation.name) : new TimedOut(operation.name, timeoutMs))
    if (limited.aborted) stop()
    else limited.addEventListener('abort', stop, { once: true })
  })
}

function tooMany(what: string, retryAfterMs: number): QedError {
  return new Busy(`This connection sent ${what}. Wait and send it again.`, { details: { retry_after_ms: retryAfterMs } })
}

function recorded(value: unknown): string {
  return redactText(JSON.stringify(value) ?? '').slice(0, MOST_RECORDED_CHARACTERS)
}

function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch (cause) {
    throw new NotFound(`There is no folder ${path}.`, { cause, details: { path } })
  }
}
