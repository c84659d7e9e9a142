import { isPlainObject, parseJson } from '../../../kernel/json.ts'
import { ModelFailed } from '../../failure.ts'
import type { FinishReason, ModelPart } from '../../port.ts'
import { Refused } from '../refused.ts'
import { type OpenCall, openCalls } from './calls.ts'
import type { Keepsakes } from './keepsakes.ts'
import { objectOf, textOf } from './read.ts'
import { addDetails, textsOf } from './thoughts.ts'
import { usageOf } from './usage.ts'

const FINISHES: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool_use',
  tool_use: 'tool_use',
  function_call: 'tool_use',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'refused',
}
/** The server gave up; what came before is not an answer. */
const BROKEN: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource'])

/** Reads a streamed reply, one event at a time. Servers differ: thinking has several names, a call may come whole or in pieces, with
 *  or without its place in the list, and figures come with the last event or after it. */
export function createReplyReader(keepsakes: Keepsakes): { read: (data: string) => ModelPart[]; end: () => ModelPart[] } {
  const calls = openCalls()
  const details: Record<string, unknown>[] = []
  let thoughts = ''
  let finish: FinishReason | null = null
  let usage: ReturnType<typeof usageOf> = null

  return {
    read: data => {
      const event = parseJson(data)
      if (!isPlainObject(event)) throw new ModelFailed('server', 'The model provider sent a piece that is not JSON.')
      if (isRefusal(event)) throw new Refused({ statusCode: statusIn(event), body: data, message: 'The model provider sent an error.' })
      const choice = Array.isArray(event['choices']) ? objectOf(event['choices'][0]) : {}
      const counted = event['usage'] ?? choice['usage'] ?? objectOf(event['x_groq'])['usage']
      if (isPlainObject(counted)) usage = usageOf(counted)
      const reason = textOf(choice['finish_reason'])
      if (BROKEN.has(reason)) throw new ModelFailed('server', `The reply broke off (${reason}).`)
      if (reason !== '') finish = FINISHES[reason] ?? 'other'
      const delta = objectOf(choice['delta'] ?? choice['message'])
      const wanted = textOf(delta['reasoning_content'])
      thoughts += wanted
      addDetails(details, delta['reasoning_details'])
      const { thinking, text } = textsOf(delta['content'])
      const parts: ModelPart[] = [
        { kind: 'thinking', text: wanted || textOf(delta['reasoning']) || thinking },
        { kind: 'text', text },
        ...(Array.isArray(delta['tool_calls']) ? calls.add(delta['tool_calls']) : []),
      ]
      return parts.filter(part => !('text' in part) || part.text !== '')
    },
    end: () => {
      // A stream that broke off says nothing of how it ended; nothing of it may be carried out.
      if (finish === null) return []
      const whole = calls.all()
      const frame = { ...(thoughts !== '' && { reasoning_content: thoughts }), ...(details.length > 0 && { reasoning_details: details }) }
      for (const { id, extra } of whole) keepsakes.keep(id, { frame, call: extra })
      return [...whole.map(toPart), { kind: 'finish', reason: finish, usage }]
    },
  }
}

function toPart({ id, name, arguments: text }: OpenCall): ModelPart {
  return { kind: 'call', id, name, arguments: text || '{}' }
}

/** `{ error }` is what most send; vLLM has sent the error itself. */
function isRefusal(event: Record<string, unknown>): boolean {
  return (event['error'] !== undefined && event['error'] !== null) || event['object'] === 'error'
}

function statusIn(event: Record<string, unknown>): number | undefined {
  const { code, status } = { ...event, ...objectOf(event['error']) }
  return [code, status].map(Number).find(figure => figure >= 400 && figure < 600)
}
