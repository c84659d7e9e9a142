/** A value of the little YAML that QED's own files use. */
export type YamlValue = string | number | boolean | null | YamlValue[] | { [key: string]: YamlValue }

/** What is not among the forms below is refused and not guessed. */
class YamlRefused extends Error {}

interface Line {
  indent: number
  text: string
  number: number
}

/** Reads maps and lists by indentation, `[a, b]`, quoted and plain scalars, and comments. Anchors, tags, multi-line texts, tabs
 *  and several documents are refused: a file that guards something must not mean two things. */
export function readSmallYaml(text: string): YamlValue {
  const lines = text.split(/\r?\n/).flatMap((raw, i): Line[] => {
    if (raw.includes('\t')) throw refused(i + 1, 'a tab')
    const bare = withoutComment(raw).trimEnd()
    return bare.trim() === '' ? [] : [{ indent: bare.length - bare.trimStart().length, text: bare.trim(), number: i + 1 }]
  })
  if (lines.length === 0) return null
  const { value, next } = block(lines, 0, lines[0]?.indent ?? 0)
  const rest = lines[next]
  if (rest) throw refused(rest.number, 'an indentation that fits nothing')
  return value
}

function block(lines: Line[], at: number, indent: number): { value: YamlValue; next: number } {
  return lines[at]?.text.startsWith('- ') || lines[at]?.text === '-' ? list(lines, at, indent) : map(lines, at, indent)
}

function list(lines: Line[], at: number, indent: number): { value: YamlValue[]; next: number } {
  const items: YamlValue[] = []
  let next = at
  for (let line = lines[next]; line && line.indent === indent && /^-(?: |$)/.test(line.text); line = lines[next]) {
    const rest = line.text.slice(1).trimStart()
    if (isEntry(rest)) {
      // The first key of a map may stand behind the dash; the others stand below it.
      const inner = indent + line.text.length - rest.length
      const patched = [...lines.slice(0, next), { ...line, indent: inner, text: rest }, ...lines.slice(next + 1)]
      const found = map(patched, next, inner)
      items.push(found.value)
      next = found.next
    } else {
      items.push(scalar(rest, line.number))
      next++
    }
  }
  return { value: items, next }
}

function map(lines: Line[], at: number, indent: number): { value: { [key: string]: YamlValue }; next: number } {
  const members: { [key: string]: YamlValue } = {}
  let next = at
  for (let line = lines[next]; line && line.indent === indent; line = lines[next]) {
    const entry = /^([A-Za-z_][\w-]*):(?: +(.*))?$/.exec(line.text)
    const key = entry?.[1]
    if (key === undefined || Object.hasOwn(members, key))
      throw refused(line.number, key === undefined ? 'a line that is no "key: value"' : `a second ${key}`)
    const inline = entry?.[2] ?? ''
    const below = lines[next + 1]
    const hasBlock = below !== undefined && (below.indent > indent || (below.indent === indent && /^-(?: |$)/.test(below.text)))
    if (inline !== '') {
      members[key] = scalar(inline, line.number)
      next++
    } else if (hasBlock) {
      const found = block(lines, next + 1, below.indent)
      members[key] = found.value
      next = found.next
    } else {
      members[key] = null
      next++
    }
  }
  return { value: members, next }
}

function isEntry(text: string): boolean {
  return /^[A-Za-z_][\w-]*:(?: |$)/.test(text)
}

function scalar(text: string, line: number): YamlValue {
  if (text.startsWith('[')) return flowList(text, line)
  const quoted = /^(?:"((?:[^"\\]|\\["\\/])*)"|'((?:[^']|'')*)')$/.exec(text)
  if (quoted) return quoted[1] === undefined ? (quoted[2] ?? '').replaceAll("''", "'") : quoted[1].replace(/\\(.)/g, '$1')
  if (/^(?:[&*!|>%@`{}\]"',?]|- )/.test(text)) {
    // A plain text that begins with a star would be an alias; patterns do, so it must be quoted.
    throw refused(line, `${text}: quote it`)
  }
  if (/: |:$| #/.test(text)) throw refused(line, `${text}: quote it`)
  if (/^-?\d+$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text === 'null' || text === '~' ? null : text
}

function flowList(text: string, line: number): YamlValue[] {
  if (!text.endsWith(']')) throw refused(line, 'a list that does not end on its line')
  const inner = text.slice(1, -1).trim()
  if (inner === '') return []
  const items = inner.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'[\]]+|,/g) ?? []
  if (items.join('').length !== inner.length) throw refused(line, 'a list inside a list')
  const parts: string[] = ['']
  for (const item of items) {
    if (item === ',') parts.push('')
    else parts[parts.length - 1] += item
  }
  return parts.map(part => scalar(part.trim(), line))
}

function withoutComment(raw: string): string {
  let quote = ''
  for (let i = 0; i < raw.length; i++) {
    const char = raw[i] ?? ''
    if (quote !== '') quote = char === quote ? '' : quote
    else if ((char === '"' || char === "'") && /(?:^|[\s[,:-])$/.test(raw.slice(0, i))) quote = char
    else if (char === '#' && (i === 0 || raw[i - 1] === ' ')) return raw.slice(0, i)
  }
  return raw
}

function refused(line: number, what: string): YamlRefused {
  return new YamlRefused(`line ${line}: ${what}`)
}
