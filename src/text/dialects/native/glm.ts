import { elementCall } from '../element-calls.ts'
import { type ElementGrammar, readElements } from '../elements.ts'
import type { Notation } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'

const PAIR = /<arg_key>([^<]{1,256})<\/arg_key>\s*<arg_value>/y
const CLOSE = '</tool_call>'

export const glm: Notation = {
  source: 'glm',
  opener: /<tool_call>\s*([\w./:-]{1,128})\s*(?:<tool_sep>\s*)?(?=<arg_key>|<\/tool_call>)/y,
  read(context, opened) {
    const grammar: ElementGrammar = {
      open: at => {
        const found = matchAt(PAIR, context.text, at)
        return found ? { name: (found[1] ?? '').trim(), valueAt: at + found[0].length, kind: 'text' } : undefined
      },
      close: '</arg_value>',
      // The opening of the next call ends this one as well as its own closing would.
      callEnd: /<\/tool_call>|(?=<tool_call>)/y,
    }
    const elements = readElements(context, opened.index + opened[0].length, grammar)
    return elementCall(context, elements, { name: opened[1] ?? '', source: 'glm', start: opened.index, endToken: CLOSE })
  },
}
