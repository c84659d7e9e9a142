import * as z from 'zod'
import { type NextStep, type QedError, Usage } from '../../kernel/errors.ts'
import { exitCodeOf } from '../../kernel/exit-codes.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { nearest } from '../../kernel/names.ts'
import { inputSchema, mcpSetOf } from '../../operations/describe.ts'
import type { AnyOperation } from '../../operations/operation.ts'
import { publicError } from '../../operations/public-error.ts'

/** Text beyond this is left to `structuredContent`; the text says what it left out. */
const MOST_TEXT = 8192

export function toolName(operation: { name: string }): string {
  return `qed_${operation.name.replaceAll(/[.-]/g, '_')}`
}

/** The operations that a tool set names: `core`, `full`, or tool names with commas. */
export function chooseTools(all: AnyOperation[], set: string): AnyOperation[] {
  const offered = all.filter(operation => mcpSetOf(operation) !== 'never')
  if (set === 'full') return offered
  if (set === 'core') return offered.filter(operation => mcpSetOf(operation) === 'core')
  return set.split(',').map(name => {
    const found = offered.find(operation => toolName(operation) === name.trim())
    if (!found) throw unknownTool(name.trim(), offered)
    return found
  })
}

function unknownTool(name: string, offered: AnyOperation[]): Usage {
  const near = nearest(name, offered.map(toolName))
  return new Usage(`There is no tool ${name}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''}`, {
    details: { tool: name, near },
    next: { command: 'qed mcp start --tools full', why: 'It offers every tool.' },
  })
}

export interface ToolDescription {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  outputSchema: { type: 'object'; [key: string]: unknown }
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
}

export function describeTool(operation: AnyOperation): ToolDescription {
  const reads = operation.effect === 'read'
  const description = [operation.summary, operation.when].filter(Boolean).join('. ')
  return {
    name: toolName(operation),
    title: operation.summary,
    description,
    inputSchema: { ...inputSchema(operation), type: 'object' },
    outputSchema: { ...(z.toJSONSchema(ToolResult(operation)) as JsonObject), type: 'object' },
    annotations: {
      title: operation.summary,
      readOnlyHint: reads,
      destructiveHint: operation.destructive ?? false,
      idempotentHint: reads || (operation.idempotent ?? false),
      openWorldHint: operation.openWorld ?? false,
    },
  }
}

const Next = () => z.object({ tool: z.string().optional(), command: z.string().optional(), why: z.string() })
const ToolResult = (operation: AnyOperation) =>
  z.object({
    result: operation.output().optional(),
    blocked: z.object({ code: z.string(), reason: z.string(), next: Next().optional() }).optional(),
    error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  })

export interface ToolAnswer {
  [key: string]: unknown
  structuredContent: JsonObject
  content: [{ type: 'text'; text: string }]
  isError: boolean
}

export function resultAnswer(output: unknown): ToolAnswer {
  return answer({ result: output as JsonObject }, false)
}

/** What a state does not allow is an answer that the agent can act on, not a failure of the tool. */
export function errorAnswer(error: QedError): ToolAnswer {
  const { code, message, next, ...rest } = publicError(error)
  const exit = exitCodeOf(code)
  if (exit < 4 || exit > 8) return answer({ error: { code, message, ...(next && { next }), ...rest } }, true)
  return answer({ blocked: { code, reason: message, ...(next && { next: nextTool(next) }) } }, false)
}

function nextTool(next: NextStep): JsonObject {
  return {
    ...(next.operation && { tool: toolName({ name: next.operation }) }),
    ...(next.command && { command: next.command }),
    why: next.why,
  }
}

function answer(structuredContent: JsonObject, isError: boolean): ToolAnswer {
  return { structuredContent, content: [{ type: 'text', text: shortened(JSON.stringify(structuredContent)) }], isError }
}

function shortened(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MOST_TEXT) return text
  const kept = bytes
    .subarray(0, MOST_TEXT - 200)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
  return `${kept}\n… cut: ${bytes.length - Buffer.byteLength(kept)} of ${bytes.length} bytes; structuredContent has all.`
}
