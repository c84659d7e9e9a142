import type { IsolationInForce } from '../../kernel/isolation.ts'

/** What would hold around a command, in one line. */
export function wallsText(isolation: IsolationInForce | null): string {
  if (!isolation || isolation.level === 'none') return 'nothing: it runs with your own rights'
  const { level, network, writable, degraded } = isolation
  const parts = [level, `network ${network}`, `may write ${writable.join(', ') || 'nothing'}`, ...(degraded === null ? [] : [degraded])]
  return parts.join('; ')
}
