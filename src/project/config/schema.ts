import * as z from 'zod'
import type { JsonObject } from '../../kernel/json.ts'
import { configKeys } from './keys.ts'

/** The JSON Schema of a config file, for editors, from the same rows that check it. */
export function configJsonSchema(): JsonObject {
  const root = group()
  root['$schema'] = 'https://json-schema.org/draft/2020-12/schema'
  root['title'] = 'QED config'
  properties(root)['$schema'] = { type: 'string' }
  for (const row of configKeys) {
    const path = row.key.split('.')
    const last = path.pop() ?? ''
    const { $schema: _dialect, ...shape } = z.toJSONSchema(row.schema()) as JsonObject
    properties(path.reduce(child, root))[last] = {
      ...shape,
      description: row.about,
      ...(row.default !== undefined && { default: row.default }),
    }
  }
  return root
}

function group(): JsonObject {
  return { type: 'object', properties: {}, additionalProperties: false }
}

function properties(node: JsonObject): JsonObject {
  return node['properties'] as JsonObject
}

function child(node: JsonObject, part: string): JsonObject {
  if (part === '*') {
    if (node['additionalProperties'] === false) node['additionalProperties'] = group()
    return node['additionalProperties'] as JsonObject
  }
  const members = properties(node)
  members[part] ??= group()
  return members[part] as JsonObject
}
