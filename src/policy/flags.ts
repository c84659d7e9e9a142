import type { IsolationInForce } from '../kernel/isolation.ts'
import type { Flag } from './types.ts'

const RAISE_NOTHING = new Set<Flag>(['background', 'inline-code'])

/** The flags that hold something back by themselves. */
export function raisingFlags(flags: Flag[]): Flag[] {
  return flags.filter(flag => !RAISE_NOTHING.has(flag))
}

/** The scope alone is writable; a scope that owns everything is the place itself. */
const SCOPE_ONLY = new Set<IsolationInForce['facets']['scope']>(['owned', 'place'])

/** Whether a sandbox that was really in force leaves a command nothing to harm. */
export function isSealed(isolation: IsolationInForce | null): boolean {
  return (
    isolation !== null &&
    isolation.level === 'bubblewrap' &&
    isolation.network === 'off' &&
    isolation.filesystem === 'read-only-root' &&
    SCOPE_ONLY.has(isolation.facets.scope) &&
    isolation.degraded === null
  )
}
