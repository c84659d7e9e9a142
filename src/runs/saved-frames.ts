import type { EngineLoopMessage } from '../kernel/frames.ts'
import type { Json } from '../kernel/json.ts'
import type { KeptText } from '../kernel/kept-text.ts'
import type { Blobs } from '../store/blobs.ts'

/** A frame in a checkpoint: by reference where the log holds it already, else as it is. */
export type SavedFrame =
  | { from: 'reply' }
  | { from: 'call'; call: string }
  | { from: 'text'; frame: Omit<EngineLoopMessage, 'content'> & { content: KeptText } }
  /** Frames that stood there before, from the first place up to the last, which is not meant. */
  | { from: 'kept'; start: number; end: number }

/** What a turn added. A result that reached the model as it was written is referred to; one that was cut, or that no call was
 *  carried out for, is saved. */
export function savedTurn(frame: EngineLoopMessage, results: ReadonlyMap<string, Json>, { keep }: Pick<Blobs, 'keep'>): SavedFrame {
  if (frame.role === 'assistant') return { from: 'reply' }
  const { toolCallId: call = '' } = frame
  const content = keep(frame.content)
  const isWritten = frame.role === 'tool' && JSON.stringify(content) === JSON.stringify(results.get(call))
  return isWritten ? { from: 'call', call } : { from: 'text', frame: { ...frame, content } }
}

/** A whole list, told by the list before it. */
export function savedList(before: readonly EngineLoopMessage[], after: readonly EngineLoopMessage[], { keep }: Pick<Blobs, 'keep'>) {
  const places = new Map(before.map((frame, i) => [frame, i]))
  const saved: SavedFrame[] = []
  for (const frame of after) {
    const place = places.get(frame)
    const last = saved.at(-1)
    if (place === undefined) saved.push({ from: 'text', frame: { ...frame, content: keep(frame.content) } })
    else if (last?.from === 'kept' && last.end === place) last.end = place + 1
    else saved.push({ from: 'kept', start: place, end: place + 1 })
  }
  return saved
}

/** The frames that were meant. */
export function framesOf(
  saved: readonly SavedFrame[],
  known: {
    before: readonly EngineLoopMessage[]
    reply: EngineLoopMessage | null
    results: ReadonlyMap<string, { result: string }>
    read: Blobs['read']
  },
): EngineLoopMessage[] {
  return saved.flatMap((kept): EngineLoopMessage[] => {
    switch (kept.from) {
      case 'text':
        return [{ ...kept.frame, content: known.read(kept.frame.content) }]
      case 'kept':
        return known.before.slice(kept.start, kept.end)
      case 'reply':
        return known.reply ? [known.reply] : []
      case 'call': {
        const name = known.reply?.toolCalls?.find(({ id }) => id === kept.call)?.name ?? ''
        return [{ role: 'tool', content: known.results.get(kept.call)?.result ?? '', toolCallId: kept.call, toolName: name }]
      }
    }
  })
}
