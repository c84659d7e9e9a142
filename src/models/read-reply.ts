import type { EngineLoopMessage, EngineLoopResponse, EngineLoopTool, EngineToolCall, ReplyWarning, Usage } from '../kernel/frames.ts'
import { isPlainObject } from '../kernel/json.ts'
import type { Dialect, Shape } from '../text/dialects/types.ts'
import type { ModelReply } from './collect.ts'

type WholeReply = ModelReply & { usage: Usage }

/** Turns a whole reply into what a loop takes: its calls found, its doubtful ones marked. */
export type ReadReply = (reply: WholeReply, tools: readonly EngineLoopTool[]) => EngineLoopResponse | Promise<EngineLoopResponse>

/** Structured calls; where a model wrote its calls into the text instead, those. */
export const readNative: ReadReply = (reply, tools) => (reply.calls.length > 0 ? structured(reply) : fromText(reply, tools, 'native'))

export const readTags: ReadReply = (reply, tools) => (reply.calls.length > 0 ? structured(reply) : fromText(reply, tools, 'auto'))

function structured(reply: WholeReply): EngineLoopResponse {
  return response(reply, { content: reply.text, calls: reply.calls, rejected: [], warnings: [] })
}

// Loaded when a reply without structured calls comes: most models need it for their last words only.
async function fromText(reply: WholeReply, tools: readonly EngineLoopTool[], dialect: Dialect): Promise<EngineLoopResponse> {
  const [{ parseReply }, { argumentsForTool, inOrder }] = await Promise.all([
    import('../text/dialects/parse-reply.ts'),
    import('../text/dialects/hand-over.ts'),
  ])
  const parsed = parseReply(reply.text, { dialect, tools: tools.map(toShape) })
  const calls = inOrder(parsed).map(
    (call): EngineToolCall => ({
      id: call.id,
      name: call.name,
      arguments: JSON.stringify(argumentsForTool(call)),
    }),
  )
  const rejected = parsed.rejected.map(({ id, message }) => ({ id, message }))
  return response(reply, { content: parsed.text, calls, rejected, warnings: parsed.warnings })
}

function toShape({ name, effect, parameters }: EngineLoopTool): Shape {
  return { name, effect, parameters: isPlainObject(parameters) ? parameters : undefined }
}

interface ReadText {
  content: string
  calls: EngineToolCall[]
  rejected: { id: string; message: string }[]
  warnings: ReplyWarning[]
}

function response({ finish, usage }: WholeReply, { content, calls, rejected, warnings }: ReadText): EngineLoopResponse {
  if (finish === 'refused') return { stop: 'error', code: 'failed', message: 'The model provider refused to answer this.' }
  const assistantMessage: EngineLoopMessage = { role: 'assistant', content, ...(calls.length > 0 && { toolCalls: calls }) }
  const common = {
    assistantMessage,
    tokensUsed: usage.total,
    usage,
    ...(rejected.length > 0 && { rejected }),
    ...(warnings.length > 0 && { warnings }),
  }
  if (finish === 'length') return { stop: 'text', content, truncated: true, ...common }
  if (calls.length > 0 || finish === 'tool_use') return { stop: 'tool_use', ...common }
  return { stop: 'text', content, ...common }
}
