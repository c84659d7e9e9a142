/** Thrown by an executor for a call that failed with all that came of it. What a command printed before it failed is a result, and
 *  what a model needs to mend it: it is cut as results are, not as errors. */
export class FailedResult extends Error {
  override readonly name = 'FailedResult'
}
