import * as z from 'zod'
import { absolutePath } from './paths.ts'
import type { Ripgrep } from './ripgrep.ts'
import { tool } from './tool.ts'

const MOST_MATCHES = 100
const MOST_LINE = 400

export const grep = (search: Ripgrep) =>
  tool({
    name: 'grep',
    description: 'Find lines by a regular expression (ripgrep); files that git ignores are left out. glob: only such files.',
    effect: 'read',
    foreign: true,
    input: () => z.strictObject({ pattern: z.string().min(1), path: z.string().min(1).default('.'), glob: z.string().optional() }),
    ask: ({ path }, { root }) => ({ verb: 'file.read', paths: [{ path: absolutePath(path, root), access: 'read', recursive: true }] }),
    prepare: ({ pattern, path, glob }, { root, signal }) => ({
      act: async () => {
        const args = ['--line-number', '--no-heading', '--color=never', '--hidden', '--glob=!.git', '--glob=!.qed', '--sort=path']
        const text = await search(
          [...args, `--max-columns=${MOST_LINE}`, ...(glob === undefined ? [] : [`--glob=${glob}`]), '-e', pattern, '--', path],
          root,
          signal,
        )
        return { ok: true, text: matches(text) }
      },
    }),
  })

function matches(text: string): string {
  const lines = text.split('\n').filter(line => line !== '')
  if (lines.length === 0) return 'Nothing matches. Widen the pattern or the path.'
  const rest = lines.length - MOST_MATCHES
  return [...lines.slice(0, MOST_MATCHES), ...(rest > 0 ? [`[${rest} more matches; narrow the pattern or the path]`] : [])].join('\n')
}
