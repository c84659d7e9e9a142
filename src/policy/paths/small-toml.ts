/** A number, date or time as it is written: such values are compared, never reckoned with. */
class TomlLiteral {
  readonly literal: string

  constructor(literal: string) {
    this.literal = literal
  }
}

export type TomlValue = string | boolean | TomlLiteral | TomlValue[] | TomlTable
export interface TomlTable {
  [key: string]: TomlValue
}

/** What is not TOML is refused and not guessed. */
class TomlRefused extends Error {}

/** Reads a TOML text, or gives null where it is none. A key that is set twice makes it none. */
export function readSmallToml(text: string): TomlTable | null {
  try {
    return new Reader(text).document()
  } catch {
    return null
  }
}

const MOST_LEVELS = 100
const BARE_KEY = /[\w-]+/y
const SCALAR = /[^\s,\]}#]+(?: \d\d:[\d.:]+(?:Z|[+-]\d\d:\d\d)?)?/y
const NUMBER_OR_DATE = /^(?:[+-]?(?:inf|nan|0x[\da-f_]+|0o[0-7_]+|0b[01_]+|[\d_]+(?:\.[\d_]+)?(?:e[+-]?[\d_]+)?)|\d[\d:TtZz.+ -]*)$/i
const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\', e: '\u001b' }

class Reader {
  readonly #text: string
  #at = 0
  #level = 0
  readonly #headed = new Set<TomlTable>()

  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n')
  }

  document(): TomlTable {
    const root = table()
    let current = root
    for (this.#blank(); this.#at < this.#text.length; this.#blank()) {
      if (this.#text.startsWith('[[', this.#at)) current = this.#arrayHeader(root)
      else if (this.#text[this.#at] === '[') current = this.#header(root)
      else this.#assign(current)
      this.#lineEnd()
    }
    return root
  }

  #header(root: TomlTable): TomlTable {
    this.#take('[')
    const path = this.#keyPath()
    this.#take(']')
    const found = descend(root, path)
    if (this.#headed.has(found)) throw new TomlRefused('a table twice')
    this.#headed.add(found)
    return found
  }

  #arrayHeader(root: TomlTable): TomlTable {
    this.#take('[[')
    const path = this.#keyPath()
    this.#take(']]')
    const parent = descend(root, path.slice(0, -1))
    const last = path.at(-1) ?? ''
    const list = (parent[last] ??= [])
    if (!Array.isArray(list)) throw new TomlRefused('no list of tables')
    const added = table()
    list.push(added)
    return added
  }

  #assign(into: TomlTable): void {
    const path = this.#keyPath()
    this.#take('=')
    this.#spaces()
    const parent = descend(into, path.slice(0, -1))
    const last = path.at(-1) ?? ''
    if (last in parent) throw new TomlRefused('a key twice')
    parent[last] = this.#value()
  }

  #keyPath(): string[] {
    const path: string[] = []
    do {
      this.#spaces()
      path.push(this.#key())
      this.#spaces()
    } while (this.#maybe('.'))
    return path
  }

  #key(): string {
    const quote = this.#text[this.#at]
    if (quote === '"' || quote === "'") return this.#line(quote)
    return this.#match(BARE_KEY)
  }

  #value(): TomlValue {
    if (++this.#level > MOST_LEVELS) throw new TomlRefused('too deep')
    const found = this.#anyValue()
    this.#level--
    return found
  }

  #anyValue(): TomlValue {
    const first = this.#text[this.#at]
    if (first === '"' || first === "'")
      return this.#text.startsWith(first.repeat(3), this.#at) ? this.#block(first.repeat(3)) : this.#line(first)
    if (first === '[') return this.#array()
    if (first === '{') return this.#inline()
    const word = this.#match(SCALAR)
    if (word === 'true' || word === 'false') return word === 'true'
    if (!NUMBER_OR_DATE.test(word)) throw new TomlRefused(`a value ${word}`)
    return new TomlLiteral(word)
  }

  #array(): TomlValue[] {
    const items: TomlValue[] = []
    this.#take('[')
    for (this.#blank(); !this.#maybe(']'); this.#blank()) {
      items.push(this.#value())
      this.#blank()
      if (this.#maybe(',')) continue
      this.#take(']')
      break
    }
    return items
  }

  #inline(): TomlTable {
    const members = table()
    this.#take('{')
    for (this.#blank(); !this.#maybe('}'); this.#blank()) {
      this.#assign(members)
      this.#blank()
      if (this.#maybe(',')) continue
      this.#take('}')
      break
    }
    return members
  }

  #line(quote: string): string {
    const end = this.#closing(quote, quote === '"')
    const raw = this.#text.slice(this.#at + 1, end)
    if (raw.includes('\n')) throw new TomlRefused('a text that does not end on its line')
    this.#at = end + 1
    return quote === '"' ? unescape(raw) : raw
  }

  #block(quotes: string): string {
    this.#at += 3
    let end = this.#closing(quotes, quotes[0] === '"', this.#at)
    // Up to two quotes may stand right before the closing three.
    for (let more = 0; more < 2 && this.#text[end + 3] === quotes[0]; more++) end++
    const raw = this.#text.slice(this.#at, end).replace(/^\n/, '')
    this.#at = end + 3
    return quotes[0] === '"' ? unescape(raw.replace(/(?<!\\)((?:\\\\)*)\\[ \t]*\n\s*/g, '$1')) : raw
  }

  #closing(quote: string, escapes: boolean, from = this.#at + 1): number {
    for (let i = from; i < this.#text.length; i++) {
      if (escapes && this.#text[i] === '\\') i++
      else if (this.#text.startsWith(quote, i)) return i
    }
    throw new TomlRefused('a text without an end')
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) throw new TomlRefused(`at ${this.#at}`)
    this.#at += found.length
    return found
  }

  #maybe(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #take(text: string): void {
    this.#spaces()
    if (!this.#maybe(text)) throw new TomlRefused(`no ${text} at ${this.#at}`)
  }

  #spaces(): void {
    this.#match(/[ \t]*/y)
  }

  /** Blanks, line ends and comments. */
  #blank(): void {
    this.#match(/(?:[ \t\n]+|#[^\n]*)*/y)
  }

  #lineEnd(): void {
    this.#match(/[ \t]*(?:#[^\n]*)?(?:\n|$)/y)
  }
}

