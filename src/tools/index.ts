import * as z from 'zod'
import type { EngineLoopTool } from '../kernel/frames.ts'
import { applyPatch } from './apply-patch.ts'
import { type AskPerson, askUser } from './ask-user.ts'
import { bash, type ShellPort } from './bash.ts'
import { edit } from './edit.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { ls } from './ls.ts'
import type { LongResults } from './mcp/long-results.ts'
import type { McpServers } from './mcp/servers.ts'
import { mcpTools } from './mcp/tools.ts'
import { read } from './read.ts'
import type { MayRead, Ripgrep } from './ripgrep.ts'
import { todo } from './todo.ts'
import type { AnyTool } from './tool.ts'
import { update } from './update.ts'
import { write } from './write.ts'

export interface ToolPorts {
  search: Ripgrep
  mayRead: MayRead
  shell: ShellPort
  /** None: the tool is not offered. */
  askPerson?: AskPerson
  /** None: no server is set up. */
  mcp?: { servers: McpServers; results: LongResults }
}

/** The built-in tools. Under kinds that change nothing, only the reading ones. */
export function builtInTools({ search, mayRead, shell, askPerson, mcp }: ToolPorts, { readingOnly }: { readingOnly: boolean }): AnyTool[] {
  const reading = [
    read(shell.outputs),
    ls,
    grep(search, mayRead),
    glob(search, mayRead),
    todo,
    ...(askPerson ? [askUser(askPerson)] : []),
    update,
  ]
  const foreign = mcp ? mcpTools(mcp.servers, { readingOnly, results: mcp.results }) : []
  return readingOnly ? [...reading, ...foreign] : [...reading, write, edit, applyPatch, bash(shell), ...foreign]
}

/** Tools as a model is told of them. */
export function offered(tools: readonly AnyTool[]): EngineLoopTool[] {
  return tools.map(({ name, description, effect, input }) => ({ name, description, effect, parameters: parametersOf(input()) }))
}

function parametersOf(schema: z.ZodObject): unknown {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { io: 'input', override: ({ jsonSchema }) => slim(jsonSchema) })
  return parameters
}

// Sent with every request, and checked by the executor in any case: what tells a model nothing is left out.
function slim(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.minLength === 1) delete schema.minLength
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}
