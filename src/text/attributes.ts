/** The attributes of a tag that a model wrote. Not XML: values may hold `>`, line breaks and quotes that end nothing. */
export interface TagAttributes {
  /** By lower-case name; a bare name is `true`. The first of two equal names counts. */
  values: Map<string, string | true>
  duplicates: string[]
  /** Names whose quote was never closed. */
  unbalanced: string[]
  selfClosing: boolean
  /** The offset after the closing `>`; -1 if the tag never ends. */
  end: number
}

interface Quote {
  mark: '"' | "'"
  entity: string
}

const QUOTES: readonly Quote[] = [
  { mark: '"', entity: '&quot;' },
  { mark: "'", entity: '&apos;' },
]

export interface AttributeOptions {
  /** Whether a line starts with the opening of a tool: no value reaches over such a line. */
  opensTool?: ((line: string) => boolean) | undefined
}

/** Reads from the offset after the tag's name up to its `>`. */
export function readAttributes(text: string, start: number, { opensTool }: AttributeOptions = {}): TagAttributes {
  const tag: TagAttributes = { values: new Map(), duplicates: [], unbalanced: [], selfClosing: false, end: -1 }
  const findClosing = closingQuotes(text)
  let at = start
  while (true) {
    at = afterBlanks(text, at)
    if (at >= text.length) return tag
    if (text[at] === '>') return { ...tag, end: at + 1 }
    if (text.startsWith('/>', at)) return { ...tag, selfClosing: true, end: at + 2 }
    const name = /[^ \t\r\n=>/]+|[=/]/y
    name.lastIndex = at
    const written = name.exec(text)?.[0] ?? ''
    at += written.length
    // A lone "=" or "/" between attributes names nothing.
    if (written === '=' || written === '/') continue
    const value = readValue(text, at, { opensTool, findClosing })
    at = value.end
    const key = written.toLowerCase()
    if (value.unbalanced) tag.unbalanced.push(key)
    if (tag.values.has(key)) tag.duplicates.push(key)
    else tag.values.set(key, value.value)
  }
}

interface Value {
  value: string | true
  end: number
  unbalanced?: boolean
}

interface ValueOptions extends AttributeOptions {
  findClosing: (from: number, mark: string) => number
}

function readValue(text: string, start: number, options: ValueOptions): Value {
  const equals = afterBlanks(text, start)
  if (text[equals] !== '=') return { value: true, end: start }
  const at = afterBlanks(text, equals + 1)
  const quote = QUOTES.find(({ mark }) => mark === text[at])
  if (quote) return readQuoted(text, at, quote, options)
  const bare = /[^ \t\r\n>]*/y
  bare.lastIndex = at
  const value = bare.exec(text)?.[0] ?? ''
  return { value, end: at + value.length }
}

function readQuoted(text: string, start: number, { mark, entity }: Quote, { opensTool, findClosing }: ValueOptions): Value {
  const closing = findClosing(start + 1, mark)
  const inside = closing < 0 ? '' : text.slice(start + 1, closing)
  if (closing >= 0 && !(opensTool && inside.split('\n').slice(1).some(opensTool)))
    return { value: inside.replaceAll(entity, mark), end: closing + 1 }
  const lineEnd = text.indexOf('\n', start)
  const line = text.slice(start + 1, lineEnd < 0 ? text.length : lineEnd)
  const end = /\/?>/.exec(line)?.index ?? line.length
  return { value: line.slice(0, end).replaceAll(entity, mark), end: start + 1 + end, unbalanced: true }
}

// A quote inside a value is no end: the one that ends it stands before a blank, the end of the tag, or the end of the text.
function closingQuotes(text: string): ValueOptions['findClosing'] {
  // Where none follows, none follows later places either: many forgotten quotes must not each search the whole text.
  const exhausted = new Set<string>()
  return (from, mark) => {
    if (exhausted.has(mark)) return -1
    for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
      const next = text[at + 1]
      if (next === undefined || next === '/' || next === '>' || isSpace(next)) return at
    }
    exhausted.add(mark)
    return -1
  }
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at++
  return at
}

function isSpace(unit: string): boolean {
  return unit === ' ' || unit === '\t' || unit === '\n' || unit === '\r'
}
