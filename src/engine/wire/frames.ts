import type { EngineLoopMessage } from '../types.ts'

/** What is wrong with the order of frames: an answer without its call, or a call without its answer. Model providers refuse both,
 *  each in words of its own. */
export function faultInFrames(messages: readonly EngineLoopMessage[]): { path: string; message: string } | null {
  const known = new Set<string>()
  let open = new Map<string, string>()
  for (const [i, { role, toolCalls = [], toolCallId }] of messages.entries()) {
    if (role === 'tool') {
      const path = `/messages/${i}/toolCallId`
      if (toolCallId === undefined) return { path, message: 'a tool frame names the call that it answers' }
      if (!known.has(toolCallId)) return { path, message: `no earlier assistant frame has a call ${toolCallId}` }
      if (!open.delete(toolCallId)) return { path, message: `the call ${toolCallId} was answered already` }
      continue
    }
    if (role === 'system') continue
    const unanswered = firstOf(open)
    if (unanswered) return unanswered
    open = new Map(role === 'assistant' ? toolCalls.map(({ id }, n) => [id, `/messages/${i}/toolCalls/${n}`]) : [])
    for (const id of open.keys()) known.add(id)
  }
  // The reply that is asked for is the next assistant frame.
  return firstOf(open)
}

function firstOf(open: ReadonlyMap<string, string>): { path: string; message: string } | null {
  for (const [id, path] of open) return { path, message: `the call ${id} is not answered before the next frame of a user or assistant` }
  return null
}
