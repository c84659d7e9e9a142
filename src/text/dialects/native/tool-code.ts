import type { Fence } from '../fences.ts'
import { PythonReader } from '../python.ts'
import type { NotationContext, NotationResult } from '../raw-call.ts'
import { pythonResult, readLines } from './python-calls.ts'

const INFO = 'tool_code'

/** The inside of a `tool_code` fence as Python calls; undefined where it is anything else, such as tags. */
export function readToolCode(context: NotationContext, fence: Fence, start: number): NotationResult | undefined {
  if (fence.info !== INFO) return undefined
  const [from, to] = fence.inner
  const found = readLines(new PythonReader(context.text, from, to), context.text, to)
  return found ? pythonResult(found, 'tool_code', [start, fence.end]) : undefined
}
