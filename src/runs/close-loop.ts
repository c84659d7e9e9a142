import type { JsonObject } from '../kernel/json.ts'
import type { RebuiltLoop } from './rebuild.ts'
import type { SavedFrame } from './saved-frames.ts'

const NOT_DONE = 'Error: Not carried out: the run was ended before this call.'

/** The events that end a loop which nobody goes on with, because something else is said now: its open turn, with a word for every
 *  call (L-6), and its end. None where it had ended as a whole. */
export function closingEvents({ loop, nextTurn, state, settled, stopped }: RebuiltLoop): [type: string, data: JsonObject][] {
  const { reply, facts: _, ...counts } = state
  const toolCallCount = counts.toolCallCount + settled.size
  const frames: SavedFrame[] = reply ? [{ from: 'reply' }, ...answersOf(reply.assistantMessage.toolCalls ?? [], settled)] : []
  const turn: JsonObject = {
    loop,
    turn: Math.max(0, nextTurn - 1),
    label: 'turn',
    ...counts,
    toolCallCount,
    facts: null,
    frames: frames as unknown as JsonObject[],
    compaction: null,
  }
  const outcome = { status: 'failed', reason: 'superseded: Something else was said to the run.', finalText: '', ...counts, toolCallCount }
  return [
    ...(reply ? [['checkpoint.saved', turn] as [string, JsonObject]] : []),
    ...(stopped ? [] : [['loop.stopped', { loop, outcome }] as [string, JsonObject]]),
  ]
}

function answersOf(calls: readonly { id: string; name: string }[], settled: RebuiltLoop['settled']): SavedFrame[] {
  return calls.map(({ id, name }) =>
    settled.has(id)
      ? { from: 'call', call: id }
      : { from: 'text', frame: { role: 'tool', content: NOT_DONE, toolCallId: id, toolName: name } },
  )
}
