import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import * as z from 'zod'
import { withoutControlSequences } from '../sandbox/process/control-sequences.ts'
import { readBytes, sourceOf } from './files.ts'
import { absolutePath } from './paths.ts'
import type { Found, MayRead, Ripgrep } from './ripgrep.ts'
import { type Source, ToolError, tool } from './tool.ts'

const MOST_MATCHES = 100
const MOST_LINE = 400

// A zero byte parts a name from the rest, whatever the name holds. `$` also stands before the carriage return of an end of line.
const SHAPE = ['--line-number', '--no-heading', '--with-filename', '--null', '--color=never', '--sort=path']
const ARGS = [...SHAPE, '--hidden', '--glob=!.git', '--glob=!.qed', '--crlf', `--max-columns=${MOST_LINE}`, '--max-columns-preview']

export const grep = (search: Ripgrep, mayRead: MayRead) =>
  tool({
    name: 'grep',
    description: 'Find lines by a regular expression (ripgrep); files that git ignores are left out. glob: only such files.',
    effect: 'read',
    foreign: true,
    input: () => z.strictObject({ pattern: z.string().min(1), path: z.string().min(1).default('.'), glob: z.string().optional() }),
    ask: ({ path }, { root }) => ({ verb: 'file.read', paths: [{ path: absolutePath(path, root), access: 'read', recursive: true }] }),
    prepare: ({ pattern, path, glob }, { root, signal }) => ({
      act: async () => {
        const under = absolutePath(path, root)
        if (!existsSync(under)) throw new ToolError(`${path} does not exist. Look with ls or glob for the right name.`)
        const only = glob === undefined ? [] : [`--glob=${glob}`]
        const lines = /\n|\\n/.test(pattern) ? ['--multiline'] : []
        const look = (more: string[]) =>
          search([...ARGS, ...only, ...lines, ...more, '-e', pattern, '--', inside(under, root)], root, signal)
        const { text, isCut } = await look([]).catch((error: unknown) => again(error, look))
        const found = matchesIn(text)
        // Names may be known, contents may not: what is secret by its name is left out, and said.
        const may = await mayRead()
        const allowed = new Map([...new Set(found.map(match => match.path))].map(file => [file, may(resolve(root, file))]))
        const shown = found.filter(match => allowed.get(match.path) === true)
        const hidden = [...allowed.values()].filter(isAllowed => !isAllowed).length
        const isBinary = found.length === 0 && text.includes(': binary file matches')
        return { ok: true, text: textOf(shown, { hidden, isCut, isBinary }), sources: sourcesOf(shown.slice(0, MOST_MATCHES), root) }
      },
    }),
  })

function inside(path: string, root: string): string {
  const found = relative(root, path)
  return found.startsWith('..') ? path : found || '.'
}

/** Expressions that the usual engine cannot do are given to the one that can. What else it says of an expression is true, but
 *  names no way on. */
function again(error: unknown, look: (more: string[]) => Promise<Found>): Promise<Found> {
  if (!(error instanceof ToolError)) throw error
  if (/look-around|backreferences/.test(error.message)) return look(['--pcre2'])
  if (!error.message.includes('regex')) throw error
  throw new ToolError(`${error.message}\nTo mean a character itself, write a backslash before it, as in foo\\(bar\\).`)
}

interface Match {
  path: string
  number: string
  text: string
}

const MATCH = /([^\0]*)\0(\d+):([^\n]*)\n/g
/** What stands for the rest of a line that was too long. */
const REST_OF_LINE = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/

function matchesIn(output: string): Match[] {
  return Array.from(output.matchAll(MATCH), ([, path = '', number = '', line = '']) => {
    const text = withoutControlSequences(line.replace(/\r$/, ''))
    return {
      path: path.replace(/^\.\//, ''),
      number,
      text: text.replace(REST_OF_LINE, ` [long line; read it with offset ${number}, limit 1]`),
    }
  })
}

const shownLine = ({ path, number, text }: Match): string => `${path}:${number}:${text}`

const NOTHING = 'Nothing matches. Widen the pattern or the path; files that git ignores are searched only where path names them.'
const TOO_MUCH = 'There are too many matches to look at all of them. Narrow the pattern or the path.'

function textOf(shown: Match[], { hidden, isCut, isBinary }: { hidden: number; isCut: boolean; isBinary: boolean }): string {
  const rest = shown.length - MOST_MATCHES
  // Where everything that was seen is secret, there may still be others.
  const none = isCut ? TOO_MUCH : isBinary ? 'It matches, but the file is binary: its lines cannot be shown.' : NOTHING
  return [
    ...(shown.length === 0 ? [none] : shown.slice(0, MOST_MATCHES).map(shownLine)),
    ...(rest > 0 ? [`[${isCut ? 'at least ' : ''}${rest} more matches; narrow the pattern or the path]`] : []),
    ...(hidden > 0 ? [`[${hidden} secret files that match were left out]`] : []),
  ].join('\n')
}

function sourcesOf(shown: Match[], root: string): Source[] {
  return [...Map.groupBy(shown, match => match.path)].map(([path, matches]) => {
    const file = resolve(root, path)
    return sourceOf(file, root, contentOf(file, path), matches.map(shownLine).join('\n'))
  })
}

/** Null where it is too large or gone: then what was given of it has no file to compare it with. */
function contentOf(file: string, path: string): Uint8Array | null {
  try {
    return readBytes(file, path)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
