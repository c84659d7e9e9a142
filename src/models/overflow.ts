/** How model providers say that a request is longer than the model can see. The only place that looks at such words. */
const WORDS = [
  /context[ _-]?length/i,
  /context window/i,
  /maximum (context|prompt|input)/i,
  /prompt is too long/i,
  /input (token count|is too long|length)/i,
  /too many (input )?tokens/i,
  /exceeds? the (available )?(context|maximum number of tokens)/i,
  /request too large for model/i,
]
const STATUSES = new Set([400, 413, 422, 500])

export function isOverflow(status: number | undefined, message: string): boolean {
  return (status === undefined || STATUSES.has(status)) && WORDS.some(words => words.test(message))
}
