import * as z from 'zod'
import type { JsonObject } from '../../kernel/json.ts'
import { version } from '../../kernel/version.ts'
import { SINGLE_WORDS } from '../../operations/catalogue.ts'
import { inputSchema, outputSchema } from '../../operations/describe.ts'
import type { AnyOperation } from '../../operations/operation.ts'

export const PROTOCOL = 1

/** What the connection itself answers, because it is about the connection. */
export type TransportMethod = 'discover' | 'init' | 'subscribe' | 'unsubscribe'

type Method = { kind: 'operation'; operation: AnyOperation } | { kind: 'transport'; method: TransportMethod }

export const InitParams = z.object({
  project_root: z.string().min(1).describe('Folder of the project'),
  name: z.string().min(1).max(100).optional(),
  client: z
    .object({ name: z.string().max(100), version: z.string().max(100) })
    .optional()
    .describe('Who connects; recorded only'),
})
export const SubscribeParams = z.object({
  after: z.int().nonnegative().optional().describe('Send everything after this seq first'),
  streams: z.array(z.string().min(1)).min(1).max(100).optional(),
  types: z.array(z.string().min(1)).min(1).max(100).optional(),
})
export const UnsubscribeParams = z.object({ subscription: z.string().min(1) })

interface TransportRow {
  names: string[]
  operation: string
  summary: string
  effect: 'read' | 'write'
  params: z.ZodType
  result: z.ZodType
}

const TRANSPORT = {
  discover: {
    names: ['discover', 'rpc.discover', 'rpc/discover', 'system.discover'],
    operation: 'discover',
    summary: 'Every method and notification with its schemas',
    effect: 'read',
    params: z.object({}),
    result: z.object({
      protocol: z.int(),
      version: z.string(),
      methods: z.record(z.string(), z.json()),
      notifications: z.record(z.string(), z.json()),
    }),
  },
  init: {
    names: ['init'],
    operation: 'init',
    summary: 'Make the folder a project where it is none, and bind this connection to it',
    effect: 'write',
    params: InitParams,
    result: z.object({ project_id: z.string(), name: z.string(), protocol: z.int(), version: z.string() }),
  },
  subscribe: {
    names: ['subscribe'],
    operation: 'events.tail',
    summary: 'Send events of the log as notifications, from a seq on, each once and in order',
    effect: 'read',
    params: SubscribeParams,
    result: z.object({ subscription: z.string(), seq: z.int() }),
  },
  unsubscribe: {
    names: ['unsubscribe'],
    operation: 'events.tail',
    summary: 'End a subscription',
    effect: 'read',
    params: UnsubscribeParams,
    result: z.object({}),
  },
} satisfies Record<TransportMethod, TransportRow>

/** What those methods take and give, as types. */
export type TransportMap = {
  [M in TransportMethod]: { input: z.input<(typeof TRANSPORT)[M]['params']>; output: z.output<(typeof TRANSPORT)[M]['result']> }
}

const NOTIFICATIONS = {
  event: {
    summary: 'One event of a subscription',
    params: z.object({
      subscription: z.string(),
      seq: z.int(),
      stream: z.string(),
      type: z.string(),
      at: z.string(),
      data: z.record(z.string(), z.json()),
    }),
  },
}

/** Names of older clients, by the operation behind each. */
const ALIASES: Record<string, string> = { ping: 'system.ping' }

export type MethodTable = Map<string, Method>

export function methodTable(operations: AnyOperation[]): MethodTable {
  const table: MethodTable = new Map()
  for (const operation of operations) table.set(operation.name, { kind: 'operation', operation })
  const alias = (name: string, target: string): void => {
    const method = table.get(target)
    if (method) table.set(name, method)
  }
  for (const word of SINGLE_WORDS) alias(`system.${word}`, word)
  for (const [name, target] of Object.entries(ALIASES)) alias(name, target)
  for (const [method, { names }] of Object.entries(TRANSPORT)) {
    for (const name of names) table.set(name, { kind: 'transport', method: method as TransportMethod })
  }
  return table
}

/** The live catalogue in the form of this protocol. */
export function describeMethods(table: MethodTable): JsonObject {
  const methods = Object.fromEntries(
    [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, method]) => [name, describeMethod(method)]),
  )
  const notifications = Object.fromEntries(
    Object.entries(NOTIFICATIONS).map(([name, { summary, params }]) => [name, { summary, params: z.toJSONSchema(params) as JsonObject }]),
  )
  return { protocol: PROTOCOL, version, methods, notifications }
}

function describeMethod(method: Method): JsonObject {
  if (method.kind === 'operation') {
    const { name, summary, effect, long = false } = method.operation
    const schemas = { params: inputSchema(method.operation), result: outputSchema(method.operation) }
    return { operation: name, summary, effect, ...schemas, needs_init: false, long }
  }
  const { operation, summary, effect, params, result } = TRANSPORT[method.method]
  const schemas = { params: z.toJSONSchema(params, { io: 'input' }) as JsonObject, result: z.toJSONSchema(result) as JsonObject }
  return { operation, summary, effect, ...schemas, needs_init: false, long: false }
}
