import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { App } from '../../app.ts'
import { newId } from '../../kernel/new-id.ts'
import type { Catalogue } from '../../operations/operation.ts'
import { createMcpServer } from './server.ts'
import { chooseTools } from './tools.ts'

const SETTLE_WITHIN_MS = 10_000

/** Speaks MCP on stdin and stdout until the client closes them or the signal comes. stdout carries the protocol only. Calls that
 *  are under way when stdin ends are still answered. */
export async function serveMcpOnStdio(app: App, catalogue: Catalogue, toolSet: string, signal: AbortSignal): Promise<void> {
  const tools = chooseTools(await catalogue.all(), toolSet)
  const connection = newId('con', app.clock)
  let running = 0
  // The transport drops what is under way when its input ends, so it gets one that ends later.
  const input = new PassThrough()
  const ended = new Promise<void>(resolve => {
    process.stdin.once('end', resolve).once('close', resolve).pipe(input, { end: false })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const handle = serveStdio(
    () =>
      createMcpServer({
        app,
        catalogue,
        tools,
        connection,
        onRunning: change => {
          running += change
        },
      }),
    { transport: new StdioServerTransport(input, process.stdout), onerror: error => process.stderr.write(`qed mcp: ${error.message}\n`) },
  )
  await ended
  if (!signal.aborted) await settled(() => running)
  await handle.close()
}

async function settled(running: () => number): Promise<void> {
  // What was read last may not have begun yet.
  await sleep(50)
  for (const deadline = Date.now() + SETTLE_WITHIN_MS; running() > 0 && Date.now() < deadline; ) await sleep(20)
}
