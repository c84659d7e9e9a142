import { only, spansOf, without } from './blank.ts'
import { type Brackets, bracketsOf } from './brackets.ts'
import type { Language } from './language.ts'
import { LineIndex } from './line-index.ts'

/** A program's text in its layers, all of the same length. Each is made when it is first asked for. */
export class Source {
  readonly text: string
  readonly language: Language
  #layers: { code: string; plain: string; comments: string } | undefined
  #lines: LineIndex | undefined
  #brackets: Brackets | undefined

  constructor(text: string, language: Language) {
    this.text = text
    this.language = language
  }

  /** Without comments and without what stands in strings. */
  get code(): string {
    return this.#all().code
  }

  /** Without comments. */
  get plain(): string {
    return this.#all().plain
  }

  /** Nothing but comments. */
  get comments(): string {
    return this.#all().comments
  }

  get brackets(): Brackets {
    this.#brackets ??= bracketsOf(this.code)
    return this.#brackets
  }

  /** Where each line begins. */
  get lineStarts(): readonly number[] {
    return this.#index().starts
  }

  get lineCount(): number {
    return this.lineStarts.length
  }

  /** The number of the line, from 0. */
  lineAt(position: number): number {
    return this.#index().lineAt(position)
  }

  lineOf(layer: 'text' | 'code' | 'plain' | 'comments', line: number): string {
    const start = this.lineStarts[line] ?? this.text.length
    const end = this.lineStarts[line + 1] ?? this.text.length
    return this[layer].slice(start, end).replace(/\r?\n$/, '')
  }

  #index(): LineIndex {
    this.#lines ??= new LineIndex(this.text)
    return this.#lines
  }

  #all(): { code: string; plain: string; comments: string } {
    if (this.#layers) return this.#layers
    const spans = spansOf(this.text, this.language)
    const comments = spans.filter(span => span.kind === 'comment')
    this.#layers = { code: without(this.text, spans), plain: without(this.text, comments), comments: only(this.text, comments) }
    return this.#layers
  }
}
