// One opening tag at top level becomes a call: its body, its healing when the closing is missing or contested, its arguments.
import { isBlankOrBreak, lineEnd, skipBlanks, skipBlanksOnLine } from '../blanks.ts'
import type { Lookahead } from './budget.ts'
import { propertiesOf } from './convert.ts'
import { checkTargets, type Filling, type FoundCall, reject, setMember, typedText } from './finish-call.ts'
import { warning } from './raw-call.ts'
import type { Tag, TagIndex } from './tags.ts'
import type { Tool, Tools } from './tools.ts'
import type { Warning } from './types.ts'

interface TagContext {
  text: string
  /** Where an unclosed body ends at the latest. */
  end: number
  tags: TagIndex
  tools: Tools
  ahead: Lookahead
}

interface TagReading {
  call: FoundCall
  end: number
  /** What was taken without a closing of its own: a thinking closer in it still counts. */
  unclosed?: [number, number]
  /** Calls that begin before this position are in doubt with this one. */
  doubtUntil?: number
  warnings: Warning[]
}

/** A body and how it was found. `lenient`: no closing of its own; the call may still be good. */
interface Body {
  text: string | undefined
  end: number
  status: 'ok' | 'incomplete'
  healed?: 'unclosed' | 'mismatched_close'
  unclosed?: [number, number]
  doubtUntil?: number
  contested?: boolean
}

/** What one comparison costs, in characters looked at. */
const COMPARISON = 4
const UNTIL = 'until'

export function readTagCall(context: TagContext, { tag, tool }: { tag: Tag; tool: Tool }): TagReading {
  const warnings: Warning[] = attributeWarnings(tag)
  const attributes = tag.list?.attributes ?? []
  const until = attributes.find(attribute => attribute.name === UNTIL)?.value
  const given = withOwnSpelling(
    attributes.filter(attribute => attribute.name !== UNTIL),
    tool,
  )
  const opening: Opening = { tag, tool, given, until: typeof until === 'string' ? until : undefined }
  const body = bodyOf(context, opening)
  const call: FoundCall = {
    name: tool.name,
    arguments: {},
    source: 'tag',
    span: [tag.at, body.end],
    status: 'ok',
    message: '',
    reads: tool.effect === 'read',
  }
  for (const { from, to } of applyAliases(given, tool, { hasBody: body.text !== undefined }))
    warnings.push(warning('alias', `${from} of ${tool.name} was read as ${to}.`, tag.at))
  const filling = { found: call, tool, warnings }
  for (const [name, value] of given) setMember(call.arguments, name, value === true ? true : typedText({ name, text: value }, filling))
  if (body.text !== undefined) fillBody(body.text, given, filling)
  if (body.healed) warnings.push(healingWarning(body.healed, tag))
  if (body.status === 'incomplete') reject(call, 'incomplete', incompleteMessage(tag.name, body.contested ?? false))
  if (context.tools.nicknames.has(tag.name)) warnings.push(warning('alias', `${tag.name} was read as ${tool.name}.`, tag.at))
  checkTargets(call)
  return {
    call,
    end: body.end,
    warnings,
    ...(body.unclosed && { unclosed: body.unclosed }),
    ...(body.doubtUntil !== undefined && { doubtUntil: body.doubtUntil }),
  }
}

type Given = Map<string, string | true>

/** An opening tag with what its attributes say. */
interface Opening {
  tag: Tag
  tool: Tool
  given: Given
  /** What its own closing has in front of it. */
  until: string | undefined
}

function bodyOf(context: TagContext, opening: Opening): Body {
  const { tag, tool, until } = opening
  if (tag.list?.ending === 'self_closing') return { text: undefined, end: tag.end, status: 'ok' }
  const { closing, inOrder } = until === undefined ? context.tags.bodyEnd(tag.name, tag.end) : untilEnd(context, tag, until)
  if (closing && inOrder) {
    const end = closing.at - (until?.length ?? 0)
    return { text: context.text.slice(tag.end, end), end: closing.end, status: 'ok' }
  }
  if (until !== undefined && tool.effect !== 'read') return withoutItsEnd(context, tag)
  return heal(context, opening, closing)
}

function untilEnd({ text, tags, ahead }: TagContext, tag: Tag, until: string): { closing: Tag | undefined; inOrder: boolean } {
  for (const closing of tags.closingsAfter(tag.name, tag.end + until.length)) {
    if (text.startsWith(until, closing.at - until.length)) return { closing, inOrder: true }
    ahead.pay(COMPARISON)
    if (ahead.isSpent) break
  }
  return { closing: undefined, inOrder: true }
}

/** Its own mark says where a body ends. Where that did not come, every tag that follows may be content: it reaches to the end. */
function withoutItsEnd({ text, end }: TagContext, tag: Tag): Body {
  return { text: text.slice(tag.end, end), end, status: 'incomplete', healed: 'unclosed', unclosed: [tag.end, end] }
}

/** The first of these that fits settles a call without a closing, or with one that is contested. */
function heal(context: TagContext, opening: Opening, contested: Tag | undefined): Body {
  const { text, tags } = context
  const { tag, tool } = opening
  if (!contested && isWholeWithoutBody(context, opening)) return { text: undefined, end: tag.end, status: 'ok', healed: 'unclosed' }
  const nextCall = tags.nextLineOpening(tag.end)
  const cut = nextCall < 0 ? context.end : Math.min(nextCall, context.end)
  const other = closingOfAnotherAtEnd(context, tag, cut)
  if (other) {
    const captured: [number, number] = [tag.end, other.at]
    return { text: text.slice(...captured), end: other.end, status: 'ok', healed: 'mismatched_close', unclosed: captured }
  }
  const readable = tool.effect === 'read'
  const end = readable && tool.oneLine ? Math.min(lineEnd(text, tag.end, context.end), cut) : cut
  return {
    text: text.slice(tag.end, end),
    end,
    status: readable ? 'ok' : 'incomplete',
    healed: 'unclosed',
    unclosed: [tag.end, end],
    // Without any closing, what follows may as well be the rest of what was to be written.
    ...(contested ? { doubtUntil: contested.at, contested: true } : readable ? {} : { doubtUntil: context.end }),
  }
}

