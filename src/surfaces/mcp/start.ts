import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { App } from '../../app.ts'
import { newId } from '../../kernel/new-id.ts'
import type { Catalogue } from '../../operations/operation.ts'
import { createMcpServer } from './server.ts'
import { chooseTools } from './tools.ts'

/** Speaks MCP on stdin and stdout until the client closes them or the signal comes. stdout carries the protocol only. */
export async function serveMcpOnStdio(app: App, catalogue: Catalogue, toolSet: string, signal: AbortSignal): Promise<void> {
  const tools = chooseTools(await catalogue.all(), toolSet)
  const connection = newId('con', app.clock)
  const transport = new StdioServerTransport()
  const ended = new Promise<void>(resolve => {
    process.stdin.once('end', resolve).once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const handle = serveStdio(() => createMcpServer({ app, catalogue, tools, connection }), {
    transport,
    onerror: error => process.stderr.write(`qed mcp: ${error.message}\n`),
  })
  await ended
  await handle.close()
}
