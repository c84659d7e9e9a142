import type { IsolationFacets, IsolationInForce } from '../../kernel/isolation.ts'

/** Facets of a process that runs on the host as it is. */
export const HOST_FACETS: IsolationFacets = {
  scope: 'host',
  tmp: 'host',
  home: 'host',
  git: 'host',
  sockets: 'host',
  userns: 'allowed',
}

/** The report of a process without walls: only its group, and, where it says so, a filtered environment. */
export function hostIsolation(at: {
  planned: string
  level?: 'process-group' | 'worktree' | 'none'
  degraded: string | null
  limitations?: readonly string[]
}): IsolationInForce {
  return {
    level: at.level ?? 'process-group',
    planned: at.planned,
    filesystem: 'host',
    writable: ['/'],
    hidden: [],
    network: 'host',
    pid_namespace: false,
    environment: 'filtered',
    facets: HOST_FACETS,
    probe: { at: '', tool: '', checks: {} },
    degraded: at.degraded,
    limitations: [...(at.limitations ?? [])],
  }
}
