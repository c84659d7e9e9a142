/** Thrown by an executor where the run was stopped before a call began to act: it has no result, and whoever goes on with the run
 *  carries it out. */
export class CallLeftOpen extends Error {
  readonly code = 'call_left_open'
  override readonly name = 'CallLeftOpen'
}
