// Replies of models that think carry thoughts, encrypted or signed, that have to go back with the results of their calls, exactly as
// they came and only behind exactly what they were an answer to. So each is kept as it came, with a digest of what stood before it;
// where anything there has changed (frames were summarised, the run goes on in another process), the bare frame is sent instead.
import { hash } from 'node:crypto'
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { EngineLoopMessage, EngineLoopTool } from '../../kernel/frames.ts'
import { prefixFold } from '../../kernel/prefix-fold.ts'
import { createPieces, type Piece } from './pieces.ts'
import { toMessage } from './to-prompt.ts'

interface Kept {
  before: string
  /** What the frame must say for the reply to stand in its place. */
  said: string
  content: Piece[]
}

export interface Replay {
  /** A conversation as the model provider has to see it, and a digest of it. */
  promptFor: (messages: readonly EngineLoopMessage[], tools: readonly EngineLoopTool[]) => { prompt: LanguageModelV4Prompt; digest: string }
  /** Takes in a reply to what has the digest. */
  record: (before: string) => (part: LanguageModelV4StreamPart) => void
  /** Makes what was kept be sent no more; whether there was anything. */
  forget: () => boolean
}

/** Nothing is written down: it is of use to its model provider only. */
export function createReplay(): Replay {
  const kept = new Map<string, Kept>()
  let folds = new WeakMap<readonly EngineLoopTool[], Fold>()
  const foldFor = (tools: readonly EngineLoopTool[]): Fold => {
    const known = folds.get(tools) ?? foldBehind(JSON.stringify(tools), kept)
    folds.set(tools, known)
    return known
  }
  return {
    promptFor: (messages, tools) => {
      const { prompt, digest } = foldFor(tools)(messages)
      return { prompt: listed(prompt), digest }
    },
    record: before => {
      const pieces = createPieces()
      return part => {
        pieces.take(part)
        if (part.type === 'finish') keep(kept, before, pieces.all())
      }
    },
    forget: () => {
      const had = kept.size > 0
      kept.clear()
      folds = new WeakMap()
      return had
    },
  }
}

const MOST = 1_000

function keep(kept: Map<string, Kept>, before: string, content: Piece[]): void {
  const calls = content.flatMap(piece => (piece.type === 'tool-call' ? [{ id: piece.toolCallId, name: piece.toolName }] : []))
  const [first] = calls
  if (!first || !content.some(({ providerOptions }) => providerOptions)) return
  const text = content.map(piece => (piece.type === 'text' ? piece.text : '')).join('')
  kept.set(first.id, { before, said: JSON.stringify([text, calls]), content })
  const [oldest] = kept.keys()
  if (kept.size > MOST && oldest !== undefined) kept.delete(oldest)
}

interface Chain {
  made: LanguageModelV4Message
  rest: Chain | null
}
type Fold = (messages: readonly EngineLoopMessage[]) => { prompt: Chain | null; digest: string }

function foldBehind(start: string, kept: ReadonlyMap<string, Kept>): Fold {
  const empty: ReturnType<Fold> = { prompt: null, digest: hash('sha256', start) }
  return prefixFold<EngineLoopMessage, ReturnType<Fold>>(empty, ({ prompt, digest }, message) => {
    const made = replayed(message, digest, kept) ?? toMessage(message)
    return { prompt: { made, rest: prompt }, digest: hash('sha256', digest + JSON.stringify(made)) }
  })
}

function listed(chain: Chain | null): LanguageModelV4Prompt {
  const list: LanguageModelV4Prompt = []
  for (let at = chain; at; at = at.rest) list.push(at.made)
  return list.reverse()
}

function replayed({ content, toolCalls = [] }: EngineLoopMessage, before: string, kept: ReadonlyMap<string, Kept>) {
  const reply = kept.get(toolCalls[0]?.id ?? '')
  const said = JSON.stringify([content, toolCalls.map(({ id, name }) => ({ id, name }))])
  return reply?.before === before && reply.said === said ? ({ role: 'assistant', content: reply.content } as const) : null
}
