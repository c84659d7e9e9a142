import { QedError } from '../../kernel/errors.ts'

/** The isolation that is asked for cannot be had here. */
export class IsolationUnavailable extends QedError {
  readonly code = 'isolation_unavailable'
  constructor(reason: string, fixes: readonly string[]) {
    super(`${reason} Nothing was run. ${fixes[0] ?? ''}`.trim(), {
      details: { reason, fixes: [...fixes] },
      next: { operation: 'sandbox.status', command: 'qed sandbox status', why: 'It says what is missing and how to get it.' },
    })
  }
}

/** What a process is to write cannot be walled off. */
export class PlaceUnfit extends QedError {
  readonly code = 'sandbox_failed'
  constructor(reason: string) {
    super(`${reason} Nothing was run.`, { details: { reason } })
  }
}
