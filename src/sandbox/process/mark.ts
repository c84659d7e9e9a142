import { randomBytes } from 'node:crypto'
import type { RunId } from '../../kernel/ids.ts'

/** What a process carries in its environment so that it is found wherever it went. Opaque: it tells nothing about run or call. */
export interface Mark {
  /** The value of QED_MARK. */
  value: string
  /** The random part of the call alone. */
  call: string
}

/** The random part of each run, kept for as long as this QED lives. */
export type RunMarks = Map<RunId, string>

const MARK_NAME = 'QED_MARK'

export function newMark(run: RunId, marks: RunMarks): Mark {
  const known = marks.get(run) ?? randomPart()
  marks.set(run, known)
  const call = randomPart()
  return { value: `${known}.${call}`, call }
}

/** The whole entry of one call, as it stands in a process's environment. */
export function entryOf(value: string): string {
  return `${MARK_NAME}=${value}\0`
}

/** The beginning of the entries of all calls of a run. */
export function entriesOfRun(part: string): string {
  return `${MARK_NAME}=${part}.`
}

function randomPart(): string {
  return randomBytes(12).toString('hex')
}
