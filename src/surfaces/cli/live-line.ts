import type { LiveText } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'

/** At most so often is the line drawn again (U-16: ten times a second). */
const EVERY_MS = 100
const CLEAR = '\r\x1b[2K'
// Without wrapping, a line that is wider than it looks is clipped and still takes one row, which is what can be cleared.
const NO_WRAP = '\x1b[?7l'
const WRAP = '\x1b[?7h'

/** One line at the bottom of a terminal that says what is going on and for how long. Lines that stay are printed above it. */
export class LiveLine {
  readonly #stream: NodeJS.WritableStream & { columns?: number }
  readonly #paint: Paint
  readonly #now: () => number
  #current: LiveText | undefined
  #since = 0
  #drawn = ''
  #timer: NodeJS.Timeout | undefined
  #paused = false

  constructor(stream: NodeJS.WritableStream, paint: Paint, now = () => performance.now()) {
    this.#stream = stream
    this.#paint = paint
    this.#now = now
  }

  /** What is going on now. The time starts again when it is something else. */
  update(text: LiveText): void {
    if (text.label !== this.#current?.label) this.#since = this.#now()
    const isFirst = this.#current === undefined
    this.#current = text
    this.#timer ??= setInterval(() => this.draw(), EVERY_MS).unref()
    if (isFirst) this.draw()
  }

  /** A line that stays. */
  print(text: string): void {
    this.#clear()
    this.#stream.write(`${text}\n`)
    this.draw()
  }

  draw(): void {
    if (!this.#current || this.#paused) return
    const { label, detail = '' } = this.#current
    const head = `${label}  ${Math.floor((this.#now() - this.#since) / 1000)} s`
    // A terminal that does not know its width says 0.
    const room = (this.#stream.columns || 80) - 1
    const rest = detail.slice(0, Math.max(0, room - head.length - 2))
    const line = `${head.slice(0, room)}${rest === '' ? '' : `  ${this.#paint.dim(rest)}`}`
    if (line === this.#drawn) return
    this.#drawn = line
    this.#stream.write(`${CLEAR}${NO_WRAP}${line}${WRAP}`)
  }

  /** Leaves the terminal to someone else until `resume`. */
  pause(): void {
    this.#paused = true
    this.#clear()
  }

  resume(): void {
    this.#paused = false
    this.draw()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#clear()
    this.#current = undefined
  }

  #clear(): void {
    if (this.#drawn !== '') this.#stream.write(CLEAR)
    this.#drawn = ''
  }
}
