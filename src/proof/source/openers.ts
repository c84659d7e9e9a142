import { expectsValue } from './javascript.ts'
import { type Hole, lineComment, type Opener, type Quote, readQuote } from './reader.ts'

// The ways in which strings begin, shared by the languages. Every one leaves the quotes in place.

const BRACES: Hole = { open: '{', nest: '{', close: '}', literal: '{{', format: ':', noComments: true }

export const quoted =
  (quote: Quote): Opener =>
  (reader, at) => {
    reader.last = at
    return readQuote(reader, at + 1, quote)
  }

export const plain = (close: string): Opener => quoted({ close, escape: 'backslash', oneLine: true })
export const long = (close: string, hole?: Hole): Opener => quoted({ close, escape: 'backslash', ...(hole && { hole }) })
export const raw = (close: string): Opener => quoted({ close, escape: 'none' })

/** The first of several that begins here. */
export const first =
  (...openers: Opener[]): Opener =>
  (reader, at) => {
    for (const opener of openers) {
      const next = opener(reader, at)
      if (next >= 0) return next
    }
    return -1
  }

/** Three quotes, or more where the language counts them. */
export const tripled =
  (mark: string, { escape, hole, counted }: { escape: Quote['escape']; hole?: Hole; counted?: true }): Opener =>
  (reader, at) => {
    const three = mark.repeat(3)
    if (!reader.text.startsWith(three, at)) return -1
    let length = 3
    if (counted) while (reader.text[at + length] === mark) length++
    return readQuote(reader, at + length, { close: mark.repeat(length), escape, ...(hole && { hole }) })
  }

/** Python: the letters before the quote say whether it holds code. */
export const pythonString = (mark: string): Opener => {
  return (reader, at) => {
    const letters = /(?<!\w)[A-Za-z]{1,2}$/.exec(reader.text.slice(Math.max(0, at - 3), at))?.[0] ?? ''
    const holes = /[ft]/i.test(letters) && /^[rbuft]{1,2}$/i.test(letters) ? { hole: BRACES } : {}
    const long = reader.text.startsWith(mark.repeat(3), at)
    reader.last = at
    if (long) return readQuote(reader, at + 3, { close: mark.repeat(3), escape: 'backslash', ...holes })
    return readQuote(reader, at + 1, { close: mark, escape: 'backslash', oneLine: true, ...holes })
  }
}

/** Rust: `'a'` is a character, `'a` a lifetime. Blanks are one too, so that blanked text reads the same. */
export const rustCharacter: Opener = (reader, at) => {
  const found = /^'(?: {1,12}|\\(?:u\{[\da-fA-F_]{1,8}\}|x[\da-fA-F]{2}|[^\r\n])|[^'\\\r\n])'/u.exec(reader.text.slice(at, at + 16))
  if (!found) return -1
  const end = at + found[0].length
  reader.mark('string', at + 1, end - 1)
  reader.last = end - 1
  return end
}

/** Rust: `r"…"`, `r#"…"#`, with as many marks as one likes. */
export const rustRaw: Opener = (reader, at) => {
  const { text } = reader
  if (/\w/.test(text[at - 1] ?? '') && !/^(?:^|\W)[bc]$/.test(text.slice(Math.max(0, at - 2), at))) return -1
  let hashes = 0
  while (text[at + 1 + hashes] === '#') hashes++
  if (text[at + 1 + hashes] !== '"') return -1
  reader.last = at + 1 + hashes
  return readQuote(reader, at + 2 + hashes, { close: `"${'#'.repeat(hashes)}`, escape: 'none' })
}

/** C#: `@"…"` doubles its quotes, `$"…"` holds code, `$@"…"` both; three quotes or more are raw. */
export const csharpString: Opener = (reader, at) => {
  const marks = /[@$]{1,2}$/.exec(reader.text.slice(Math.max(0, at - 2), at))?.[0] ?? ''
  const rawString = tripled('"', { escape: 'none', counted: true })(reader, at)
  if (rawString >= 0) return rawString
  reader.last = at
  const hole = marks.includes('$') ? { hole: BRACES } : {}
  if (marks.includes('@')) return readQuote(reader, at + 1, { close: '"', escape: 'doubled', ...hole })
  return readQuote(reader, at + 1, { close: '"', escape: 'backslash', oneLine: true, ...hole })
}

const heredoc =
  (form: RegExp, rules: { open?: true; indented: (found: RegExpExecArray) => boolean }): Opener =>
  (reader, at) => {
    form.lastIndex = at
    const found = form.exec(reader.text)
    const word = found?.groups?.['word'] ?? found?.groups?.['bare']
    if (!found || word === undefined) return -1
    reader.pending.push({ word, indented: rules.indented(found), open: rules.open === true })
    reader.last = at + found[0].length - 1
    return at + found[0].length
  }

