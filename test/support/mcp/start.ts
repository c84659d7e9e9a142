import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { buildSync } from 'esbuild'
import { onTestFinished } from 'vitest'
import { testMcpServer } from './test-server.ts'

/** Puts the stdio server into a folder as one file that needs nothing else, so that it can be started behind walls. */
export function writeStdioServer(folder: string, name = 'mcp-server.mjs'): string {
  const outfile = join(folder, name)
  buildSync({
    entryPoints: [join(import.meta.dirname, 'stdio-server.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    outfile,
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
  })
  return outfile
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

export interface HttpServer {
  url: string
  /** The keys that came, one per request. */
  keys: (string | undefined)[]
}

/** The same server over streamable HTTP. It wants a key. */
export async function httpServer(key: string): Promise<HttpServer> {
  const handler = createMcpHandler(testMcpServer)
  const listener = getRequestListener(request => handler.fetch(request))
  const keys: HttpServer['keys'] = []
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization)
    if (request.headers.authorization === `Bearer ${key}`) return void listener(request, response)
    return void response.writeHead(401).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, keys }
}
