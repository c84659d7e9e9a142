import { join } from 'node:path'
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
        const anchored = pattern.startsWith('/') || pattern.startsWith('**') ? pattern : `/${pattern}`
        const args = ['--files', '--hidden', `--glob=${anchored}`, '--glob=!.git', '--glob=!.qed', '--sort=path']
        const under = absolutePath(path, root)
        const found = (await search(args, under, signal)).split('\n').filter(line => line !== '')
        const may = await mayRead()
        const shown = found.filter(file => may(join(under, file)))
        return { ok: true, text: listed(shown, path, found.length - shown.length) }
      },
    }),
  })

function listed(paths: string[], under: string, hidden: number): string {
  const shown = under === '.' ? paths : paths.map(path => `${under.replace(/\/$/, '')}/${path}`)
  const rest = shown.length - MOST_PATHS
  return [
    ...(shown.length === 0 ? ['Nothing matches. Widen the pattern or name another folder.'] : shown.slice(0, MOST_PATHS)),
    ...(rest > 0 ? [`[${rest} more; narrow the pattern]`] : []),
    ...(hidden > 0 ? [`[${hidden} secret files were left out]`] : []),
  ].join('\n')
}
