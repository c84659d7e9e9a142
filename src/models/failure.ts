/** What went wrong between us and a model provider. The first three pass with time; the others do not. */
export const FAILURES = ['gateway', 'server', 'rate', 'quota', 'auth', 'missing', 'overflow', 'request', 'refused', 'aborted'] as const
export type FailureKind = (typeof FAILURES)[number]

export class ModelFailed extends Error {
  override readonly name = 'ModelFailed'
  readonly kind: FailureKind
  readonly status: number | undefined
  /** When the model provider says that it can be asked again. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: FailureKind,
    message: string,
    { status, retryAfterMs, cause }: { status?: number | undefined; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}
