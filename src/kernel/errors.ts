import type { Json, JsonObject } from './json.ts'

/** One way on after a refusal. */
export type NextStep = {
  operation?: string
  command?: string
  why: string
}

/** An error as every surface sends it. Fields that an operation's own error names stand beside `code`. */
export type ErrorBody = {
  code: string
  message: string
  details?: JsonObject
  next?: NextStep
  [field: string]: Json
}

interface QedErrorOptions extends ErrorOptions {
  details?: JsonObject
  next?: NextStep
}

/** The base of everything QED refuses or fails with. One class per condition; callers look at `code` and `details`, never at
 *  the text. The message says what was refused and why; `next` names one way on. */
export abstract class QedError extends Error {
  abstract readonly code: string
  readonly details: JsonObject | undefined
  readonly next: NextStep | undefined

  constructor(message: string, options: QedErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = new.target.name
    this.details = options.details
    this.next = options.next
  }

  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.details && { details: this.details }),
      ...(this.next && { next: this.next }),
    }
  }
}

export interface InputIssue {
  /** JSON pointer into the input. */
  path: string
  message: string
}

export class InvalidInput extends QedError {
  readonly code = 'invalid_input'
  readonly issues: InputIssue[]
  constructor(what: string, issues: InputIssue[], options: QedErrorOptions = {}) {
    const listed = issues.map(issue => (issue.path ? `${issue.path}: ${issue.message}` : issue.message)).join('; ')
    super(`${what}: ${listed}`, { ...options, details: { issues: issues.map(issue => ({ ...issue })) } })
    this.issues = issues
  }
}

/** The words of a command line do not fit, as opposed to the values they carry. */
export class Usage extends QedError {
  readonly code = 'usage'
}

export class NotFound extends QedError {
  readonly code = 'not_found'
}

export class Conflict extends QedError {
  readonly code = 'conflict'
}

export class TooLarge extends QedError {
  readonly code = 'too_large'
  constructor(what: string, size: { bytes: number; most: number }) {
    super(`${what} has ${size.bytes} bytes; at most ${size.most} are taken. Send it in smaller parts.`, { details: size })
  }
}

export class ActorNotPerson extends QedError {
  readonly code = 'actor_not_person'
  constructor(operation: string, command: string) {
    super(`${operation} is for a person. It is refused to agents, programs and pipes.`, {
      next: { command, why: 'Ask the person to run it in a terminal.' },
    })
  }
}

export class NotConfirmed extends QedError {
  readonly code = 'denied'
  constructor(operation: string) {
    super(`${operation} was not confirmed. Nothing was done.`, { next: { why: 'Answer y, or give --yes.' } })
  }
}

export class Unavailable extends QedError {
  readonly code = 'unavailable'
}

export class Busy extends QedError {
  readonly code = 'busy'
}

export class TimedOut extends QedError {
  readonly code = 'timeout'
  constructor(what: string, afterMs: number, next?: NextStep) {
    super(`${what} took longer than ${afterMs} ms and was stopped. What it had committed stays.`, {
      details: { after_ms: afterMs },
      ...(next && { next }),
    })
  }
}

export class Cancelled extends QedError {
  readonly code = 'cancelled'
  constructor(what: string) {
    super(`${what} was cancelled. What it had committed stays.`)
  }
}

/** A fault of QED itself. */
export class Internal extends QedError {
  readonly code = 'internal'
  constructor(cause: unknown) {
    super(`QED failed inside: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
      next: { command: 'qed doctor', why: 'It shows what is wrong with this installation; -v shows where it failed.' },
    })
  }
}

/** What was thrown, as one of ours. An abort is a cancellation; anything unknown is a fault of QED. */
export function asQedError(thrown: unknown, what = 'The call'): QedError {
  if (thrown instanceof QedError) return thrown
  if (thrown instanceof Error && thrown.name === 'AbortError') return new Cancelled(what)
  return new Internal(thrown)
}
