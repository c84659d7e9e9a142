/** What isolation was really in force for a process: built from the arguments that were passed and the last probe, never from
 *  what was wished for. */
export interface IsolationInForce {
  level: 'bubblewrap' | 'worktree' | 'process-group' | 'none'
  planned: string
  filesystem: 'read-only-root' | 'host'
  writable: string[]
  hidden: string[]
  network: 'off' | 'host'
  pid_namespace: boolean
  environment: 'filtered' | 'inherited'
  facets: IsolationFacets
  probe: { at: string; tool: string; checks: Record<string, 'pass' | 'fail' | 'skipped'> }
  /** What does not hold that should, or null. */
  degraded: string | null
  /** What these walls do not hold even where they all stand, in words. */
  limitations: string[]
}

export interface IsolationFacets {
  scope: 'owned' | 'directory' | 'place' | 'host'
  tmp: 'private' | 'host'
  home: 'masked' | 'host'
  git: 'read-only' | 'private' | 'absent' | 'host'
  sockets: 'masked' | 'host'
  userns: 'disabled' | 'allowed'
}
