import type { JsonObject } from '../../kernel/json.ts'
import { nearest } from '../../kernel/names.ts'
import type { McpServer } from '../../project/mcp-servers.ts'
import { ToolError } from '../tool.ts'
import { type McpConnection, McpFailure, type McpResult, type McpSurroundings, type McpTool } from './types.ts'

/** The MCP servers of one run. Each is started when it is first needed, and again when it is needed after it went. Rejects with
 *  `ToolError` for a name that is not there, else with `McpFailure`. */
export interface McpServers {
  names: readonly string[]
  /** Throws where there is no such server; starts nothing. */
  require: (server: string) => void
  tools: (server: string) => Promise<McpTool[]>
  /** Why a server could not be started when it was last tried; null where it was not, or could. */
  whyAway: (server: string) => McpFailure | null
  tool: (server: string, name: string) => Promise<McpTool>
  /** Rejects where the arguments do not fit; the server hears nothing of it. */
  check: (tool: McpTool, input: JsonObject) => Promise<void>
  call: (tool: McpTool, input: JsonObject) => Promise<McpResult>
  close: () => Promise<void>
}

interface Open {
  connection: McpConnection
  tools: McpTool[]
}

export function createMcpServers(servers: readonly McpServer[], around: McpSurroundings): McpServers {
  const byName = new Map(servers.map(server => [server.name, server]))
  const names = [...byName.keys()]
  const open = new Map<string, Promise<Open>>()
  const away = new Map<string, McpFailure>()

  const required = (name: string): McpServer => {
    const server = byName.get(name)
    if (!server) throw new ToolError(`There is no MCP server ${name}. There are: ${names.join(', ')}.`)
    return server
  }
  const start = async (server: McpServer): Promise<Open> => {
    const { connect } = await import('./connect.ts')
    const connection = await connect(server, around)
    try {
      return { connection, tools: await connection.tools() }
    } catch (error) {
      await connection.close()
      throw error
    }
  }
  const opened = (name: string): Promise<Open> => {
    const server = required(name)
    const known = open.get(name) ?? start(server)
    open.set(name, known)
    // One that could not be started is tried again by the next call that names it: the reason may be gone.
    known.then(
      () => away.delete(name),
      (error: unknown) => {
        if (open.get(name) === known) open.delete(name)
        if (error instanceof McpFailure) away.set(name, error)
      },
    )
    return known
  }
  const drop = async (name: string): Promise<void> => {
    const known = open.get(name)
    open.delete(name)
    await known?.then(({ connection }) => connection.close()).catch(() => undefined)
  }
  /** A server that hangs or broke off is ended: the next call meets a new one. */
  const guarded = async <T>(server: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof McpFailure && BROKEN.has(error.kind)) await drop(server)
      throw error
    }
  }
  return {
    names,
    require: required,
    tools: async server => (await opened(server)).tools,
    whyAway: server => away.get(server) ?? null,
    tool: (server, name) =>
      guarded(server, async () => {
        const known = await opened(server)
        // It may have been added since the list was made.
        if (!known.tools.some(tool => tool.name === name)) known.tools = await known.connection.tools()
        const found = known.tools.find(tool => tool.name === name)
        if (found) return found
        const near = nearest(
          name,
          known.tools.map(tool => tool.name),
        )
        throw new ToolError(
          `${server} has no tool ${name}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} mcp_find lists its tools.`,
        )
      }),
    check: async (tool, input) => (await opened(tool.server)).connection.check(tool, input),
    call: (tool, input) => guarded(tool.server, async () => (await opened(tool.server)).connection.call(tool, input)),
    close: async () => void (await Promise.all(names.map(drop))),
  }
}

const BROKEN: ReadonlySet<McpFailure['kind']> = new Set(['gone', 'timeout', 'aborted'])
