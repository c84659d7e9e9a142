import type { Fence } from '../fences.ts'
import { PythonReader } from '../python.ts'
import { isInString } from '../quoted.ts'
import { type NotationContext, type NotationResult, unparsed } from '../raw-call.ts'
import { matchAt } from '../sticky.ts'
import { pythonResult, readLines } from './python-calls.ts'

const INFO = 'tool_code'
/** Python, whether or not it can be read: comments, then a line with a call in it. */
const CODE = /(?:\s*#[^\n]*\n)*\s*([A-Za-z_][^\n{<(]{0,256})\(/y
const UNCLOSED = /(?:`{3,}|~{3,})[ \t]*tool_code[ \t\r]*\n/y

/** The inside of a `tool_code` fence as Python calls; undefined where it is anything else, such as tags. Code that is no plain call
 *  is not read at all, and where the closing line lies inside one of its strings neither is what follows. */
export function readToolCode(context: NotationContext, fence: Fence, start: number): NotationResult | undefined {
  if (fence.info !== INFO) return undefined
  const [from, to] = fence.inner
  const reader = new PythonReader(context.text, from, to)
  const found = readLines(reader, context.text, to)
  if (found) return pythonResult(found, 'tool_code', [start, fence.end])
  const code = matchAt(CODE, context.text, from)
  if (!code || from + code[0].length > to) return undefined
  return unparsed(code[1], start, isInString(context.text, reader.at, to, context.end) ? context.end : fence.end)
}

/** The same for a fence that the end of the text cut. */
export function readCutToolCode({ text, end }: NotationContext, start: number): NotationResult | undefined {
  const opened = matchAt(UNCLOSED, text, start)
  const code = opened && matchAt(CODE, text, start + opened[0].length)
  return code ? unparsed(code[1], start, end) : undefined
}
