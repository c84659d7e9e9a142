// One pass from the left. At each place the first construct that fits has it; what lies inside a construct is never looked at
// again, so nothing that was thought, quoted or passed as an argument becomes a call.
import { isCallingFence } from './fences.ts'
import { lineNotations, readUncounted } from './native/bare.ts'
import { markEnd } from './native/marks.ts'
import { anyOpener, notations } from './native/notations.ts'
import { readCutToolCode, readToolCode } from './native/tool-code.ts'
import { warning } from './raw-call.ts'
import {
  addCall,
  addNotation,
  beginsReply,
  endsReply,
  endThinking,
  isOnlyFences,
  type Reading,
  readsNative,
  removeCall,
  removeQuiet,
} from './reading.ts'
import { readTagCall } from './tag-call.ts'
import type { Tag } from './tags.ts'
import { orphanCloserAt, thinkingAt } from './thinking.ts'

/** Answers where reading goes on, or undefined where the construct does not begin here. */
type Construct = (reading: Reading, at: number) => number | undefined

const constructs: Construct[] = [readThinking, readFence, readCodeSpan, readNative, readLineNotation, readUncountedCall, readTag, readMark]

const LINE_FEED = 10
const SPACE = 32
const TAB = 9
const RETURN = 13
const SLASH = 47
const QUOTE = 34
const APOSTROPHE = 39
const UNDERSCORE = 95
const BAR = 124
const WIDE_BAR = 0xff5c
const CAPITAL_T = 84
const BACKTICK = 96
const LESS = 60
const BRACKET = 91
const BRACE = 123
const TRIANGLE = 0x25c1

export function readReply(reading: Reading): void {
  let at = reading.lineStart
  while (at < reading.end) {
    const next = firstFit(reading, at)
    at = nextPlace(reading, next ?? afterRun(reading.text, at), next !== undefined)
  }
}

function firstFit(reading: Reading, at: number): number | undefined {
  for (const construct of constructs) {
    const next = construct(reading, at)
    if (next !== undefined) return next
  }
  return undefined
}

/** A run of backticks that opens nothing is passed as a whole: its parts are no runs. */
function afterRun(text: string, at: number): number {
  let i = at + 1
  if (text.charCodeAt(at) === BACKTICK) while (text.charCodeAt(i) === BACKTICK) i++
  return i
}

/** `<` opens something before a letter, `_`, `/` or a bar; elsewhere it is an operator. */
function opensAfterLess(next: number): boolean {
  return isLetter(next) || next === UNDERSCORE || next === SLASH || next === BAR || next === WIDE_BAR
}

/** `[` opens something before a name or `/`: `[TOOL_CALLS]`, `[/THINK]`, `[get(…)]`. */
function opensAfterBracket(next: number): boolean {
  return isLetter(next) || next === UNDERSCORE || next === SLASH || next === SPACE
}

/** `{` opens something before a key: `{"name": …}`. */
function opensAfterBrace(next: number): boolean {
  return next === QUOTE || next === APOSTROPHE || isLetter(next) || next === SPACE || next === LINE_FEED
}

function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}

/** The next position at which a construct can begin: a character that opens one, or the first of a line. */
function nextPlace(reading: Reading, from: number, fresh: boolean): number {
  const { text, end } = reading
  // What was left out at the front of a line makes the rest of it begin the line.
  if (fresh && reading.lineStart >= from && reading.lineStart < end && text.charCodeAt(reading.lineStart) !== LINE_FEED)
    return reading.lineStart
  // A construct may have taken the line break with it.
  const start = fresh && text.charCodeAt(from - 1) === LINE_FEED ? from - 1 : from
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === BACKTICK || code === TRIANGLE) return i
    if (code === LESS && opensAfterLess(text.charCodeAt(i + 1))) return i
    if (code === BRACKET && opensAfterBracket(text.charCodeAt(i + 1))) return i
    if (code === BRACE && opensAfterBrace(text.charCodeAt(i + 1))) return i
    if (code !== LINE_FEED) continue
    let first = i + 1
    let other = text.charCodeAt(first)
    while (first < end && (other === SPACE || other === TAB || other === RETURN)) other = text.charCodeAt(++first)
    reading.lineAt = i + 1
    reading.lineStart = first
    if (first < end && other !== LINE_FEED) return first
    i = first - 1
  }
  return end
}

function readThinking(reading: Reading, at: number): number | undefined {
  const code = reading.text.charCodeAt(at)
  if (code !== LESS && code !== BRACKET && code !== TRIANGLE) return undefined
  const part = thinkingAt(reading.text, at, reading.end)
  if (part) {
    reading.thoughts.push({ inner: part.inner, whole: [at, part.end] })
    if (!part.closed) reading.warnings.push(warning('thinking_unclosed', 'Thinking was not closed; nothing behind it was called.', at))
    return removeQuiet(reading, at, part.end)
  }
  const closer = orphanCloserAt(reading.text, at)
  return closer === undefined ? undefined : endThinking(reading, at, closer)
}

