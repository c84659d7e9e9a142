import { relative } from 'node:path'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import type { Question } from '../../tools/tool.ts'

/** What would hold around a command, in one line. */
export function wallsText(isolation: IsolationInForce | null): string {
  if (!isolation || isolation.level === 'none') return 'nothing: it runs with your own rights'
  const { level, network, writable, degraded } = isolation
  const parts = [level, `network ${network}`, `may write ${writable.join(', ') || 'nothing'}`, ...(degraded === null ? [] : [degraded])]
  return parts.join('; ')
}

/** How an ask that nobody answered could have been allowed. */
export function wayOn({ command, paths = [] }: Question, root: string): string {
  const flags = command === undefined ? paths.map(({ path }) => `--scope '${relative(root, path)}'`) : [`--allow-command '${command}'`]
  return `Give ${[...flags, '--wait-for-approval'].join(' or ')}, or run it at a terminal.`
}
