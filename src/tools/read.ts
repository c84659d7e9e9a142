import { relative } from 'node:path'
import * as z from 'zod'
import { withoutControlSequences } from '../sandbox/process/control-sequences.ts'
import { type Line, type Lines, readLines } from './lines.ts'
import { outputFile } from './outputs.ts'
import { absolutePath } from './paths.ts'
import { ToolError, tool } from './tool.ts'

const MOST_LINES = 2_000
const MOST_LINE = 2_000
/** Of a line that is asked for alone. */
const MOST_LONE_LINE = 20_000
const MOST_CHARACTERS = 100_000

export const read = (outputs: string) =>
  tool({
    name: 'read',
    description: 'Read a text file, as numbered lines. Long files: pass offset (first line) and limit; long lines: column.',
    effect: 'read',
    foreign: true,
    input: () =>
      z.strictObject({
        path: z.string().min(1),
        offset: z.int().nonnegative().optional(),
        limit: z.int().positive().optional(),
        column: z.int().positive().optional(),
      }),
    // An output is what the run was given already, or could have been.
    ask: ({ path }, { root }) =>
      outputFile(path, outputs) === null ? { verb: 'file.read', paths: [{ path: absolutePath(path, root), access: 'read' }] } : null,
    prepare: ({ path, offset = 1, limit = MOST_LINES, column = 1 }, { root }) => ({
      act: () => {
        const window = {
          offset: Math.max(1, offset),
          limit: Math.min(limit, MOST_LINES),
          column,
          width: limit === 1 ? MOST_LONE_LINE : MOST_LINE,
        }
        const output = outputFile(path, outputs)
        const file = output ?? absolutePath(path, root)
        const found = readLines(file, path, window)
        if (found === null) throw new ToolError(output === null ? missing(path) : `${path} is not kept any more. Run the command again.`)
        const text = numbered(found, { path, ...window })
        if (output !== null) return Promise.resolve({ ok: true, text: withoutControlSequences(text) })
        return Promise.resolve({
          ok: true,
          text,
          sources: [{ path: relative(root, file), sha256: found.sha256, bytes: Buffer.byteLength(text) }],
        })
      },
    }),
  })

const missing = (path: string): string => `${path} does not exist. Look with ls or glob for the right name.`

function numbered({ lines, total, isText }: Lines, at: { path: string; offset: number; column: number }): string {
  const { path, offset, column } = at
  if (total === 0) return `${path} is empty.`
  if (offset > total) throw new ToolError(`${path} has ${total} lines; offset ${offset} is behind its end.`)
  const shown: string[] = []
  let size = 0
  for (const line of lines) {
    if (size >= MOST_CHARACTERS) break
    const text = lineText(line, { number: offset + shown.length, column })
    size += text.length + 1
    shown.push(text)
  }
  const next = offset + shown.length
  const rest = total - next + 1
  return [
    ...shown,
    ...(rest > 0 ? [`[${rest} more lines; go on with offset ${next}]`] : []),
    ...(isText ? [] : ['[not UTF-8: bytes that are no characters are shown as \ufffd; change it with bash, not with edit]']),
  ].join('\n')
}

function lineText({ text, rest }: Line, { number, column }: { number: number; column: number }): string {
  const more = rest === 0 ? '' : ` [${rest} characters left out; go on with offset ${number}, limit 1, column ${column + text.length}]`
  return `${number}\t${text}${more}`
}