function readFence(reading: Reading, at: number): number | undefined {
  if (at !== reading.lineStart) return undefined
  const open = reading.openFences.findIndex(([start]) => start === reading.lineAt)
  const [closed] = open < 0 ? [] : reading.openFences.splice(open, 1)
  if (closed) return removeQuiet(reading, at, closed[1])
  const fence = reading.fences.fenceAt(reading.lineAt, at)
  if (fence === undefined) return undefined
  const context = { text: reading.text, end: reading.end, tools: reading.tools, ahead: reading.ahead }
  if (fence === 'unclosed') {
    const cut = readsNative(reading) ? readCutToolCode(context, at) : undefined
    if (cut) return addNotation(reading, at, cut)
    reading.warnings.push(warning('unclosed_fence', 'A fence is not closed and hides nothing.', at))
    return undefined
  }
  if (!isCallingFence(fence, () => isOnlyFences(reading)) || reading.dialect === 'none') return fence.end
  const code = readsNative(reading) ? readToolCode(context, fence, at) : undefined
  if (code) return addNotation(reading, at, code)
  reading.openFences.push([fence.inner[1], fence.end])
  removeQuiet(reading, at, Math.max(at, fence.inner[0] - 1))
  return Math.max(at + 1, fence.inner[0] - 1)
}

function readCodeSpan(reading: Reading, at: number): number | undefined {
  return reading.text.charCodeAt(at) === BACKTICK ? reading.fences.codeSpanEnd(at) : undefined
}

function readNative(reading: Reading, at: number): number | undefined {
  const { text, end, tools, ahead } = reading
  if (!readsNative(reading) || !opensNotation(text, at)) return undefined
  anyOpener.lastIndex = at
  if (!anyOpener.test(text)) return undefined
  for (const notation of notations) {
    notation.opener.lastIndex = at
    const opened = notation.opener.exec(text)
    const result = opened && at + opened[0].length <= end ? notation.read({ text, end, tools, ahead }, opened) : undefined
    if (result) return addNotation(reading, at, result)
  }
  return undefined
}

function opensNotation(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code === BRACKET) return text.charCodeAt(at + 1) === CAPITAL_T // [TOOL_CALLS]
  const next = text.charCodeAt(at + 1)
  return code === LESS && next !== LESS && next !== SPACE && next !== SLASH
}

function readLineNotation(reading: Reading, at: number): number | undefined {
  if (at !== reading.lineStart || !readsNative(reading)) return undefined
  const { text, end, tools, ahead } = reading
  const context = {
    text,
    end,
    tools,
    ahead,
    beginsReply: () => beginsReply(reading, at),
    endsReply: (stop: number) => endsReply(reading, stop),
  }
  for (const read of lineNotations) {
    const result = read(context, at)
    if (result) return addNotation(reading, at, result)
  }
  return undefined
}

function readUncountedCall(reading: Reading, at: number): number | undefined {
  const code = reading.text.charCodeAt(at)
  if ((code !== BRACKET && code !== BRACE) || !readsNative(reading)) return undefined
  const { text, end, tools, ahead } = reading
  const result = readUncounted({ text, end, tools, ahead }, at)
  return result && addNotation(reading, at, result)
}

function readTag(reading: Reading, at: number): number | undefined {
  const tag = reading.text.charCodeAt(at) === LESS ? reading.tags.at(at) : undefined
  if (!tag) return undefined
  if (tag.kind === 'close') {
    reading.warnings.push(warning('stray_close', `</${tag.name}> closes nothing and was left out.`, at))
    return removeQuiet(reading, at, tag.end)
  }
  const ending = tag.list?.ending
  if (ending === 'cut' || ending === 'broken') return readBrokenTag(reading, tag, ending)
  const { tools, tags, text } = reading
  const tool = tools.byName.get(tools.nicknames.get(tag.name) ?? tag.name)
  if (!tool) return undefined
  const fence = reading.openFences.at(-1)
  const end = fence && fence[0] > at ? fence[0] : reading.end
  const read = readTagCall({ text, end, tags, tools, ahead: reading.ahead }, { tag, tool })
  const isTagDoubtful = tag.list?.warnings.some(one => one.code === 'unbalanced_quote')
  const orphan = (isTagDoubtful && reading.marks.orphanIn(at, tag.end)) || (read.unclosed && reading.marks.orphanIn(...read.unclosed))
  if (orphan) {
    const next = endThinking(reading, orphan.at, orphan.end)
    // The rest of the body may still be one.
    reading.doubtUntil = read.end
    return next
  }
  reading.warnings.push(...read.warnings)
  addCall(reading, read.call)
  if (read.doubtUntil !== undefined) reading.doubtUntil = Math.max(reading.doubtUntil, read.doubtUntil)
  return removeCall(reading, at, read.end)
}

/** A tag without its `>` is no call. At the end of the text it leaves the prose; in the middle it stays as it was written. */
function readBrokenTag(reading: Reading, tag: Tag, ending: 'cut' | 'broken'): number {
  const orphan = reading.marks.orphanIn(tag.at, tag.end)
  if (orphan) return endThinking(reading, orphan.at, orphan.end)
  reading.warnings.push(warning('unclosed', `The opening tag <${tag.name}> does not end, so it is no call.`, tag.at))
  return ending === 'cut' ? removeQuiet(reading, tag.at, tag.end) : Math.max(tag.end, tag.at + 1)
}

function readMark(reading: Reading, at: number): number | undefined {
  if (reading.text.charCodeAt(at) !== LESS || reading.dialect === 'none') return undefined
  const end = markEnd(reading.text, at, { native: readsNative(reading) })
  return end === undefined ? undefined : removeQuiet(reading, at, end)
}