function isWholeWithoutBody({ text, end, tags }: TagContext, { tag, tool, given }: Opening): boolean {
  if (!tool.suffices) return false
  const named = new Map(given)
  applyAliases(named, tool, { hasBody: false })
  if (!tool.suffices.every(name => named.has(name)) || tags.hasClosingAfter(tag.name, tag.end)) return false
  // At the end of the text a body may have been on its way: without its filter a call would change more than was meant.
  const mayBeCut = tool.effect !== 'read' && tool.body.some(name => !named.has(name))
  if (mayBeCut && skipBlanks(text, tag.end, text.length) >= text.length) return false
  const next = skipBlanksOnLine(text, tag.end, end)
  const following = tags.at(next)
  return next >= end || text[next] === '\n' || (following?.kind === 'close' && following.name !== tag.name)
}

function closingOfAnotherAtEnd({ text, tags }: TagContext, tag: Tag, cut: number): Tag | undefined {
  let last = cut
  while (last > tag.end && isBlankOrBreak(text.charCodeAt(last - 1))) last--
  if (text[last - 1] !== '>') return undefined
  const closing = tags.at(text.lastIndexOf('<', last - 1))
  const fits = closing?.kind === 'close' && closing.end === last && closing.at >= tag.end && closing.name !== tag.name
  return fits ? closing : undefined
}

/** Attribute names lost their case; the tool's own spelling gives it back. */
function withOwnSpelling(attributes: { name: string; value: string | true }[], tool: Tool): Given {
  const properties = propertiesOf(tool.parameters)
  const own = (name: string): string | undefined => Object.keys(properties).find(property => property.toLowerCase() === name)
  return new Map(attributes.map(({ name, value }) => [Object.hasOwn(properties, name) ? name : (own(name) ?? name), value]))
}

interface Alias {
  from: string[]
  to: string
  /** Only for these tools. */
  of?: string[]
}

const aliases: Alias[] = [
  { from: ['file', 'filename', 'file_path', 'filepath'], to: 'path' },
  { from: ['content', 'value'], to: 'body' },
  { from: ['cmd'], to: 'command' },
  { from: ['path'], to: 'query', of: ['search'] },
  { from: ['source'], to: 'path', of: ['cp', 'mv'] },
  { from: ['destination'], to: 'to', of: ['cp', 'mv'] },
]

const ALIASED = new Set(aliases.flatMap(({ from }) => from))

/** Renames in `given` and tells what it renamed. */
function applyAliases(given: Given, tool: Tool, { hasBody }: { hasBody: boolean }): { from: string; to: string }[] {
  const renamed: { from: string; to: string }[] = []
  if (![...given.keys()].some(name => ALIASED.has(name))) return renamed
  const parameters = propertiesOf(tool.parameters)
  for (const { from, to, of } of aliases) {
    const takenByBody = hasBody && tool.body.at(-1) === to
    if (given.has(to) || takenByBody || !Object.hasOwn(parameters, to) || (of && !of.includes(tool.name))) continue
    const alias = from.find(name => given.has(name) && !Object.hasOwn(parameters, name))
    const value = alias === undefined ? undefined : given.get(alias)
    if (alias === undefined || value === undefined) continue
    given.delete(alias)
    given.set(to, value)
    renamed.push({ from: alias, to })
  }
  return renamed
}

function fillBody(body: string, given: Given, filling: Filling & { tool: Tool }): void {
  const { found: call, tool, warnings } = filling
  const name = tool.body.find(argument => !given.has(argument))
  if (name !== undefined) {
    setMember(call.arguments, name, typedText({ name, text: tool.exact ? body : body.trim() }, filling))
    return
  }
  const taken = tool.body.at(-1) ?? 'body'
  if (body.trim() === '') return
  warnings.push(warning('duplicate_argument', `${tool.name} has ${taken} as an attribute and a body; the body was dropped.`, call.span[0]))
  // Two contents for one file: whichever is written could be the wrong one.
  if (tool.exact && tool.effect !== 'read')
    reject(call, 'incomplete', `${tool.name} has ${taken} as an attribute and as a body. Send the call again with one of them.`)
}

const ATTRIBUTE_MESSAGES = {
  unbalanced_quote: (name: string) => `The quote of ${name} is not closed; its value was taken up to the end of the tag.`,
  duplicate_argument: (name: string) => `${name} was given twice; the first value counts.`,
}

function attributeWarnings(tag: Tag): Warning[] {
  return (tag.list?.warnings ?? []).map(({ code, name, at }) => warning(code, ATTRIBUTE_MESSAGES[code](name), at))
}

function healingWarning(code: 'unclosed' | 'mismatched_close', tag: Tag): Warning {
  const what = code === 'unclosed' ? 'has no closing tag' : 'was closed by the tag of another tool'
  return warning(code, `<${tag.name}> ${what}. Close it with </${tag.name}>.`, tag.at)
}

function incompleteMessage(name: string, contested: boolean): string {
  return contested
    ? `It is not clear where the body of <${name}> ends, so nothing was done. Send it again with until="END" and END</${name}> at its end.`
    : `<${name}> was not closed, so nothing was done. Send the whole call again and close it with </${name}>.`
}
