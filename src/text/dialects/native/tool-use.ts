import { skipBlanks } from '../../blanks.ts'
import { unreadHead } from '../json-calls.ts'
import type { Notation } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { readArgumentsObject } from './arguments-object.ts'

const HEAD = /\s*<name>\s*([^<\s]{1,128})\s*<\/name>\s*<input>/y
const CLOSE = '</tool_use>'

export const toolUse: Notation = {
  source: 'tool_use',
  opener: /<tool_use>/y,
  read(context, opened) {
    const head = matchAt(HEAD, context.text, opened.index + opened[0].length)
    if (!head) return unreadHead(context, opened, [CLOSE])
    const at = skipBlanks(context.text, head.index + head[0].length, context.end)
    return readArgumentsObject(context, at, {
      name: head[1] ?? '',
      source: 'tool_use',
      start: opened.index,
      closers: [['</input>'], [CLOSE]],
    })
  },
}
