import type { EngineLoopMessage } from '../../kernel/frames.ts'
import { asData } from '../foreign-text.ts'

// C-76: what becomes of a transcript that is nearly full. Pure: counting and summarising are handed in.

/** What stands in place of frames is put together from texts that nobody has looked at as one. */
type Redact = (text: string) => string

const KEPT_TURNS = 6
const LONG_RESULT = 1_000

/** The frames in three parts: what is kept byte for byte, the middle, and the last turns. A call and its results stay together. */
export interface Parts {
  head: EngineLoopMessage[]
  middle: EngineLoopMessage[]
  tail: EngineLoopMessage[]
}

/** System and first user frame; the last six turns; all between. */
export function partsOf(frames: readonly EngineLoopMessage[]): Parts {
  const firstUser = frames.findIndex(({ role }) => role === 'user')
  const headEnd = firstUser + 1
  const turns = frames.flatMap(({ role }, i) => (role === 'assistant' && i >= headEnd ? [i] : []))
  const tailStart = turns.at(-KEPT_TURNS) ?? frames.length
  return { head: frames.slice(0, headEnd), middle: frames.slice(headEnd, tailStart), tail: frames.slice(tailStart) }
}

/** Step 1: long results of older turns become one line each. Frames that stay as they are keep their identity. */
export function shortenResults(frames: readonly EngineLoopMessage[], redact: Redact = text => text): EngineLoopMessage[] {
  const { head, middle, tail } = partsOf(frames)
  // Ids are unique in their turn only.
  let calls = new Map<string, string>()
  const shorter = middle.map((frame): EngineLoopMessage => {
    if (frame.role === 'assistant') calls = new Map(frame.toolCalls?.map(call => [call.id, call.arguments]))
    if (frame.role !== 'tool' || frame.content.length <= LONG_RESULT) return frame
    const target = targetOf(calls.get(frame.toolCallId ?? '') ?? '')
    const outcome = frame.content.startsWith('Error: ') ? 'failed' : 'succeeded'
    const again = `${frame.content.length} characters left out; call ${frame.toolName ?? 'it'} again to see them`
    return { ...frame, content: redact(`[${frame.toolName ?? 'tool'}${target} ${outcome}; ${again}]`) }
  })
  return [...head, ...shorter, ...tail]
}

function targetOf(args: string): string {
  const [, value = ''] = /"(?:path|command|pattern)"\s*:\s*"((?:[^"\\]|\\.){1,120})/.exec(args) ?? []
  return value === '' ? '' : ` ${value}`
}

/** Step 2: the middle becomes one user frame: first what QED knows, word for word, then the summary, if there is one. */
export function foldMiddle(
  frames: readonly EngineLoopMessage[],
  { known, summary }: { known: string; summary: string | null },
  redact: Redact = text => text,
): EngineLoopMessage[] {
  const { head, middle, tail } = partsOf(frames)
  if (middle.length === 0) return [...frames]
  const parts = [
    'Earlier turns were folded to save room. What is certain:',
    known,
    ...(summary === null ? [] : ['A summary of what was said and done, by the model:', asData(summary, 'summary')]),
  ]
  return [...head, { role: 'user', content: redact(parts.join('\n\n')) }, ...tail]
}
