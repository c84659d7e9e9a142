import { refuse } from './refusal.ts'

/** The bounds of one call. */
export const LIMITS = {
  originalBytes: 10 * 1024 * 1024,
  editBytes: 2 * 1024 * 1024,
  edits: 500,
  searchLines: 2000,
  /** UTF-16 units of what an edit makes of a file. */
  resultUnits: 64 * 1024 * 1024,
  callMs: 2000,
  expressionMs: 250,
} as const

/** Asked in every loop whose length the input decides. */
export interface Deadline {
  /** Refuses with `timeout` once the time of the call is over. */
  check(): void
  /** What is left of the call, in milliseconds. */
  left(): number
}

// The only clock of this room. It can end a call but never changes what a finished call answers.
export function callDeadline(now: () => number = () => performance.now()): Deadline {
  const end = now() + LIMITS.callMs
  const left = (): number => end - now()
  return {
    left,
    check: () => {
      if (left() < 0) outOfTime(`The edit took longer than ${LIMITS.callMs} ms and was stopped.`)
    },
  }
}

export function outOfTime(what: string): never {
  refuse('timeout', `${what} Nothing was changed. Send fewer or more specific edits.`)
}

export function checkBytes(what: string, text: string, most: number): void {
  // No UTF-16 unit takes more than three bytes, so most texts need no counting.
  if (text.length * 3 <= most) return
  const bytes = Buffer.byteLength(text, 'utf8')
  if (bytes > most) refuse('too_large', `${what} has ${bytes} bytes; at most ${most} are taken. Edit a smaller part or split the file.`)
}

/** Asked before a text is put together: one that is too long would not even be a string. */
export function checkResult(units: number): void {
  if (units > LIMITS.resultUnits)
    refuse('too_large', `The file would have ${units} characters; at most ${LIMITS.resultUnits} are written. Replace fewer places.`)
}

export function checkCount(what: string, count: number, most: number, more: { edit?: number } = {}): void {
  if (count > most) refuse('too_large', `${what}: ${count} are given, at most ${most} are taken. Split the edit over several calls.`, more)
}
