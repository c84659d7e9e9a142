import { readAttributes } from '../../attributes.ts'
import { elementCall } from '../element-calls.ts'
import { type ElementGrammar, type OpenedElement, readElements } from '../elements.ts'
import { MOST_TAG } from '../limits.ts'
import { calls, type Notation } from '../raw-call.ts'

const CLOSE = '</function>'
const PARAM = '<param'

export const functionXml: Notation = {
  source: 'function_xml',
  opener: /<function(?=\s+name\s*=)/y,
  read(context, opened) {
    const { text, end } = context
    const list = readAttributes(text, opened.index + opened[0].length, { end: Math.min(end, opened.index + MOST_TAG) })
    const name = list.attributes.find(attribute => attribute.name === 'name')?.value
    if (typeof name !== 'string' || name === '') return undefined
    const start = opened.index
    if (list.ending === 'self_closing') return calls([{ name, source: 'function_xml', span: [start, list.end], arguments: [] }], list.end)
    if (list.ending !== 'open') return undefined
    const grammar: ElementGrammar = { open: at => paramAt(text, at, end), close: '</param>', callEnd: /<\/function>/y }
    return elementCall(context, readElements(context, list.end, grammar), { name, source: 'function_xml', start, endToken: CLOSE })
  },
}

function paramAt(text: string, at: number, end: number): OpenedElement | undefined {
  if (!text.startsWith(PARAM, at) || !/\s/.test(text[at + PARAM.length] ?? '')) return undefined
  const list = readAttributes(text, at + PARAM.length, { end: Math.min(end, at + MOST_TAG) })
  const name = list.attributes.find(attribute => attribute.name === 'name')?.value
  if (typeof name !== 'string' || (list.ending !== 'open' && list.ending !== 'self_closing')) return undefined
  return { name, valueAt: list.end, kind: 'text', framed: true, ...(list.ending === 'self_closing' && { empty: true }) }
}
