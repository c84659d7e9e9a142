import { randomBytes } from 'node:crypto'
import { isPlainObject } from '../../../kernel/json.ts'
import type { ModelPart } from '../../port.ts'
import { objectOf, textOf } from './read.ts'

export interface OpenCall {
  id: string
  name: string
  arguments: string
  /** What has to be sent back with it. */
  extra: object
}

/** The calls of a reply, put together from their pieces. */
export function openCalls(): { add: (pieces: readonly unknown[]) => ModelPart[]; all: () => OpenCall[] } {
  const calls: (OpenCall & { place: unknown })[] = []

  const addPiece = (piece: Record<string, unknown>): ModelPart[] => {
    const about = objectOf(piece['function'])
    const id = textOf(piece['id'])
    const name = textOf(about['name'])
    const text = argumentText(about['arguments'])
    const place = piece['index']
    const known = typeof place === 'number' ? calls.findLast(call => call.place === place) : calls.at(-1)
    // Ollama and others have given every call the place 0, or none: what has a name and an id of its own is another call.
    const begins = !known || (id !== '' && id !== known.id && (name !== '' || typeof place !== 'number'))
    const call = begins ? { id: id || newCallId(), name, arguments: '', extra: {}, place } : known
    if (isPlainObject(piece['extra_content'])) call.extra = { extra_content: piece['extra_content'] }
    if (call.name === '') call.name = name
    call.arguments += text
    if (begins) calls.push(call)
    return [
      ...(begins ? [{ kind: 'call-start', id: call.id, name: call.name } as const] : []),
      ...(text === '' ? [] : [{ kind: 'call-delta', id: call.id, text } as const]),
    ]
  }

  return { add: pieces => pieces.filter(isPlainObject).flatMap(addPiece), all: () => calls }
}

/** No call of a conversation may be taken for another, whoever reads it later. */
function newCallId(): string {
  return `call_${randomBytes(6).toString('hex')}`
}

function argumentText(value: unknown): string {
  return isPlainObject(value) ? JSON.stringify(value) : textOf(value)
}
