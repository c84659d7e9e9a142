import { resolve } from 'node:path'
import * as z from 'zod'
import { absolutePath } from './paths.ts'
import type { MayRead, Ripgrep } from './ripgrep.ts'
import { tool } from './tool.ts'

const MOST_PATHS = 300

export const glob = (search: Ripgrep, mayRead: MayRead) =>
  tool({
    name: 'glob',
    description: 'Find files by a pattern such as src/**/*.ts; files that git ignores are left out.',
    effect: 'read',
    foreign: true,
    input: () => z.strictObject({ pattern: z.string().min(1), path: z.string().min(1).default('.') }),
    ask: ({ path }, { root }) => ({ verb: 'file.read', paths: [{ path: absolutePath(path, root), access: 'list', recursive: true }] }),
    prepare: ({ pattern, path }, { root, signal }) => ({
      act: async () => {
        const under = absolutePath(path, root)
        const args = ['--files', '--null', '--hidden', `--glob=${anchored(pattern, under)}`, '--glob=!.git', '--glob=!.qed', '--sort=path']
        const { text, isCut } = await search(args, under, signal)
        // What stands behind the last separator is no whole name.
        const found = text.split('\0').slice(0, -1)
        const may = await mayRead()
        const shown = found.filter(file => may(resolve(under, file)))
        return { ok: true, text: listed(shown, { under: path, hidden: found.length - shown.length, isCut }) }
      },
    }),
  })

/** A pattern counts from the folder; written in full, or with a dot in front, it means the same. */
function anchored(pattern: string, under: string): string {
  const inside = pattern.startsWith(`${under}/`) ? pattern.slice(under.length + 1) : pattern.replace(/^(?:\.\/+)+/, '')
  return inside.startsWith('/') || inside.startsWith('**') ? inside : `/${inside}`
}

const NOTHING =
  'Nothing matches. A pattern counts from the folder that is searched: **/name finds a file at any depth. Files that git ignores are shown by ls only.'

function listed(paths: string[], { under, hidden, isCut }: { under: string; hidden: number; isCut: boolean }): string {
  const shown = under === '.' ? paths : paths.map(path => `${under.replace(/\/$/, '')}/${path}`)
  const rest = shown.length - MOST_PATHS
  return [
    ...(shown.length === 0 ? [NOTHING] : shown.slice(0, MOST_PATHS)),
    ...(rest > 0 ? [`[${isCut ? 'at least ' : ''}${rest} more; narrow the pattern]`] : []),
    ...(hidden > 0 ? [`[${hidden} secret files were left out]`] : []),
  ].join('\n')
}
