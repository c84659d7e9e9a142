import * as z from 'zod'
import { isMutatingName } from '../offered.ts'
import { EngineCommandKind, EngineLoopMessage, EngineLoopTool, Usage } from '../schemas.ts'
import { faultInFrames } from './frames.ts'

const MOST_MESSAGES = 2_000
const MOST_TOOLS = 128
/** Deeper than any schema of a tool that means something; what walks a value later has only so much of a stack. */
const MOST_DEPTH = 200

/** One turn, as it is asked for at `POST /api/engine`. Unknown keys are stripped. */
export const EngineRequest = z.object({
  personaSlug: z.string(),
  messages: z.array(EngineLoopMessage).min(1).max(MOST_MESSAGES),
  tools: z.array(EngineLoopTool).max(MOST_TOOLS),
  command: EngineCommandKind.optional(),
  model: z.string().min(1).optional(),
  maxTokens: z.int().nonnegative().optional(),
  temperature: z.number().min(0).max(2).optional(),
})
export type EngineRequest = z.infer<typeof EngineRequest>

const WireCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() })

/** The answer to it. */
export const EngineReply = z.object({
  stop: z.enum(['text', 'tool_use', 'length']),
  content: z.string(),
  toolCalls: z.array(WireCall).optional(),
  /** Calls that were found doubtful. Not among `toolCalls`, so that a program which does not know this field never runs one. */
  rejected: z.array(WireCall.extend({ message: z.string() })).optional(),
  tokensUsed: z.number(),
  model: z.string(),
  usage: Usage.optional(),
})
export type EngineReply = z.infer<typeof EngineReply>

/** Why a request is not carried out. */
export interface WireFailure {
  status: 400 | 403 | 422 | 429 | 502 | 504
  code: string
  message: string
  /** JSON pointer to the fault. */
  path?: string
  retryAfterMs?: number
}

/** Checks a request before any model is called. */
export function readEngineRequest(value: unknown): { ok: true; request: EngineRequest } | { ok: false; failure: WireFailure } {
  if (isDeeper(value, MOST_DEPTH)) return badRequest('', `nested deeper than ${MOST_DEPTH} levels`)
  const parsed = EngineRequest.safeParse(value)
  if (!parsed.success) {
    const { path = [], message = 'it does not fit' } = parsed.error.issues[0] ?? {}
    return badRequest(`/${path.map(String).join('/')}`, message)
  }
  const request = parsed.data
  const changing =
    request.command === 'plan' || request.command === 'explain' ? request.tools.map(({ name }) => name).filter(isMutatingName) : []
  if (changing.length > 0) {
    const message = `A ${request.command} changes nothing, but these tools would: ${changing.join(', ')}. Leave them out.`
    return { ok: false, failure: { status: 403, code: 'tool_refused', message } }
  }
  const fault = faultInFrames(request.messages)
  return fault ? badRequest(fault.path, fault.message) : { ok: true, request }
}

function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap(member => (typeof member === 'object' && member !== null ? Object.values(member) : []))
  }
  return false
}

function badRequest(path: string, message: string): { ok: false; failure: WireFailure } {
  return { ok: false, failure: { status: 400, code: 'bad_request', message: `${path}: ${message}`, path } }
}