/** In arithmetic `<<` shifts. */
const INSIDE_ARITHMETIC = /\(\([^)]{0,200}$/

export const shellHeredoc: Opener = (reader, at) => {
  if (reader.text[at - 1] === '<' || INSIDE_ARITHMETIC.test(reader.text.slice(Math.max(0, at - 200), at))) return -1
  return heredoc(/<<(?<dash>-?)[ \t]*(?<mark>["']?)\\?(?<word>[A-Za-z_]\w*)\k<mark>/y, {
    indented: found => found.groups?.['dash'] === '-',
  })(reader, at)
}

export const rubyHeredoc: Opener = heredoc(/<<(?:(?<dash>[~-])(?<mark>["'`]?)(?<word>[A-Za-z_]\w*)\k<mark>)|<<(?<bare>[A-Z_]{2,})\b/y, {
  indented: found => found.groups?.['dash'] !== undefined,
})

export const phpHeredoc: Opener = heredoc(/<<<[ \t]*(?<mark>["']?)(?<word>[A-Za-z_]\w*)\k<mark>/y, { open: true, indented: () => true })

/** A shell's comment begins a word. */
export const shellComment: Opener = (reader, at) => (at === 0 || /[\s;&|(]/.test(reader.text[at - 1] ?? '') ? lineComment(reader, at) : -1)

/** A shell's `$'…'` knows escapes, its other single quotes know none. */
export const shellSingle: Opener = (reader, at) => {
  reader.last = at
  return readQuote(reader, at + 1, { close: "'", escape: reader.text[at - 1] === '$' ? 'backslash' : 'none' })
}

/** Ruby: a slash behind a name and a blank, with no blank behind it, begins a regular expression too. */
export const rubyRegex: Opener = (reader, at) => {
  const { text } = reader
  const afterName = /\w/.test(text[reader.last] ?? '') && text[at - 1] === ' ' && /[^\s=]/.test(text[at + 1] ?? '')
  if (!afterName && !expectsValue(reader) && !/\b(?:if|unless|while|until|and|or|not|when|then|elsif)$/.test(tail(text, reader.last)))
    return -1
  reader.last = at
  return readQuote(reader, at + 1, { close: '/', escape: 'backslash', oneLine: true })
}

const tail = (text: string, last: number): string => text.slice(Math.max(0, last - 8), last + 1)

const PAIRS: Record<string, string> = { '[': ']', '(': ')', '{': '}', '<': '>' }

/** Ruby: `%w[…]`, `%q(…)`, `%(…)`. */
export const rubyPercent: Opener = (reader, at) => {
  const found = /^%(?<letter>[wWiIqQrsx]?)(?<open>[[({<|!])/.exec(reader.text.slice(at, at + 3))
  const open = found?.groups?.['open']
  if (!found || open === undefined) return -1
  const free = expectsValue(reader) || (found.groups?.['letter'] !== '' && /\s/.test(reader.text[at - 1] ?? ' '))
  if (!free) return -1
  const close = PAIRS[open]
  reader.last = at + found[0].length - 1
  return readQuote(reader, at + found[0].length, { close: close ?? open, escape: 'backslash', ...(close !== undefined && { nest: open }) })
}

/** Ruby: `=begin` to `=end`, each at the start of its line. */
export const rubyBlock: Opener = (reader, at) => {
  const { text } = reader
  if (!text.startsWith('=begin', at) || (at > 0 && text[at - 1] !== '\n')) return -1
  const close = text.indexOf('\n=end', at)
  const end = close < 0 ? text.length : close + '\n=end'.length
  reader.mark('comment', at, end)
  return end
}

const phpOutside = (reader: Parameters<Opener>[0], at: number): number => {
  const next = reader.text.indexOf('<?', at)
  const end = next < 0 ? reader.text.length : next
  reader.mark('string', at, end)
  return next < 0 ? end : end + 2
}

/** PHP: what stands before the first `<?` and behind `?>` is the page. A text without any mark is code. */
export const phpStart: Opener = (reader, at) => (reader.text.includes('<?') ? phpOutside(reader, at) : at)
export const phpEnd: Opener = (reader, at) => (reader.text.startsWith('?>', at) ? phpOutside(reader, at + 2) : -1)
/** PHP: `#[` begins an attribute, not a comment; a comment ends with the code. */
export const phpHash: Opener = (reader, at) => (reader.text[at + 1] === '[' ? -1 : lineComment(reader, at))
