import { LIMITS } from './limits.ts'
import { refuse } from './refusal.ts'

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

export function checkEdits(files: readonly { steps: readonly unknown[] }[]): void {
  const count = files.reduce((sum, { steps }) => sum + steps.length, 0)
  checkCount('Edits in one call', count, LIMITS.edits)
}

export function checkSearch(lines: readonly string[]): void {
  checkCount('Lines of one search', lines.length, LIMITS.searchLines)
}

function checkCount(what: string, count: number, most: number): void {
  if (count > most) refuse('too_large', `${what}: ${count} are given, at most ${most} are taken. Split the edit over several calls.`)
}
