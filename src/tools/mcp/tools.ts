import * as z from 'zod'
import type { JsonObject } from '../../kernel/json.ts'
import { ToolRefused } from '../../kernel/tool-refused.ts'
import { type AnyTool, ToolError, tool } from '../tool.ts'
import { listText, matching, schemaText, toolText } from './find.ts'
import type { LongResults } from './long-results.ts'
import type { McpServers } from './servers.ts'
import { McpFailure, type McpTool } from './types.ts'

// Two tools stand for all tools of all servers, so that a hundred schemas cost a request nothing until one of them is wanted.

export function mcpTools(servers: McpServers, { readingOnly, results }: { readingOnly: boolean; results: LongResults }): AnyTool[] {
  return [find(servers, results), call(servers, results, readingOnly)]
}

const find = (servers: McpServers, results: LongResults): AnyTool =>
  tool({
    name: 'mcp_find',
    description: `Find tools of MCP servers (${servers.names.join(', ')}) by query; with server and tool: how to call it; with result and offset: the rest of a long result.`,
    effect: 'read',
    foreign: true,
    input: () =>
      z.strictObject({
        query: z.string().max(500).optional(),
        server: z.string().optional(),
        tool: z.string().optional(),
        result: z.string().optional(),
        offset: z.int().nonnegative().optional(),
      }),
    // Listing does nothing; which servers there are is the person's own setting.
    ask: () => null,
    prepare: ({ query = '', server, tool: name, result, offset = 0 }) => ({
      act: async () => {
        if (result !== undefined) return { ok: true, text: restOf(results, result, offset) }
        if (name !== undefined) return { ok: true, text: toolText(await described(servers, server, name)) }
        return { ok: true, text: await found(servers, server, query) }
      },
    }),
  })

const call = (servers: McpServers, results: LongResults, readingOnly: boolean): AnyTool =>
  tool({
    name: 'mcp_call',
    description: 'Call a tool of an MCP server. Ask mcp_find how first.',
    effect: 'execute',
    foreign: true,
    input: () => z.strictObject({ server: z.string(), tool: z.string(), arguments: z.looseObject({}).default({}) }),
    ask: async ({ server, tool: name }) => {
      servers.require(server)
      // L-25: the mode's own refusal. That a tool only reads is its server's word, so policy is asked all the same.
      if (readingOnly && !(await described(servers, server, name)).readOnly)
        throw new ToolRefused(`${server}.${name} does not say that it only reads; here nothing may be changed`)
      return { verb: 'tool.call', tool: `${server}.${name}` }
    },
    preview: ({ arguments: input }) => JSON.stringify(input, null, 2),
    prepare: async ({ server, tool: name, arguments: input }) => {
      const wanted = await described(servers, server, name)
      await told(wanted, () => servers.check(wanted, input as JsonObject))
      return {
        act: async () => {
          const { ok, text } = await told(wanted, () => servers.call(wanted, input as JsonObject))
          return { ok, text: results.first(ok ? text : `Error: ${text}`) }
        },
      }
    },
  })

function restOf(results: LongResults, id: string, offset: number): string {
  const text = results.more(id, offset)
  if (text === null) throw new ToolError(`The result ${id} is not kept any more. Call the tool again for less.`)
  return text === '' ? 'That is all.' : text
}

async function described(servers: McpServers, server: string | undefined, name: string): Promise<McpTool> {
  const at = server ?? (servers.names.length === 1 ? servers.names[0] : undefined)
  if (at === undefined) throw new ToolError(`Name the server of ${name}: ${servers.names.join(', ')}.`)
  try {
    return await servers.tool(at, name)
  } catch (error) {
    throw error instanceof McpFailure ? new ToolError(`The MCP server ${at} is not available: ${error.message}`) : error
  }
}

/** What all servers have that fits, or the one that is named; one that cannot be asked is named with the reason, and keeps no other
 *  from answering. One that could not be started before is tried again only by its name: each try may take half a minute. */
async function found(servers: McpServers, server: string | undefined, query: string): Promise<string> {
  const names = server === undefined ? servers.names : [server]
  const lists = await Promise.all(
    names.map(async name => {
      try {
        const away = server === undefined ? servers.whyAway(name) : null
        if (away) throw away
        return { tools: await servers.tools(name), failed: [] }
      } catch (error) {
        if (!(error instanceof McpFailure)) throw error
        const again = server === undefined ? `\nAsk with server ${name} to try again.` : ''
        return { tools: [], failed: [`[${name} is not available: ${error.message}${again}]`] }
      }
    }),
  )
  const tools = lists.flatMap(list => list.tools)
  const failed = lists.flatMap(list => list.failed)
  if (tools.length === 0 && failed.length > 0) throw new ToolError(failed.join('\n'))
  return [listText(matching(tools, query)), ...failed].join('\n')
}

/** A server's failure in words that a model can act on. */
async function told<T>(wanted: McpTool, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof McpFailure ? new ToolError(failureText(error, wanted)) : error
  }
}

const UNSURE = 'It is not known whether the tool acted. Check before repeating it; the server is started anew.'

function failureText({ kind, message }: McpFailure, wanted: McpTool): string {
  const { server, name } = wanted
  switch (kind) {
    case 'arguments':
      return `The arguments do not fit ${server}.${name}: ${message}\nIts schema: ${schemaText(wanted)}`
    case 'timeout':
      return `${server}.${name} was called off: ${message}. ${UNSURE}`
    case 'gone':
      return `The MCP server ${server} went in the middle of ${name}: ${message}\n${UNSURE}`
    case 'unavailable':
      return `The MCP server ${server} is not available: ${message}`
    case 'answer':
      return `${server}.${name} failed: ${message}`
    case 'aborted':
      return message
  }
}
