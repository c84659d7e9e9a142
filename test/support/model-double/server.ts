import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What the double does with one request. */
export type Act =
  | {
      kind: 'stream'
      frames: string[] /** Cuts the connection behind them instead of ending the answer. */
      cut?: true /** Stays open behind them. */
      hang?: true
    }
  | { kind: 'status'; status: number; body: unknown; headers?: Record<string, string> }
  | { kind: 'reset' }

export interface ModelDouble {
  url: string
  /** The requests that came, as text. */
  requests: { path: string; headers: Record<string, string | string[] | undefined>; body: string }[]
  /** Settles when the client has closed the connection of a request. */
  left: Promise<void>
}

/** A real HTTP server that acts as a model provider would, one act per request; the last one is repeated. */
export async function modelDouble(acts: Act[]): Promise<ModelDouble> {
  const requests: ModelDouble['requests'] = []
  let noteLeft: () => void = () => undefined
  const left = new Promise<void>(resolve => (noteLeft = resolve))
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const act = acts[Math.min(requests.length, acts.length - 1)]
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      if (act) perform(act, response)
    })
    response.on('close', () => noteLeft())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, left }
}

function perform(act: Act, response: ServerResponse): void {
  if (act.kind === 'reset') {
    response.destroy()
    return
  }
  if (act.kind === 'status') {
    const body = typeof act.body === 'string' ? act.body : JSON.stringify(act.body)
    response.writeHead(act.status, { 'content-type': 'application/json', ...act.headers }).end(body)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const frame of act.frames) response.write(frame)
  if (act.hang) return
  // Behind what was written: else the last frames would be lost with the connection.
  if (act.cut) response.write('', () => setImmediate(() => response.destroy()))
  else response.end()
}
