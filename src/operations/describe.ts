import * as z from 'zod'
import type { JsonObject } from '../kernel/json.ts'
import type { AnyOperation } from './operation.ts'

/** Ways in that an operation has. Person-only ones are never offered to agents. */
function surfacesOf(operation: AnyOperation): string[] {
  return ['cli', 'rpc', 'http', ...(mcpSetOf(operation) === 'never' ? [] : ['mcp'])]
}

export function mcpSetOf(operation: AnyOperation): 'core' | 'full' | 'never' {
  return operation.personOnly ? 'never' : (operation.mcp ?? 'full')
}

export function exitCodesOf(operation: AnyOperation): number[] {
  return [...new Set([0, 1, 2, ...(operation.exitCodes ?? []), ...(operation.personOnly ? [4] : [])])].sort((a, b) => a - b)
}

/** JSON Schema 2020-12 of what a caller sends. */
export function inputSchema(operation: AnyOperation): JsonObject {
  return z.toJSONSchema(operation.input, { io: 'input' }) as JsonObject
}

/** JSON Schema 2020-12 of what it gets. */
export function outputSchema(operation: AnyOperation): JsonObject {
  return z.toJSONSchema(operation.output(), { io: 'output' }) as JsonObject
}

export interface OperationDescription {
  name: string
  summary: string
  effect: 'read' | 'write' | 'execute'
  input: JsonObject
  output: JsonObject
  surfaces: string[]
  positional: string[]
  person_only: boolean
  streams: boolean
  mcp: 'core' | 'full' | 'never'
  exit_codes: number[]
}

export function describe(operation: AnyOperation): OperationDescription {
  return {
    name: operation.name,
    summary: operation.summary,
    effect: operation.effect,
    input: inputSchema(operation),
    output: outputSchema(operation),
    surfaces: surfacesOf(operation),
    positional: operation.positional ?? [],
    person_only: operation.personOnly ?? false,
    streams: operation.streams ?? false,
    mcp: mcpSetOf(operation),
    exit_codes: exitCodesOf(operation),
  }
}
