import type { JsonObject } from '../../kernel/json.ts'
import { version } from '../../kernel/version.ts'
import { inputSchema, outputSchema } from '../../operations/describe.ts'
import type { AnyOperation } from '../../operations/operation.ts'

/** OpenAPI 3.1 of `/api/*`, from the catalogue. */
export function openApi(operations: AnyOperation[]): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'QED', version },
    paths: Object.fromEntries(operations.map(operation => [`/api/${operation.name}`, { post: describePath(operation) }])),
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
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
