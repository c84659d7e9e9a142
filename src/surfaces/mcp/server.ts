import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { App } from '../../app.ts'
import type { Caller } from '../../kernel/caller.ts'
import { asQedError } from '../../kernel/errors.ts'
import { version } from '../../kernel/version.ts'
import { invoke } from '../../operations/invoke.ts'
import type { AnyOperation, Catalogue } from '../../operations/operation.ts'
import { describeTool, errorAnswer, resultAnswer, toolName } from './tools.ts'

const INSTRUCTIONS =
  'QED keeps coding work bounded, recorded and proven. Its tools read and change the QED project around the folder this server ' +
  'was started in. A result is in structuredContent.result. structuredContent.blocked means that the state or a rule does not allow ' +
  'the call now: read its reason and follow next; do not repeat the same call. What needs a person names the command that the ' +
  'person would run.'

export interface McpParts {
  app: App
  catalogue: Catalogue
  /** What this server offers. */
  tools: AnyOperation[]
  /** Names the connection; one connection is one caller. */
  connection: string
  /** Told when a call begins and when it ends. */
  onRunning?: (change: 1 | -1) => void
}

/** An MCP server over the catalogue. One instance serves one connection. */
export function createMcpServer({ app, catalogue, tools, connection, onRunning }: McpParts): Server {
  const server = new Server({ name: 'qed', title: 'QED', version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(describeTool) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const operation = tools.find(candidate => toolName(candidate) === params.name)
    if (!operation)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}. tools/list names those there are.`)
    const token = mcpReq._meta?.progressToken
    let progress = 0
    const emit = (event: object): Promise<void> =>
      mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token ?? '', progress: ++progress, message: JSON.stringify(event) },
      })
    const caller: Caller = { surface: 'mcp', connection, role: 'agent', approver: 'none', ...clientName(server) }
    onRunning?.(1)
    try {
      return resultAnswer(
        await invoke(operation, app, params.arguments, { caller, signal: mcpReq.signal, catalogue, ...(token !== undefined && { emit }) }),
      )
    } catch (error) {
      return errorAnswer(asQedError(error, operation.name))
    } finally {
      onRunning?.(-1)
    }
  })
  return server
}

function clientName(server: Server): { client?: string } {
  const client = server.getClientVersion()
  return client ? { client: `${client.name} ${client.version}` } : {}
}
