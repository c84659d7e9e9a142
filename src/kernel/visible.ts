// C0 (but tab and line feed), DEL, C1, and the marks that reorder or hide text (bidi, zero width, line separators).
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Text from models, files and hosts, made harmless for a terminal: what could move the cursor, set a title, write a link or
 *  reorder what is read is shown as `\xNN` or `\u{NNNN}`. */
export function visible(text: string): string {
  return text.replace(CONTROL, char => {
    const code = char.codePointAt(0) ?? 0
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** The same for every string of a value, keys included, so that nothing that shows it can forget. */
export function allVisible<T>(value: T): T {
  return mapped(value) as T
}

function mapped(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map(mapped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [visible(key), mapped(member)]))
}

/** The same for a place that has one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
