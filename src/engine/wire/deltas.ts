import { isPlainObject } from '../../kernel/json.ts'
import type { ModelPart } from '../../models/port.ts'
import { LiveReply } from '../../text/dialects/live-reply.ts'
import type { EngineLoopTool } from '../types.ts'
import type { EngineReply } from './request.ts'

/** One server-sent event of a turn. */
export type WireEvent =
  | { type: 'text-delta'; data: { text: string } }
  | { type: 'thinking-delta'; data: { text: string } }
  | { type: 'call-start'; data: { id: string; name: string } }
  | { type: 'call-delta'; data: { id: string; arguments: string } }
  | { type: 'call-end'; data: { id: string } }
  | { type: 'usage'; data: NonNullable<EngineReply['usage']> }

export interface Deltas {
  take: (part: ModelPart) => void
  /** Sends what was held back, so that the deltas joined are the final fields. */
  end: (reply: EngineReply) => void
}

const MANY_LINES = /(?:\r?\n){3,}/

interface DeltaOptions {
  tools: readonly EngineLoopTool[]
  dialect: 'native' | 'tags'
  onEvent: (event: WireEvent) => void
}

/** Parts of a reply as events. Text that could still turn out to be a call, or to be nothing (blanks at the ends), is held back
 *  until the whole reply was read. */
export function createDeltas({ tools, dialect, onEvent }: DeltaOptions): Deltas {
  const live = new LiveReply({
    dialect: dialect === 'tags' ? 'auto' : 'native',
    tools: tools.map(({ name, parameters }) => ({ name, parameters: isPlainObject(parameters) ? parameters : undefined })),
  })
  const sentCalls = new Set<string>()
  let sent = ''
  let blanks = ''
  let plain = true

  const text = (piece: string): void => {
    const whole = sent === '' ? piece.trimStart() : blanks + piece
    // Many empty lines become one where calls are looked for in the text, which only the end tells.
    const gap = whole.search(MANY_LINES)
    if (gap >= 0) plain = false
    const shown = gap < 0 ? whole : whole.slice(0, gap)
    const kept = shown.trimEnd()
    blanks = shown.slice(kept.length)
    if (kept === '') return
    sent += kept
    onEvent({ type: 'text-delta', data: { text: kept } })
  }
  const call = (made: { id: string; name: string; arguments: string }): void => {
    onEvent({ type: 'call-start', data: { id: made.id, name: made.name } })
    onEvent({ type: 'call-delta', data: { id: made.id, arguments: made.arguments } })
    onEvent({ type: 'call-end', data: { id: made.id } })
  }

  return {
    take: part => {
      switch (part.kind) {
        case 'text':
          // From the first thing on that is not plain text, only the whole reply tells what is content.
          for (const shown of plain ? live.push(part.text) : []) {
            if (shown.kind !== 'text') plain = false
            else if (plain) text(shown.text)
          }
          return
        case 'thinking':
          return onEvent({ type: 'thinking-delta', data: { text: part.text } })
        case 'call-start':
          sentCalls.add(part.id)
          return onEvent({ type: 'call-start', data: { id: part.id, name: part.name } })
        case 'call-delta':
          return onEvent({ type: 'call-delta', data: { id: part.id, arguments: part.text } })
        case 'call':
          if (sentCalls.has(part.id)) return onEvent({ type: 'call-end', data: { id: part.id } })
          sentCalls.add(part.id)
          return call(part)
        case 'finish':
          return
      }
    },
    end: ({ content, toolCalls = [], usage }) => {
      const rest = content.slice(sent.length)
      if (rest !== '') onEvent({ type: 'text-delta', data: { text: rest } })
      for (const made of toolCalls) if (!sentCalls.has(made.id)) call(made)
      if (usage) onEvent({ type: 'usage', data: usage })
    },
  }
}
