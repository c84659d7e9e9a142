// What can be shown of a reply while it arrives. Only for the eye: nothing is decided before the reply has ended. Prose and
// thinking appear as they come; the suffix that could still begin a call, and everything from the first call on, is held back.
import { closedFenceLine, fenceLine, mayCall } from './fences.ts'
import { type Decision, decide, type LiveContext } from './live-decision.ts'
import { KEPT_CLOSER } from './thinking.ts'
import { toolsOf } from './tools.ts'
import type { ParseOptions } from './types.ts'

export type LivePart = { kind: 'text' | 'thinking'; text: string } | { kind: 'pending'; name: string }

/** These words before a token are part of it. */
const WORDS_BEFORE = 'function call'
const PLACE = /[`◁[{]|<(?![\s<=])/g
const CLOSER_LENGTH = 80
/** Nothing that is waited for on one line is longer. What is, shows at the end; else every chunk would be looked at with it. */
const MOST_HELD = 8_192

type Mode =
  | { kind: 'prose' }
  | { kind: 'thinking'; closer: RegExp }
  | { kind: 'fence'; opener: string; parts: string[]; holdsFence: boolean }
  | { kind: 'stopped' }

export class LiveReply {
  readonly #context: LiveContext
  #mode: Mode = { kind: 'prose' }
  #held = ''
  #isLineStart = true
  /** Blanks of this line that were shown already: behind four of them no fence opens. */
  #indent = ''
  /** Something stands outside fences and thinking. */
  #hasProse = false
  #parts: LivePart[] = []

  constructor(options: ParseOptions = {}) {
    this.#context = { dialect: options.dialect ?? 'auto', tools: toolsOf(options.tools) }
  }

  /** What this chunk lets appear. */
  push(chunk: string): LivePart[] {
    this.#parts = []
    if (this.#mode.kind === 'stopped') return []
    this.#held += chunk
    while (this.#step());
    if (this.#held.length > MOST_HELD) this.#mode = { kind: 'stopped' }
    return this.#parts
  }

  /** Goes on by one construct; false when more text is needed. */
  #step(): boolean {
    switch (this.#mode.kind) {
      case 'stopped':
        this.#held = ''
        return false
      case 'thinking':
        return this.#think(this.#mode.closer)
      case 'fence':
        return this.#fence(this.#mode)
      case 'prose':
        return this.#prose()
    }
  }

  #think(closer: RegExp): boolean {
    closer.lastIndex = 0
    const closed = closer.exec(this.#held)
    const shown = closed ? closed.index : this.#held.search(/[<[◁][^<[◁]*$/)
    // A closer may have begun; it is short.
    const end = closed ? shown : shown < 0 || this.#held.length - shown > CLOSER_LENGTH ? this.#held.length : shown
    this.#show('thinking', this.#held.slice(0, end))
    this.#held = this.#held.slice(closed && !KEPT_CLOSER.test(closed[0]) ? end + closed[0].length : end)
    if (closed) this.#mode = { kind: 'prose' }
    return closed !== null && this.#held !== ''
  }

  #prose(): boolean {
    if (this.#held === '') return false
    const at = this.#nextPlace()
    if (at > 0) {
      const kept = at - this.#wordsBefore(at)
      if (kept > 0) this.#emit(kept)
      if (kept < at) return this.#held.length > at && this.#afterWords()
      return this.#held !== ''
    }
    const fenced = this.#openFence()
    if (fenced !== undefined) return fenced
    return this.#apply(decide(this.#held, this.#isLineStart, this.#context))
  }

  #apply(decision: Decision): boolean {
    switch (decision.kind) {
      case 'wait':
        return false
      case 'stop':
        this.#mode = { kind: 'stopped' }
        return true
      case 'pending':
        this.#parts.push({ kind: 'pending', name: decision.name })
        this.#mode = { kind: 'stopped' }
        return true
      case 'plain':
        this.#emit(decision.length)
        return true
      case 'drop':
        this.#held = this.#held.slice(decision.length)
        return true
      case 'thinking':
        this.#held = this.#held.slice(decision.length)
        this.#mode = { kind: 'thinking', closer: decision.closer }
        return true
    }
  }

  /** The first position that can open something: 0 at the front of a line. Blanks there are passed on as they are. */
  #nextPlace(): number {
    if (this.#isLineStart) return this.#held.length - this.#held.trimStart().length
    PLACE.lastIndex = 0
    const place = PLACE.exec(this.#held)?.index ?? this.#held.length
    const line = this.#held.indexOf('\n')
    return line >= 0 && line < place ? line + 1 : place
  }

  #emit(length: number): void {
    const text = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    this.#isLineStart = text.includes('\n') ? text.slice(text.lastIndexOf('\n')).trim() === '' : this.#isLineStart && text.trim() === ''
    const shown = `${this.#indent}${text}`
    this.#indent = this.#isLineStart ? shown.slice(shown.lastIndexOf('\n') + 1) : ''
    if (text.trim() !== '') this.#hasProse = true
    this.#show('text', text)
  }

  #show(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return
    const last = this.#parts.at(-1)
    if (last?.kind === kind) last.text += text
    else this.#parts.push({ kind, text })
  }

  #wordsBefore(at: number): number {
    const end = this.#held.slice(0, at)
    if (at < this.#held.length && this.#held[at] !== '<') return 0
    for (let length = Math.min(WORDS_BEFORE.length, at); length > 0; length--)
      if (WORDS_BEFORE.startsWith(end.slice(-length)) && (at === this.#held.length || length === WORDS_BEFORE.length)) return length
    return 0
  }

  #afterWords(): boolean {
    const token = '<|role_sep|>'
    const rest = this.#held.slice(WORDS_BEFORE.length)
    if (rest.startsWith(token)) return this.#apply({ kind: 'stop' })
    if (token.startsWith(rest)) return false
    this.#emit(WORDS_BEFORE.length)
    return true
  }

  /** A fence or a code span at the front. Its inside is shown when it has closed: until then it may hide nothing. */
  #openFence(): boolean | undefined {
    const [mark] = this.#held
    if (mark !== '`' && !(mark === '~' && this.#isLineStart)) return undefined
    const run = /^(?:`+|~+)/.exec(this.#held)?.[0] ?? ''
    // The run may still grow into a fence.
    if (run.length === this.#held.length) return false
    const line = this.#held.indexOf('\n')
    if (this.#isLineStart && run.length >= 3) {
      if (line < 0) return false
      if (fenceLine(`${this.#indent}${this.#held.slice(0, line)}`)) {
        this.#mode = { kind: 'fence', opener: this.#held.slice(0, line), parts: [this.#held.slice(0, line + 1)], holdsFence: false }
        this.#held = this.#held.slice(line + 1)
        return true
      }
    }
    return mark === '~' ? this.#apply({ kind: 'plain', length: run.length }) : this.#codeSpan(run.length, line)
  }

  #codeSpan(run: number, line: number): boolean {
    const whole = this.#held.slice(0, line < 0 ? this.#held.length : line)
    for (const found of whole.slice(run).matchAll(/`+/g)) {
      const end = run + found.index + found[0].length
      if (found[0].length === run && (end < this.#held.length || line >= 0)) return this.#apply({ kind: 'plain', length: end })
    }
    return line < 0 ? false : this.#apply({ kind: 'plain', length: run })
  }

  #fence(mode: Extract<Mode, { kind: 'fence' }>): boolean {
    const line = this.#held.indexOf('\n')
    if (line < 0) return false
    const written = this.#held.slice(0, line)
    mode.parts.push(written)
    this.#held = this.#held.slice(line)
    if (closedFenceLine(mode.opener, written)) {
      // Which of several fences belong together is only known at the end.
      const undecided = mode.holdsFence || mayCall(mode.opener, !this.#hasProse)
      if (undecided && this.#context.dialect !== 'none') return this.#apply({ kind: 'stop' })
      this.#mode = { kind: 'prose' }
      this.#show('text', mode.parts.join(''))
      this.#isLineStart = false
      return true
    }
    if (fenceLine(written)) mode.holdsFence = true
    mode.parts.push('\n')
    this.#held = this.#held.slice(1)
    return true
  }
}
