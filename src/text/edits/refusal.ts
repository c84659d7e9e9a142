import { SHOWN } from './limits.ts'
import type { EditError, ErrorCode, Outcome } from './types.ts'

/** Ends the reading or applying of an edit from any depth. It never leaves the room: `outcomeOf` turns it into a value. */
export class Refusal extends Error {
  readonly error: EditError
  constructor(error: EditError) {
    super(error.message)
    this.error = error
  }
}

export function refuse(code: ErrorCode, message: string, more: Omit<EditError, 'code' | 'message'> = {}): never {
  throw new Refusal({ code, message, ...more })
}

export function malformed(message: string, line?: number): never {
  refuse('malformed', message, line === undefined ? {} : { line })
}

export function outcomeOf<T>(work: () => T): Outcome<T> {
  try {
    return { kind: 'ok', value: work() }
  } catch (thrown) {
    if (thrown instanceof Refusal) return { kind: 'refused', error: withShortMessage(thrown.error) }
    throw thrown
  }
}

/** Refuses with the first of several failures and lists the others. */
export function refuseIfFailed([first, ...rest]: readonly EditError[]): void {
  if (!first) return
  const others = rest
    .slice(0, SHOWN.others)
    .map(withShortMessage)
    .map(({ edit = 0, code, message }) => ({ edit, code, message }))
  throw new Refusal({ ...first, ...(others.length > 0 && { others }) })
}

function withShortMessage(error: EditError): EditError {
  return error.message.length <= SHOWN.message ? error : { ...error, message: `${error.message.slice(0, SHOWN.message - 3)}...` }
}

/** The first line of what was looked for, short enough to stand in a sentence. */
export function quoted(text: string): string {
  const end = text.indexOf('\n')
  return `"${shortened(end < 0 ? text : text.slice(0, end), SHOWN.quote)}"`
}

/** At most so many UTF-16 units, never half a surrogate pair. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)
}
