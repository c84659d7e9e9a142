/** How model providers say that a request is longer than the model can see. The only place that looks at such words. */
const WORDS = [
  /context[ _-]?length/i,
  /context[ _]window/i,
  /context[ _](size|limit)/i,
  /maximum (context|prompt|input)/i,
  /prompt is too long/i,
  /input (token count|is too long|length)/i,
  /too many (input )?tokens/i,
  /exceeds? the (available )?(context|maximum number of tokens)/i,
  /exceeded model token limit/i,
  /reduce the length of (the|your) (messages|input|prompt)/i,
]
const STATUSES = new Set([400, 413, 422, 500])

/** Larger than may be sent in a minute: waiting does not make it smaller. */
const LARGER_THAN_A_MINUTE = /request too large for/i
const MINUTE_STATUSES = new Set([413, 429])

export function isOverflow(status: number | undefined, words: string): boolean {
  if (status !== undefined && MINUTE_STATUSES.has(status) && LARGER_THAN_A_MINUTE.test(words)) return true
  return (status === undefined || STATUSES.has(status)) && WORDS.some(form => form.test(words))
}
