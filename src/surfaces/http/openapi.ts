import * as z from 'zod'
import { EngineReply, EngineRequest } from '../../engine/wire/request.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { version } from '../../kernel/version.ts'
import { inputSchema, outputSchema } from '../../operations/describe.ts'
import type { AnyOperation } from '../../operations/operation.ts'

/** OpenAPI 3.1 of `/api/*`, from the catalogue. */
export function openApi(operations: AnyOperation[]): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'QED', version },
    paths: {
      ...Object.fromEntries(operations.map(operation => [`/api/${operation.name}`, { post: describePath(operation) }])),
      '/api/engine': { post: describeEngine() },
    },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
  }
}

function describeEngine(): JsonObject {
  const schema = (of: z.ZodType): JsonObject => z.toJSONSchema(of) as JsonObject
  return {
    operationId: 'engine',
    summary: 'One turn of a model; with Accept: text/event-stream as server-sent events',
    'x-effect': 'execute',
    requestBody: { content: { 'application/json': { schema: schema(EngineRequest) } } },
    responses: {
      200: { description: 'The turn', content: { 'application/json': { schema: schema(EngineReply) } } },
      default: { description: 'Refused or failed: { "error": { code, message, retryAfterMs } }' },
    },
  }
}

function describePath(operation: AnyOperation): JsonObject {
  return {
    operationId: operation.name,
    summary: operation.summary,
    'x-effect': operation.effect,
    requestBody: { content: { 'application/json': { schema: inputSchema(operation) } } },
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: outputSchema(operation) } } },
      default: { description: 'Refused or failed: { "error": { code, message, next } }' },
    },
  }
}
