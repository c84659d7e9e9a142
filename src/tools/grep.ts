import { randomInt } from 'node:crypto'
import * as z from 'zod'
import { readBytes, sourceOf } from './files.ts'
import { absolutePath } from './paths.ts'
import type { MayRead, Ripgrep } from './ripgrep.ts'
import { type Source, ToolError, tool } from './tool.ts'

const MOST_MATCHES = 100
const MOST_LINE = 400

const ARGS = ['--line-number', '--no-heading', '--with-filename', '--color=never', '--hidden', '--glob=!.git', '--glob=!.qed']

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
        const only = glob === undefined ? [] : [`--glob=${glob}`]
        const mark = `⟦${randomInt(1e9)}⟧`
        const args = [...ARGS, `--field-match-separator=${mark}`, '--sort=path', `--max-columns=${MOST_LINE}`, ...only]
        const found = matchesIn(await search([...args, '-e', pattern, '--', path], root, signal), mark)
        // Names may be known, contents may not: what is secret by its name is left out, and said.
        const may = await mayRead()
        const allowed = new Map([...new Set(found.map(match => match.path))].map(file => [file, may(absolutePath(file, root))]))
        const shown = found.filter(match => allowed.get(match.path) === true)
        const hidden = [...allowed.values()].filter(isAllowed => !isAllowed).length
        return { ok: true, text: textOf(shown, hidden), sources: sourcesOf(shown.slice(0, MOST_MATCHES), root) }
      },
    }),
  })

interface Match {
  path: string
  /** Its number and its text. */
  line: string
}

/** A mark that no file can know parts the path from the rest: a name with colons must not pass for another one. */
function matchesIn(output: string, mark: string): Match[] {
  return output.split('\n').flatMap(row => {
    const [path, ...line] = row.split(mark)
    return path === undefined || line.length === 0 ? [] : [{ path: path.replace(/^\.\//, ''), line: line.join(':') }]
  })
}

const shownLine = ({ path, line }: Match): string => `${path}:${line}`

function textOf(shown: Match[], hidden: number): string {
  const rest = shown.length - MOST_MATCHES
  return [
    ...(shown.length === 0 ? ['Nothing matches. Widen the pattern or the path.'] : shown.slice(0, MOST_MATCHES).map(shownLine)),
    ...(rest > 0 ? [`[${rest} more matches; narrow the pattern or the path]`] : []),
    ...(hidden > 0 ? [`[${hidden} secret files that match were left out]`] : []),
  ].join('\n')
}

function sourcesOf(shown: Match[], root: string): Source[] {
  return [...Map.groupBy(shown, match => match.path)].map(([path, matches]) => {
    const file = absolutePath(path, root)
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
