import { type ErrorBody, QedError } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/json.ts'

/** What a method takes and gives, by its name. */
export type Methods = Record<string, { input: unknown; output: unknown }>

export interface ConnectOptions {
  port: number
  token: string
  /** Receives what the server sends unasked. */
  onNotification?: (method: string, params: JsonObject) => void
}

/** A connection to a running `qed serve`. Calls may overlap; each rejects with `RpcFailed` when the server refused, or with
 *  `ConnectionLost` when it went away. */
export interface RpcClient<M extends Methods> {
  call<N extends keyof M & string>(method: N, params?: M[N]['input'], options?: { signal?: AbortSignal }): Promise<M[N]['output']>
  close(): void
}

export class RpcFailed extends QedError {
  readonly code: string
  /** The number of JSON-RPC; `code` is the operation's own. */
  readonly rpcCode: number
  readonly data: JsonObject
  constructor(error: { code: number; message: string; data?: JsonObject }) {
    super(error.message)
    this.rpcCode = error.code
    this.data = error.data ?? {}
    this.code = typeof error.data?.['code'] === 'string' ? error.data['code'] : 'failed'
  }

  override toBody(): ErrorBody {
    return { ...super.toBody(), rpc_code: this.rpcCode }
  }
}

export class ConnectionLost extends QedError {
  readonly code = 'unavailable'
  constructor(reason: string) {
    super(`The connection to qed serve is gone: ${reason}.`, {
      next: { command: 'qed serve', why: 'Start it in the project, then connect again.' },
    })
  }
}

interface Waiting {
  resolve: (value: never) => void
  reject: (error: Error) => void
}

/** Connects with the token of `.qed/server.json`. Rejects with `ConnectionLost` where nobody answers or the token is wrong. */
export async function connectRpc<M extends Methods>(options: ConnectOptions): Promise<RpcClient<M>> {
  const socket = new WebSocket(`ws://127.0.0.1:${options.port}/rpc`, ['qed.v1', `qed.token.${options.token}`])
  const waiting = new Map<number, Waiting>()
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', () => reject(new ConnectionLost('it could not be opened')), { once: true })
  })
  socket.addEventListener('message', message => receive(String(message.data), waiting, options))
  socket.addEventListener('close', event => {
    for (const { reject } of waiting.values()) reject(new ConnectionLost(`closed with ${event.code}`))
    waiting.clear()
  })
  let lastId = 0
  return {
    call: (method, params, { signal } = {}) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== WebSocket.OPEN) return reject(new ConnectionLost('closed'))
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        signal?.addEventListener('abort', () => socket.send(JSON.stringify({ jsonrpc: '2.0', method: '$/cancel', params: { id } })), {
          once: true,
        })
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: params ?? {} }))
      }),
    close: () => socket.close(),
  }
}

function receive(text: string, waiting: Map<number, Waiting>, options: ConnectOptions): void {
  const message = JSON.parse(text) as {
    id?: number
    method?: string
    params?: JsonObject
    result?: never
    error?: ConstructorParameters<typeof RpcFailed>[0]
  }
  if (message.method !== undefined) return options.onNotification?.(message.method, message.params ?? {})
  const call = message.id === undefined ? undefined : waiting.get(message.id)
  if (!call || message.id === undefined) return
  waiting.delete(message.id)
  if (message.error) call.reject(new RpcFailed(message.error))
  else call.resolve(message.result as never)
}
