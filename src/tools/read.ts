import * as z from 'zod'
import { readText, sourceOf } from './files.ts'
import { absolutePath } from './paths.ts'
import { ToolError, tool } from './tool.ts'

const MOST_LINES = 2_000
const MOST_LINE = 2_000
const MOST_CHARACTERS = 100_000

export const read = tool({
  name: 'read',
  description: 'Read a text file, as numbered lines. Long files: pass offset (first line) and limit.',
  effect: 'read',
  foreign: true,
  input: () =>
    z.strictObject({
      path: z.string().min(1),
      offset: z.int().positive().optional(),
      limit: z.int().positive().max(MOST_LINES).optional(),
    }),
  ask: ({ path }, { root }) => ({ verb: 'file.read', paths: [{ path: absolutePath(path, root), access: 'read' }] }),
  prepare: ({ path, offset = 1, limit = MOST_LINES }, { root }) => ({
    act: () => {
      const file = absolutePath(path, root)
      const content = readText(file, path)
      const text = numbered(content, { path, offset, limit })
      return Promise.resolve({ ok: true, text, sources: [sourceOf(file, root, content, text)] })
    },
  }),
})

function numbered(text: string, { path, offset, limit }: { path: string; offset: number; limit: number }): string {
  if (text === '') return `${path} is empty.`
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (offset > lines.length) throw new ToolError(`${path} has ${lines.length} lines; offset ${offset} is behind its end.`)
  const shown: string[] = []
  let size = 0
  for (let n = offset; n < Math.min(lines.length + 1, offset + limit) && size < MOST_CHARACTERS; n++) {
    const line = `${n}\t${cutLine(lines[n - 1] ?? '')}`
    size += line.length + 1
    shown.push(line)
  }
  const next = offset + shown.length
  const rest = lines.length - next + 1
  return rest > 0 ? `${shown.join('\n')}\n[${rest} more lines; go on with offset ${next}]` : shown.join('\n')
}

function cutLine(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return text.length <= MOST_LINE ? text : `${text.slice(0, MOST_LINE)} [${text.length - MOST_LINE} characters left out]`
}
