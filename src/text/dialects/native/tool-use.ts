import { skipBlanks } from '../../blanks.ts'
import type { Notation } from '../raw-call.ts'
import { readArgumentsObject } from './arguments-object.ts'

export const toolUse: Notation = {
  source: 'tool_use',
  opener: /<tool_use>\s*<name>\s*([^<\s]{1,128})\s*<\/name>\s*<input>/y,
  read(context, opened) {
    const at = skipBlanks(context.text, opened.index + opened[0].length, context.end)
    return readArgumentsObject(context, at, {
      name: opened[1] ?? '',
      source: 'tool_use',
      start: opened.index,
      closers: [['</input>'], ['</tool_use>']],
    })
  },
}
