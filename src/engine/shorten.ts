import { FailedResult } from '../kernel/failed-result.ts'

/** How much of a text a model gets to see: its beginning and its end. */
interface Cut {
  most: number
  head: number
  tail: number
}

const ERROR_CUT: Cut = { most: 4_000, head: 3_000, tail: 1_000 }
const RESULT_CUT: Cut = { most: 200_000, head: 150_000, tail: 50_000 }

/** The text, or its two ends with a line between that says how much is missing. Never splits a character. */
function shorten(text: string, { most, head, tail }: Cut): string {
  if (text.length <= most) return text
  const start = isHighSurrogate(text, head - 1) ? head - 1 : head
  const end = isHighSurrogate(text, text.length - tail - 1) ? text.length - tail + 1 : text.length - tail
  return `${text.slice(0, start)}\n[${end - start} characters left out]\n${text.slice(end)}`
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff
}

/** What an executor threw, in words for the model. */
export function errorText(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : asText(thrown)
  const cut = thrown instanceof FailedResult ? RESULT_CUT : ERROR_CUT
  return `Error: ${shorten(said === '' ? 'tool failed without a message' : said, cut)}`
}

/** What an executor gave, as text; by its type it is text already, but programs are not always what their types say. */
export function resultText(given: unknown): string {
  return shorten(typeof given === 'string' ? given : (safeJson(given) ?? String(given)), RESULT_CUT)
}

function asText(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return ''
  }
}

function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
