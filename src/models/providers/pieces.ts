import type { LanguageModelV4Message, LanguageModelV4StreamPart, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { inputOf } from './to-prompt.ts'

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>
export type Piece = Extract<Assistant['content'][number], { type: 'text' | 'reasoning' | 'tool-call' }>

/** Puts a streamed reply together again, in its order, with all that the model provider says of each piece. */
export function createPieces(): { take: (part: LanguageModelV4StreamPart) => void; all: () => Piece[] } {
  const pieces: Piece[] = []
  const open = new Map<string, Piece>()
  const begin = (id: string, piece: Piece): void => {
    open.set(id, piece)
    pieces.push(piece)
  }
  return {
    take: part => {
      if (part.type === 'text-start') begin(`text ${part.id}`, { type: 'text', text: '' })
      else if (part.type === 'reasoning-start') begin(`reasoning ${part.id}`, { type: 'reasoning', text: '' })
      else if (part.type === 'tool-call') {
        const { toolCallId, toolName, input } = part
        begin(`call ${toolCallId}`, { type: 'tool-call', toolCallId, toolName, input: inputOf(input) })
      }
      const piece = open.get(nameOf(part))
      if (!piece) return
      if ('delta' in part && piece.type !== 'tool-call') piece.text += part.delta
      if ('providerMetadata' in part && part.providerMetadata) piece.providerOptions = merged(piece.providerOptions, part.providerMetadata)
    },
    all: () => pieces,
  }
}

function nameOf(part: LanguageModelV4StreamPart): string {
  if (part.type === 'tool-call') return `call ${part.toolCallId}`
  return 'id' in part ? `${part.type.slice(0, part.type.lastIndexOf('-'))} ${part.id}` : ''
}

/** A signature comes last; what was null before is known then. */
function merged(before: SharedV4ProviderOptions = {}, more: SharedV4ProviderOptions): SharedV4ProviderOptions {
  return { ...before, ...Object.fromEntries(Object.entries(more).map(([name, facts]) => [name, { ...before[name], ...facts }])) }
}
