export type Surface = 'cli' | 'tui' | 'mcp' | 'rpc' | 'acp' | 'http' | 'sdk'

/** Who calls an operation. Made by the surface from what it measured, never taken from the call's input. */
export interface Caller {
  surface: Surface
  /** One connection, one caller. */
  connection: string
  /** What the other side calls itself: recorded, never used to grant. */
  client?: string
  role: 'person' | 'agent' | 'program'
  /** Who can answer an ask during this call. */
  approver: 'person' | 'none'
}
