import type { QedError } from '../../kernel/errors.ts'
import { exitCodeOf } from '../../kernel/exit-codes.ts'
import { isPlainObject, type JsonObject, parseJson } from '../../kernel/json.ts'
import { publicError } from '../../operations/public-error.ts'

// JSON-RPC 2.0, the pure part: a frame → its members; an error → its number. No socket, no operation.

export type RequestId = string | number | null

export interface Request {
  /** Absent in a notification, which gets no answer. */
  id?: RequestId
  method: string
  params: JsonObject
}

export interface RpcError {
  code: number
  message: string
  data: JsonObject
}

export type Member = { kind: 'request'; request: Request } | { kind: 'wrong'; id: RequestId; error: RpcError }
export type Frame = { kind: 'single'; member: Member } | { kind: 'batch'; members: Member[] }

const MOST_BATCH = 100

export function readFrame(text: string): Frame {
  const value = parseJson(text)
  if (value === undefined) return wrongFrame(-32700, 'The frame is not JSON.', 'parse')
  if (!Array.isArray(value)) return { kind: 'single', member: readMember(value) }
  if (value.length === 0) return wrongFrame(-32600, 'A batch has at least one member.', 'invalid_request')
  if (value.length > MOST_BATCH)
    return wrongFrame(-32600, `A batch has at most ${MOST_BATCH} members, this one ${value.length}.`, 'invalid_request')
  return { kind: 'batch', members: value.map(readMember) }
}

function readMember(value: unknown): Member {
  const id = isPlainObject(value) && isId(value['id']) ? value['id'] : null
  const refuse = (message: string, code = -32600, name = 'invalid_request'): Member => ({
    kind: 'wrong',
    id,
    error: { code, message, data: { code: name } },
  })
  if (!isPlainObject(value)) return refuse('A request is a JSON object.')
  const { jsonrpc, method, params = {} } = value
  if (jsonrpc !== '2.0') return refuse('A request says "jsonrpc": "2.0".')
  if (typeof method !== 'string') return refuse('A request names its method as a string.')
  if ('id' in value && !isId(value['id'])) return refuse('An id is a string or a number.')
  if (!isPlainObject(params)) return refuse('params is an object with names, not a list.', -32602, 'invalid_params')
  const request = { method, params: params as JsonObject }
  return { kind: 'request', request: 'id' in value ? { ...request, id } : request }
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function wrongFrame(code: number, message: string, name: string): Frame {
  return { kind: 'single', member: { kind: 'wrong', id: null, error: { code, message, data: { code: name } } } }
}

/** What an exit code means as a JSON-RPC number and an HTTP-like status. */
const BY_EXIT: Record<number, { code: number; status: number }> = {
  3: { code: -32002, status: 404 },
  4: { code: -32004, status: 403 },
  7: { code: -32005, status: 413 },
  8: { code: -32003, status: 409 },
  10: { code: -32006, status: 504 },
  130: { code: -32008, status: 499 },
}

/** Codes that are told apart within one exit code. */
const BY_CODE: Record<string, { code: number; status?: number; name?: string }> = {
  internal: { code: -32603 },
  invalid_input: { code: -32602, name: 'invalid_params' },
  too_large: { code: -32005, status: 413 },
  busy: { code: -32007, status: 429 },
}

export function toRpcError(error: QedError): RpcError {
  const { message, details, ...rest } = publicError(error)
  const row: { code: number; status?: number; name?: string } = BY_CODE[error.code] ?? BY_EXIT[exitCodeOf(error.code)] ?? { code: -32000 }
  const status = row.status === undefined ? {} : { status: row.status }
  return { code: row.code, message, data: { ...rest, ...details, code: row.name ?? error.code, ...status } }
}

export function unknownMethod(method: string, near: string[]): RpcError {
  return {
    code: -32601,
    message: `There is no method ${method}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ' discover lists those there are.'}`,
    data: { code: 'unknown_method', near },
  }
}
