import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { App } from '../../app.ts'
import { Unavailable, Usage } from '../../kernel/errors.ts'
import { newId } from '../../kernel/new-id.ts'
import type { Catalogue } from '../../operations/operation.ts'
import { createMcpServer } from '../mcp/server.ts'
import { chooseTools } from '../mcp/tools.ts'
import { methodTable } from '../rpc/methods.ts'
import { createSockets, type Sockets } from '../rpc/sockets.ts'
import { createApi, HEADERS } from './api.ts'
import { Guard } from './guard.ts'

const STOP_WITHIN_MS = 10_000

export interface ServerOptions {
  app: App
  catalogue: Catalogue
  port: number
  toolSet: string
  /** An address beyond this machine, and the certificate without which it is not used. */
  listen?: { address: string; cert: string; key: string } | undefined
  openApp: (root: string) => App
}

export interface RunningServer {
  port: number
  token: string
  url: string
  /** Stops taking connections, lets what is in flight end, then closes. */
  close(): Promise<void>
}

interface Upgrade {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
}

/** One server for HTTP, WebSocket and MCP, with one guard before them all. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { app, catalogue, listen } = options
  const stopping = new AbortController()
  const abandoning = new AbortController()
  const operations = await catalogue.all()
  const tools = chooseTools(operations, options.toolSet)
  const mcp = createMcpHandler(() => createMcpServer({ app, catalogue, tools, connection: newId('con', app.clock) }))
  const sockets = createSockets({ app, catalogue, methods: methodTable(operations), openApp: options.openApp })
  const token = randomBytes(32).toString('base64url')

  // The guard knows its port only once that is bound; until then there is nobody to answer.
  const scheme = listen ? 'https' : 'http'
  const bound = await bind(() => makeServer(listen), listen?.address, options.port)
  const guard = new Guard({ token, scheme, hosts: hostNames(listen?.address, bound.port) })
  const api = createApi({
    app,
    catalogue,
    guard,
    stopping: stopping.signal,
    abandoning: abandoning.signal,
    mcp: request => mcp.fetch(request),
  })
  const answer = getRequestListener(api.fetch)
  for (const server of bound.servers) {
    server.on('request', (request, response) => void answer(request, response))
    server.on('upgrade', (request, socket, head) => admit({ request, socket, head }, guard, sockets))
  }
  return {
    port: bound.port,
    token,
    url: `${scheme}://${listen?.address ?? '127.0.0.1'}:${bound.port}`,
    close: async () => {
      // Streams end at once; calls in flight have their time, then they are told to stop.
      stopping.abort()
      const closed = Promise.all(bound.servers.map(server => new Promise(resolve => server.close(resolve))))
      for (const server of bound.servers) server.closeIdleConnections()
      const late = setTimeout(() => abandoning.abort(), STOP_WITHIN_MS)
      const waited = new Promise(resolve => setTimeout(resolve, STOP_WITHIN_MS + 1000).unref())
      await Promise.all([sockets.close(), mcp.close(), Promise.race([closed, waited])])
      clearTimeout(late)
      for (const server of bound.servers) server.closeAllConnections()
    },
  }
}

function admit({ request, socket, head }: Upgrade, guard: Guard, sockets: Sockets): void {
  const { host, origin, authorization } = request.headers
  const verdict = guard.check({ host, origin, authorization, protocols: request.headers['sec-websocket-protocol'] })
  const status = verdict.ok ? (request.url?.split('?')[0] === '/rpc' ? null : 404) : verdict.status
  if (status === null) return sockets.accept(request, socket, head)
  socket.on('error', () => undefined)
  const headers = Object.entries({ ...HEADERS, Connection: 'close', 'Content-Length': '0' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Refused\r\n${headers.join('')}\r\n`)
}

function hostNames(address: string | undefined, port: number): string[] {
  return ['localhost', '127.0.0.1', '[::1]', ...(address ? [address.includes(':') ? `[${address}]` : address] : [])].map(
    name => `${name}:${port}`,
  )
}

// Other upgrades that clients offer (h2c) are no reason to refuse the request itself.
function makeServer(listen: ServerOptions['listen']): Server {
  const shouldUpgradeCallback = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'
  if (!listen) return createServer({ shouldUpgradeCallback })
  try {
    return createTlsServer({ shouldUpgradeCallback, cert: listen.cert, key: listen.key })
  } catch (cause) {
    throw new Usage('The files of --tls-cert and --tls-key are not a certificate and its key in PEM form.', { cause })
  }
}

const TRIES = 5

/** Both loopback addresses on one port where the machine has both; else the one address that was asked for. A stranger on the
 *  second one would be taken for us by whoever says localhost, so then another port is tried, or the port is refused. */
async function bind(make: () => Server, address: string | undefined, port: number): Promise<{ servers: Server[]; port: number }> {
  for (let tried = 1; ; tried++) {
    const first = await listenOn(make(), address ?? '127.0.0.1', port)
    const bound = (first.address() as AddressInfo).port
    if (address !== undefined) return { servers: [first], port: bound }
    try {
      return { servers: [first, await listenOn(make(), '::1', bound)], port: bound }
    } catch (error) {
      if (!(error instanceof PortTaken)) return { servers: [first], port: bound }
      await new Promise(resolve => first.close(resolve))
      if (port !== 0 || tried === TRIES) throw error
    }
  }
}

class PortTaken extends Unavailable {}

function listenOn(server: Server, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const Condition = cause.code === 'EADDRINUSE' ? PortTaken : Unavailable
      reject(
        new Condition(`${host}:${port} cannot be listened on (${cause.code}).`, {
          cause,
          next: { command: 'qed serve --port 0', why: 'It takes any free port.' },
        }),
      )
    })
    server.listen(port, host, () => resolve(server))
  })
}
