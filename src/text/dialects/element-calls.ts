import type { Elements } from './elements.ts'
import { calls, type NotationContext, type NotationResult, type RawCall, unparsed } from './raw-call.ts'
import type { Source } from './types.ts'

/** A call whose arguments are elements. Without its end it is cut: one more argument may have been on its way. With something
 *  unknown between the elements it is not read at all, because an argument would be lost. */
export function elementCall(
  context: NotationContext,
  elements: Elements,
  call: { name: string; source: Source; start: number; endToken: string },
): NotationResult {
  const raw = (end: number, cut: boolean): RawCall => ({
    name: call.name,
    source: call.source,
    span: [call.start, end],
    arguments: elements.list,
    ...(cut && { cut }),
  })
  if (elements.kind === 'ended') return calls([raw(elements.end, false)], elements.end)
  const endToken = elements.kind === 'junk' ? context.ahead.find(call.endToken, elements.at) : -1
  if (endToken >= 0 && endToken < context.end) return unparsed(call.name, call.start, endToken + call.endToken.length)
  return calls([raw(elements.at, true)], elements.at)
}
