import { type Attribute, readAttributes } from '../../attributes.ts'
import { skipBlanks } from '../../blanks.ts'
import { elementCall } from '../element-calls.ts'
import { type ElementGrammar, type OpenedElement, readElements } from '../elements.ts'
import { MOST_TAG } from '../limits.ts'
import { calls, type Notation, type NotationContext, type NotationResult, type RawCall } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import type { Warning } from '../types.ts'

const PREFIX = '(?:[\\w.-]{1,40}:|[｜|]DSML[｜|])?'
const INVOKE = new RegExp(`<(${PREFIX})invoke(?=\\s)`, 'y')

/** `<invoke name="…">`, with an outer tag of any name or none. */
export const anthropic: Notation = {
  source: 'anthropic',
  opener: new RegExp(`(?:<(${PREFIX}[\\w.-]{1,64})>\\s*)?(?=<${PREFIX}invoke\\s)`, 'y'),
  read(context, opened) {
    const outer = opened[1]
    // The body of a tool's own tag is that tool's, whatever it holds.
    if (outer !== undefined && context.tools.byName.has(outer)) return undefined
    return outer === undefined ? readInvoke(context, opened.index) : readOuter(context, opened, `</${outer}>`)
  },
}

function readOuter(context: NotationContext, opened: RegExpExecArray, close: string): NotationResult | undefined {
  const { text, end } = context
  const found: RawCall[] = []
  const warnings: Warning[] = []
  let unfinished: { valuesAt?: number } = {}
  let at = opened.index + opened[0].length
  while (matchAt(INVOKE, text, at)) {
    const one = readInvoke(context, at)
    if (one?.kind !== 'calls') break
    found.push(...one.calls)
    warnings.push(...one.warnings)
    unfinished = one.valuesAt === undefined ? {} : { valuesAt: one.valuesAt }
    at = one.end
    const next = skipBlanks(text, at, end)
    if (text.startsWith(close, next)) return calls(found, next + close.length, warnings)
    at = next
  }
  if (found.length > 0) return { ...calls(found, found.at(-1)?.span[1] ?? at, warnings), ...unfinished }
  return readInvoke(context, opened.index + opened[0].length)
}

function readInvoke(context: NotationContext, start: number): NotationResult | undefined {
  const { text, end } = context
  const opened = matchAt(INVOKE, text, start)
  if (!opened) return undefined
  const prefix = opened[1] ?? ''
  const list = readAttributes(text, start + opened[0].length, { end: Math.min(end, start + MOST_TAG) })
  const name = valueOf(list.attributes, 'name')
  if (!name) return undefined
  if (list.ending === 'self_closing') return calls([{ name, source: 'anthropic', span: [start, list.end], arguments: [] }], list.end)
  if (list.ending !== 'open') return undefined
  const endToken = `</${prefix}invoke>`
  const grammar: ElementGrammar = {
    open: at => parameterAt(text, at, end, `<${prefix}parameter`),
    close: `</${prefix}parameter>`,
    callEnd: new RegExp(endToken.replaceAll('|', '\\|').replaceAll('.', '\\.'), 'y'),
  }
  return elementCall(context, readElements(context, list.end, grammar), { name, source: 'anthropic', start, endToken })
}

const KINDS: Record<string, OpenedElement['kind']> = { true: 'string', false: 'json' }

function parameterAt(text: string, at: number, end: number, opener: string): OpenedElement | undefined {
  if (!text.startsWith(opener, at) || !/\s/.test(text[at + opener.length] ?? '')) return undefined
  const list = readAttributes(text, at + opener.length, { end: Math.min(end, at + MOST_TAG) })
  const name = valueOf(list.attributes, 'name')
  if (name === undefined || (list.ending !== 'open' && list.ending !== 'self_closing')) return undefined
  const kind = KINDS[valueOf(list.attributes, 'string') ?? ''] ?? 'text'
  return { name, valueAt: list.end, kind, ...(list.ending === 'self_closing' && { empty: true }) }
}

function valueOf(attributes: Attribute[], name: string): string | undefined {
  const value = attributes.find(attribute => attribute.name === name)?.value
  return typeof value === 'string' ? value : undefined
}
