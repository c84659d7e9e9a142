import type { LiveText } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'

/** At most so often is the screen drawn again (U-16: ten times a second). */
const EVERY_MS = 100
const CLEAR = '\r\x1b[2K'
const CLEAR_ABOVE = '\x1b[1A\x1b[2K'
const COLOURS = /\x1b\[[0-9;]*m/g
// Without wrapping, a line that is wider than it looks is clipped and still takes one row, which is what can be cleared.
const NO_WRAP = '\x1b[?7l'
const WRAP = '\x1b[?7h'

/** A terminal writes `^C` behind the line; what made it longer than the screen could not be cleared. */
const ECHO = 2

/** The bottom of a terminal: one line that says what is going on and for how long, and above it the row of a text that is still
 *  coming in. Lines that stay are printed above both. */
export class LiveLine {
  readonly #stream: NodeJS.WritableStream & { columns?: number }
  readonly #paint: Paint
  readonly #now: () => number
  #current: LiveText | undefined
  #since = 0
  /** What stays and waits to be drawn. */
  #staying = ''
  /** The row of a text that may still grow. */
  #row = ''
  #drawn = ''
  #isHeld = false
  #timer: NodeJS.Timeout | undefined

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
    this.#start()
    if (isFirst) this.draw()
  }

  /** Lines that stay. */
  print(text: string): void {
    this.#endRow()
    this.#staying += `${text}\n`
    this.draw()
  }

  /** The next piece of a text. It is drawn with the next tick: a model writes faster than anyone reads. */
  write(piece: string): void {
    const { rows, rest } = brokenAt(`${this.#row}${piece}`, this.#room())
    this.#staying += rows.map(row => `${row}\n`).join('')
    this.#row = rest
    this.#start()
  }

  draw(): void {
    if (this.#isHeld) return
    const bottom = [this.#row, this.#line()].filter(row => row !== '').join('\n')
    if (this.#staying === '' && bottom === this.#drawn) return
    const stays = this.#staying === '' ? '' : `${this.#cleared()}${this.#staying}`
    if (this.#staying !== '') this.#drawn = ''
    this.#staying = ''
    const shown = bottom === '' ? '' : `${this.#drawn === '' ? CLEAR : this.#cleared()}${NO_WRAP}${bottom}${WRAP}`
    this.#drawn = bottom
    this.#stream.write(`${stays}${shown}`)
  }

  /** Leaves the bottom of the screen to someone else until `release`. */
  hold(): void {
    this.#endRow()
    this.draw()
    this.#isHeld = true
    this.#erase()
  }

  release(): void {
    this.#isHeld = false
    this.draw()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#endRow()
    this.#current = undefined
    if (this.#staying === '') this.#erase()
    else this.draw()
  }

  #start(): void {
    this.#timer ??= setInterval(() => this.draw(), EVERY_MS).unref()
  }

  #endRow(): void {
    if (this.#row !== '') this.#staying += `${this.#row}\n`
    this.#row = ''
  }

  // A terminal that does not know its width says 0.
  #room(): number {
    return (this.#stream.columns || 80) - 1
  }

  #line(): string {
    if (!this.#current) return ''
    const { label, detail = '' } = this.#current
    const room = this.#room() - ECHO
    const head = `${label}  ${Math.floor((this.#now() - this.#since) / 1000)} s`
    const rest = detail.slice(0, Math.max(0, room - head.length - 2))
    return `${head.slice(0, room)}${rest === '' ? '' : `  ${this.#paint.dim(rest)}`}`
  }

  // Terminals break rows anew when they become narrower: what was one row may be several by now.
  #cleared(): string {
    if (this.#drawn === '') return ''
    const columns = this.#stream.columns || 80
    const rows = this.#drawn.split('\n').map(row => Math.max(1, Math.ceil(row.replace(COLOURS, '').length / columns)))
    return `${CLEAR}${CLEAR_ABOVE.repeat(rows.reduce((sum, n) => sum + n, -1))}`
  }

  #erase(): void {
    if (this.#drawn !== '') this.#stream.write(this.#cleared())
    this.#drawn = ''
  }
}

/** A text in rows of at most `width` columns, broken at spaces where there are any; `rest` is the row that may still grow. */
function brokenAt(text: string, width: number): { rows: string[]; rest: string } {
  const rows: string[] = []
  const lines = text.split('\n')
  for (const [i, line] of lines.entries()) {
    let left = line
    while (left.length > width) {
      const space = left.lastIndexOf(' ', width)
      const at = space > 0 ? space : width
      rows.push(left.slice(0, at))
      left = left.slice(space > 0 ? at + 1 : at)
    }
    if (i === lines.length - 1) return { rows, rest: left }
    rows.push(left)
  }
  return { rows, rest: '' }
}
