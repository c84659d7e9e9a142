import * as z from 'zod'
import { absolutePath } from './paths.ts'
import type { Ripgrep } from './ripgrep.ts'
import { tool } from './tool.ts'

const MOST_PATHS = 300

export const glob = (search: Ripgrep) =>
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
        const text = await search(args, absolutePath(path, root), signal)
        return {
          ok: true,
          text: listed(
            text.split('\n').filter(line => line !== ''),
            path,
          ),
        }
      },
    }),
  })

function listed(paths: string[], under: string): string {
  if (paths.length === 0) return 'Nothing matches. Widen the pattern or name another folder.'
  const shown = under === '.' ? paths : paths.map(path => `${under.replace(/\/$/, '')}/${path}`)
  const rest = shown.length - MOST_PATHS
  return [...shown.slice(0, MOST_PATHS), ...(rest > 0 ? [`[${rest} more; narrow the pattern]`] : [])].join('\n')
}
