import type { JsonObject } from '../kernel/json.ts'
import type { Changed } from './tool.ts'

/** Lines around a change that tell where it is. */
const AROUND = 3
/** Most characters of either side. */
const MOST = 32 << 10

/** What became of a file, small enough to be sent along: the lines that differ with a few around them, and the line they begin at. */
export function changedData({ path, before, after }: Changed, redact: (text: string) => string): JsonObject {
  const [was, is] = [linesOf(before), linesOf(after)]
  const most = Math.min(was.length, is.length)
  let head = 0
  while (head < most && was[head] === is[head]) head++
  let tail = 0
  while (tail < most - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++
  const from = Math.max(0, head - AROUND)
  const until = Math.max(0, tail - AROUND)
  const part = (lines: string[]): string =>
    redact(
      lines
        .slice(from, lines.length - until)
        .join('\n')
        .slice(0, MOST),
    )
  return {
    path,
    action: before === null ? 'created' : after === null ? 'deleted' : 'changed',
    line: from + 1,
    before: part(was),
    after: part(is),
  }
}

function linesOf(text: string | null): string[] {
  return text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
