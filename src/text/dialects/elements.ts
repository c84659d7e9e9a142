// Arguments written as elements, one tag around each value. Values are opaque: a closing tag inside one does not end it unless
// the next element, or the end of the call, follows.
import { isFirstOnLine, skipBlanks } from '../blanks.ts'
import type { NotationContext, RawArgument } from './raw-call.ts'
import { matchAt } from './sticky.ts'

export interface OpenedElement {
  name: string
  valueAt: number
  kind: 'text' | 'json' | 'string'
  /** The value may come as one CDATA section. */
  framed?: boolean
  /** It has no value of its own: the tag closed itself. */
  empty?: boolean
}

export interface ElementGrammar {
  open(at: number): OpenedElement | undefined
  close: string
  /** Sticky: what ends the call. */
  callEnd: RegExp
  /** A value without a closing tag ends before this, where it stands first on its line; elsewhere it is content. */
  nextOpens?: string
  /** Values keep the line breaks at their ends. */
  exact?: true
}

/** `junk`: something stands between the elements that belongs to none; `at` is where. `valuesAt` is where the first value begins. */
export type Elements =
  | { kind: 'ended'; end: number; list: RawArgument[] }
  | { kind: 'cut' | 'junk'; at: number; list: RawArgument[]; valuesAt: number | undefined }

const CDATA = '<![CDATA['
const CDATA_END = ']]>'

export function readElements(context: NotationContext, start: number, grammar: ElementGrammar): Elements {
  const { text, end } = context
  const list: RawArgument[] = []
  let at = start
  let valuesAt: number | undefined
  while (true) {
    at = skipBlanks(text, at, end)
    if (at >= end) return { kind: 'cut', at: end, list, valuesAt }
    const ended = matchAt(grammar.callEnd, text, at)
    if (ended) return { kind: 'ended', end: at + ended[0].length, list }
    const opened = grammar.open(at)
    if (!opened) return { kind: 'junk', at, list, valuesAt }
    valuesAt ??= opened.valueAt
    if (opened.empty) {
      list.push(argumentOf(opened, '', grammar))
      at = opened.valueAt
      continue
    }
    const value = valueEnd(context, opened, grammar)
    if (!value) {
      list.push(argumentOf(opened, text.slice(opened.valueAt, end), grammar))
      return { kind: 'cut', at: end, list, valuesAt }
    }
    list.push(argumentOf(opened, text.slice(opened.valueAt, value.at), grammar))
    at = value.next
  }
}

function valueEnd(context: NotationContext, opened: OpenedElement, grammar: ElementGrammar): { at: number; next: number } | undefined {
  const { text, end, ahead } = context
  const framed = opened.framed && text.startsWith(CDATA, opened.valueAt)
  const close = framed ? CDATA_END + grammar.close : grammar.close
  const nextOpens = grammar.nextOpens ?? ''
  let missing = nextOpens === '' ? -1 : ahead.find(nextOpens, opened.valueAt)
  for (let at = ahead.find(close, opened.valueAt); ; at = ahead.find(close, at + 1)) {
    while (missing >= 0 && missing < (at < 0 ? end : at) && !isFirstOnLine(text, missing)) missing = ahead.find(nextOpens, missing + 1)
    if (missing >= 0 && missing < end && (at < 0 || missing < at)) return { at: missing, next: missing }
    if (at < 0 || at + close.length > end) return undefined
    const next = at + close.length
    const following = skipBlanks(text, next, end)
    const valueAt = framed ? at + CDATA_END.length : at
    if (following >= end || matchAt(grammar.callEnd, text, following) || grammar.open(following)) return { at: valueAt, next }
  }
}

function argumentOf({ name, kind, framed }: OpenedElement, written: string, { exact }: ElementGrammar): RawArgument {
  const inFrame = framed && written.startsWith(CDATA) && written.endsWith(CDATA_END)
  const value = inFrame ? written.slice(CDATA.length, -CDATA_END.length) : exact ? written : withoutOuterBreaks(written)
  return kind === 'string' ? { name, kind: 'value', value } : { name, kind, text: value }
}

/** One line break at each end belongs to the layout, if there is one at both. */
function withoutOuterBreaks(value: string): string {
  const front = value.startsWith('\r\n') ? 2 : value.startsWith('\n') ? 1 : 0
  const back = value.endsWith('\r\n') ? 2 : value.endsWith('\n') ? 1 : 0
  return front > 0 && back > 0 && value.length >= front + back ? value.slice(front, value.length - back) : value
}
