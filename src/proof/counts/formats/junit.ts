import { countsOf, type Format, type Mark } from '../reading.ts'

/** JUnit XML on the output: every `testcase` of a document that is closed. Text of tests stands in it escaped or in CDATA. */
export const junit: Format = {
  name: 'JUnit',
  needsAll: true,
  marks: ({ text }) => {
    const marks: Mark[] = []
    const lineAt = lineCounter(text)
    let depth = 0
    let open: 'passed' | 'failed' | 'skipped' | null = null
    let counts = { passed: 0, failed: 0, skipped: 0 }
    for (const { name, kind, at } of tagsOf(text)) {
      if (name === 'testsuite' || name === 'testsuites') {
        if (kind === 'open' && depth++ === 0) counts = { passed: 0, failed: 0, skipped: 0 }
        if (kind === 'close' && depth > 0 && --depth === 0) {
          const { passed, failed, skipped } = counts
          marks.push({ line: lineAt(at), kind: 'summary', format: 'JUnit', counts: countsOf(passed, failed, skipped) })
        }
      } else if (depth === 0) continue
      else if (name === 'testcase') {
        if (kind === 'open') open = 'passed'
        else if (kind === 'alone') counts.passed++
        else if (open !== null) {
          counts[open]++
          open = null
        }
      } else if (open !== null && kind !== 'close') open = name === 'skipped' ? 'skipped' : 'failed'
    }
    return marks
  },
}

interface Tag {
  name: string
  kind: 'open' | 'close' | 'alone'
  at: number
}

const NAME = /<(\/?)(testsuites?|testcase|failure|error|skipped)(?=[\s/>])|<!\[CDATA\[|<!--/g

/** The tags that matter, in order. Ends at the first one that is not closed, so that no text is looked at twice. */
function* tagsOf(text: string): Generator<Tag> {
  NAME.lastIndex = 0
  for (let match = NAME.exec(text); match; match = NAME.exec(text)) {
    const [found, slash, name] = match
    const end = name === undefined ? endOf(text, found, NAME.lastIndex) : tagEnd(text, NAME.lastIndex)
    if (end < 0) return
    if (name !== undefined) yield { name, kind: slash ? 'close' : text[end - 2] === '/' ? 'alone' : 'open', at: match.index }
    NAME.lastIndex = end
  }
}

function endOf(text: string, opening: string, from: number): number {
  const closing = opening === '<!--' ? '-->' : ']]>'
  const at = text.indexOf(closing, from)
  return at < 0 ? -1 : at + closing.length
}

/** After the `>` that ends a tag; one inside quotes does not. */
function tagEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const [next = ''] = /["'>]/.exec(text.slice(at, at + MOST_ATTRIBUTE)) ?? []
    if (next === '') return -1
    at = text.indexOf(next, at) + 1
    if (next === '>') return at
    at = text.indexOf(next, at) + 1
    if (at === 0) return -1
  }
}

const MOST_ATTRIBUTE = 4096

function lineCounter(text: string): (at: number) => number {
  let line = 0
  let from = 0
  return at => {
    for (let next = text.indexOf('\n', from); next >= 0 && next < at; next = text.indexOf('\n', from)) {
      line++
      from = next + 1
    }
    return line
  }
}
