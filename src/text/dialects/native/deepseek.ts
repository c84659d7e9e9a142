import { skipBlanks } from '../../blanks.ts'
import { unreadHead } from '../json-calls.ts'
import type { Notation } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { readArgumentsObject } from './arguments-object.ts'

const NEW = /\s*([\w./:-]{1,128})\s*<[｜|]tool[▁_]sep[｜|]>/y
const OLD = /\s*function\s*<[｜|]tool[▁_]sep[｜|]>\s*([\w./:-]{1,128})\s*```(?:json)?/y
const CLOSERS = ['<｜tool▁call▁end｜>', '<|tool_call_end|>', '<｜tool_call_end｜>', '<|tool▁call▁end|>']

export const deepseek: Notation = {
  source: 'deepseek',
  opener: /<[｜|]tool[▁_]call[▁_]begin[｜|]>/y,
  read(context, opened) {
    const behindOpener = opened.index + opened[0].length
    const head = matchAt(OLD, context.text, behindOpener) ?? matchAt(NEW, context.text, behindOpener)
    // The other notation with this token has been tried before.
    if (!head) return unreadHead(context, opened, CLOSERS)
    const at = skipBlanks(context.text, behindOpener + head[0].length, context.end)
    return readArgumentsObject(context, at, {
      name: head[1] ?? '',
      source: 'deepseek',
      start: opened.index,
      closers: [['```'], CLOSERS],
    })
  },
}
