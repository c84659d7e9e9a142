import type { EngineToolCall, Usage } from '../kernel/frames.ts'
import { ModelFailed } from './failure.ts'
import type { FinishReason, ModelPart } from './port.ts'

/** A whole reply. */
export interface ModelReply {
  text: string
  thinking: string
  calls: EngineToolCall[]
  finish: FinishReason
  usage: Usage | null
}

/** Takes a stream in to its end. One that ends without saying so was cut: nothing of it may be carried out. */
export async function collect(parts: AsyncIterable<ModelPart>, onPart: (part: ModelPart) => void = () => undefined): Promise<ModelReply> {
  const reply: ModelReply = { text: '', thinking: '', calls: [], finish: 'other', usage: null }
  let ended = false
  for await (const part of parts) {
    onPart(part)
    if (part.kind === 'text') reply.text += part.text
    else if (part.kind === 'thinking') reply.thinking += part.text
    else if (part.kind === 'call') reply.calls.push({ id: part.id, name: part.name, arguments: part.arguments })
    else if (part.kind === 'finish') {
      ended = true
      reply.finish = part.reason
      reply.usage = part.usage
    }
  }
  if (!ended) throw new ModelFailed('server', 'The reply broke off before its end.')
  return reply
}
