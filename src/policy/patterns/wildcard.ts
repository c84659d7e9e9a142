/** One element of a pattern for a single word or path part. */
type Element = { kind: 'char'; char: string } | { kind: 'any' } | { kind: 'run' } | { kind: 'class'; test: (char: string) => boolean }

export type Wildcard = (text: string) => boolean

/** `*` is any run of characters, `?` any one, and with `classes` also `[a-z]`, `[!a-z]`. Goes back only to the last `*`, so the
 *  time is bounded by the product of both lengths, whatever the pattern. */
export function compileWildcard(pattern: string, options: { classes: boolean }): Wildcard {
  const elements = parse(pattern, options.classes)
  if (elements.every(element => element.kind === 'char')) return text => text === pattern
  return text => matches(elements, text)
}

function matches(elements: Element[], text: string): boolean {
  let at = 0
  let element = 0
  let lastRun = -1
  let resumeAt = 0
  while (at < text.length) {
    const current = elements[element]
    if (current?.kind === 'run') {
      lastRun = element++
      resumeAt = at
    } else if (current && fits(current, text[at] ?? '')) {
      element++
      at++
    } else if (lastRun >= 0) {
      element = lastRun + 1
      at = ++resumeAt
    } else return false
  }
  while (elements[element]?.kind === 'run') element++
  return element === elements.length
}

function fits(element: Element, char: string): boolean {
  switch (element.kind) {
    case 'char':
      return element.char === char
    case 'any':
      return true
    case 'class':
      return element.test(char)
    case 'run':
      return false
  }
}

function parse(pattern: string, classes: boolean): Element[] {
  const elements: Element[] = []
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] ?? ''
    if (char === '*') {
      if (elements.at(-1)?.kind !== 'run') elements.push({ kind: 'run' })
    } else if (char === '?') elements.push({ kind: 'any' })
    else if (char === '[' && classes) {
      const found = parseClass(pattern, i)
      elements.push(found?.element ?? { kind: 'char', char })
      if (found) i = found.end
    } else elements.push({ kind: 'char', char })
  }
  return elements
}

function parseClass(pattern: string, open: number): { element: Element; end: number } | null {
  const negated = pattern[open + 1] === '!' || pattern[open + 1] === '^'
  const first = open + (negated ? 2 : 1)
  // A closing bracket that stands first is a member.
  const close = pattern.indexOf(']', first + 1)
  if (close < 0) return null
  const members = pattern.slice(first, close)
  const ranges: [string, string][] = []
  for (let i = 0; i < members.length; i++) {
    const from = members[i] ?? ''
    const isRange = members[i + 1] === '-' && i + 2 < members.length
    ranges.push([from, isRange ? (members[i + 2] ?? from) : from])
    if (isRange) i += 2
  }
  const test = (char: string): boolean => ranges.some(([from, to]) => from <= char && char <= to) !== negated
  return { element: { kind: 'class', test }, end: close }
}