// Without a prototype every key is an ordinary one.
function table(): TomlTable {
  return Object.create(null) as TomlTable
}

function descend(from: TomlTable, path: readonly string[]): TomlTable {
  let current = from
  for (const key of path) {
    const next = (current[key] ??= table())
    const inner = Array.isArray(next) ? next.at(-1) : next
    if (!isTomlTable(inner)) throw new TomlRefused(`${key} is no table`)
    current = inner
  }
  return current
}

export function isTomlTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlLiteral)
}

function unescape(raw: string): string {
  return raw.replace(
    /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|(.?))/gs,
    (_, short, long, byte, char: string | undefined) => {
      const code = (short ?? long ?? byte) as string | undefined
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
      const plain = ESCAPES[char ?? '']
      if (plain === undefined) throw new TomlRefused(`an escape ${char}`)
      return plain
    },
  )
}

/** Every value of a table by its dotted key; lists and what stands in them are one value. */
export function tomlLeaves(from: TomlTable, above = ''): Map<string, TomlValue> {
  const leaves = new Map<string, TomlValue>()
  for (const [key, value] of Object.entries(from)) {
    const name = above === '' ? key : `${above}.${key}`
    if (isTomlTable(value)) for (const [inner, leaf] of tomlLeaves(value, name)) leaves.set(inner, leaf)
    else leaves.set(name, value)
  }
  return leaves
}
