/** How far failed attempts may look ahead in one reply, as a multiple of its length. Hostile text that offers thousands of
 *  half-finished calls would otherwise cost a walk to its end for each; once the budget is spent they are plain prose. */
const AHEAD = 8
const AT_LEAST = 65_536

/** Finds fixed strings ahead, remembering answers, and pays for what it does not find. */
export class Lookahead {
  #left: number
  readonly #text: string
  readonly #answers = new Map<string, { asked: number; answer: number }>()

  constructor(text: string) {
    this.#text = text
    this.#left = text.length * AHEAD + AT_LEAST
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }

  pay(characters: number): void {
    this.#left -= characters
  }

  /** The next `needle` at or after `from`; -1 when there is none, or nothing is left to pay with. */
  find(needle: string, from: number): number {
    const known = this.#answers.get(needle)
    if (known && from >= known.asked && (known.answer < 0 || from <= known.answer)) return known.answer
    if (this.isSpent) return -1
    const answer = this.#text.indexOf(needle, from)
    if (answer < 0) this.pay(this.#text.length - from)
    this.#answers.set(needle, { asked: from, answer })
    return answer
  }
}
