import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type ConnectionParts, RpcConnection } from './connection.ts'

const MOST_FRAME_BYTES = 16 << 20
const MOST_UNSENT_BYTES = 32 << 20
const MOST_CONNECTIONS = 256
const PING_EVERY_MS = 30_000
const MISSED_PONGS = 2
const STOP_WITHIN_MS = 10_000
const ANSWER_WITHIN_MS = 1000

export interface Sockets {
  /** Takes over an upgrade that has passed the checks of the server. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Lets requests in flight end for a while, then closes every socket. */
  close(): Promise<void>
}

/** The WebSocket side of the protocol: frames in, frames out, liveness and limits. */
export function createSockets(parts: Omit<ConnectionParts, 'peer'>): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_FRAME_BYTES, handleProtocols: () => 'qed.v1' })
  const open = new Map<WebSocket, RpcConnection>()
  return {
    accept: (request, socket, head) => {
      // A peer may be gone before it reads its answer; without a listener that would end the server.
      socket.on('error', () => undefined)
      if (open.size >= MOST_CONNECTIONS) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
        return
      }
      server.handleUpgrade(request, socket, head, ws => {
        const connection = new RpcConnection({
          ...parts,
          client: request.headers['user-agent'],
          peer: { send: text => sendText(ws, text) },
        })
        open.set(ws, connection)
        serveSocket(ws, connection, () => open.delete(ws))
      })
    },
    close: async () => {
      const idle = (): boolean => [...open.values()].every(connection => connection.running === 0)
      await until(idle, STOP_WITHIN_MS)
      for (const connection of open.values()) connection.abandon()
      await until(idle, ANSWER_WITHIN_MS)
      for (const ws of open.keys()) ws.close(1001, 'the server stops')
      await until(() => open.size === 0, ANSWER_WITHIN_MS)
      // Who does not even close is not waited for.
      for (const ws of open.keys()) ws.terminate()
      server.close()
    },
  }
}

async function until(condition: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!condition() && performance.now() < deadline) await new Promise(resolve => setTimeout(resolve, 20))
}

function serveSocket(ws: WebSocket, connection: RpcConnection, closed: () => void): void {
  let missed = 0
  const heartbeat = setInterval(() => {
    if (++missed > MISSED_PONGS) ws.terminate()
    else ws.ping()
  }, PING_EVERY_MS)
  ws.on('pong', () => {
    missed = 0
  })
  ws.on('message', (data: Buffer, isBinary) => {
    if (isBinary) ws.close(1003, 'text frames only')
    else void connection.receive(data.toString('utf8'))
  })
  // A frame over the limit arrives as an error after ws has closed with 1009; there is nothing left to do.
  ws.on('error', () => undefined)
  ws.on('close', () => {
    clearInterval(heartbeat)
    connection.close()
    closed()
  })
}

function sendText(ws: WebSocket, text: string): Promise<void> {
  if (ws.bufferedAmount > MOST_UNSENT_BYTES) {
    ws.close(1013, 'too slow')
    return Promise.reject(new Error('the reader is too slow'))
  }
  return new Promise((resolve, reject) => ws.send(text, error => (error ? reject(error) : resolve())))
}
