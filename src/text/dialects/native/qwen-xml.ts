import { skipBlanks } from '../../blanks.ts'
import { elementCall } from '../element-calls.ts'
import { type ElementGrammar, readElements } from '../elements.ts'
import type { Notation } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { readArgumentsObject } from './arguments-object.ts'

const PARAMETER = /<parameter=["']?([^<>"'\s]{1,128})["']?\s*>/y
const CLOSE = '</function>'

/** `<function=name>` with parameters, or with one JSON object. */
export const qwenXml: Notation = {
  source: 'qwen_xml',
  opener: /<function=["']?([^<>"'\s]{1,128})["']?\s*>/y,
  read(context, opened) {
    const { text, end } = context
    const name = opened[1] ?? ''
    const at = opened.index + opened[0].length
    const first = skipBlanks(text, at, end)
    if (text[first] === '{') return readArgumentsObject(context, first, { name, source: 'json', start: opened.index, closers: [[CLOSE]] })
    const grammar: ElementGrammar = {
      open: position => {
        const found = matchAt(PARAMETER, text, position)
        return found ? { name: found[1] ?? '', valueAt: position + found[0].length, kind: 'text' } : undefined
      },
      close: '</parameter>',
      callEnd: /<\/function>|(?=<\/(?:\w{1,40}[_:])?tool_call>)/y,
      nextOpens: '<parameter=',
    }
    return elementCall(context, readElements(context, at, grammar), { name, source: 'qwen_xml', start: opened.index, endToken: CLOSE })
  },
}
