import { skipBlanks } from '../../blanks.ts'
import type { Notation } from '../raw-call.ts'
import { readPythonCalls } from './python-calls.ts'

export const pythonMarkers: Notation = {
  source: 'pythonic',
  opener: /<\|python_start\|>/y,
  read(context, opened) {
    const at = skipBlanks(context.text, opened.index + opened[0].length, context.end)
    return readPythonCalls(context, at, { source: 'pythonic', start: opened.index, closers: ['<|python_end|>'], lines: true })
  },
}
