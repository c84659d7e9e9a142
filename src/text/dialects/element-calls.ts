import type { Elements } from './elements.ts'
import { behindCloser } from './quoted.ts'
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
  const closed = elements.kind === 'junk' ? behindCloser(context, elements.at, [call.endToken]) : undefined
  const result = closed === undefined ? calls([raw(context.end, true)], context.end) : unparsed(call.name, call.start, closed)
  return elements.valuesAt === undefined ? result : { ...result, valuesAt: elements.valuesAt }
}
