import { argumentsIn } from './brackets.ts'
import { blockEnd } from './indents.ts'
import type { Language } from './language.ts'
import type { Source } from './source.ts'

/** One test as it is written: its title, and from where to where it goes. */
export interface TestBlock {
  title: string
  /** From 0. */
  line: number
  start: number
  end: number
}

type Finder = (source: Source) => TestBlock[]

const known = new WeakMap<Source, TestBlock[]>()

/** The tests of a file in the order of their beginnings; groups of tests are none. */
export function testBlocks(source: Source): TestBlock[] {
  const found = known.get(source) ?? FINDERS[source.language](source)
  known.set(source, found)
  return found
}

const reaches = new WeakMap<readonly TestBlock[], number[]>()

/** The innermost test around a place. */
export function blockAt(blocks: readonly TestBlock[], position: number): TestBlock | undefined {
  const reach = reaches.get(blocks) ?? reachOf(blocks)
  reaches.set(blocks, reach)
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle]?.start ?? 0) <= position) low = middle + 1
    else high = middle
  }
  for (let at = low - 1; at >= 0 && (reach[at] ?? 0) > position; at--) if ((blocks[at]?.end ?? 0) > position) return blocks[at]
  return undefined
}

/** For each test how far it and those before it go: where they all end earlier, none is around. */
function reachOf(blocks: readonly TestBlock[]): number[] {
  let most = 0
  return blocks.map(({ end }) => (most = Math.max(most, end)))
}

const JS_TEST = /(?<![\w$.])(?:t\.)?(?:it|test|specify|fit|xit|xtest)(?![\w$])/g

/** `it('…')`, `test.each(…)('…')`, ``test.each`…`('…')``. */
const scriptTests: Finder = source => {
  const { code, text } = source
  const { partner } = source.brackets
  const blocks: TestBlock[] = []
  for (const match of code.matchAll(JS_TEST)) {
    let at = match.index + match[0].length
    for (let step = 0; step < 8; step++) {
      at += /^\s{0,100}/.exec(code.slice(at, at + 100))?.[0].length ?? 0
      const chain = /^(?:\?\.|\.)\s{0,20}[\w$]{1,100}/.exec(code.slice(at, at + 130))
      const close = partner[at] ?? -1
      if (chain) at += chain[0].length
      else if (code[at] === '`') at = code.indexOf('`', at + 1) + 1
      else if (code[at] === '(' && close > at) {
        const first = argumentsIn(code, source.brackets, at)[0]
        const literal = first && /^\s*(["'`])([^]*)\1\s*$/.exec(text.slice(first.start, first.end))
        const again = /^\s*\(/.test(code.slice(close + 1, close + 100))
        if (first && (literal || !again)) {
          const title = literal?.[2] ?? text.slice(first.start, first.end).trim()
          blocks.push({ title, line: source.lineAt(match.index), start: match.index, end: close + 1 })
          break
        }
        at = close + 1
      } else break
    }
  }
  return blocks
}

/** Names found by a form whose last group, `name`, stands before the parameters; the body goes to the closing brace. */
const braced =
  (...forms: RegExp[]): Finder =>
  source =>
    forms
      .flatMap(form => [...source.code.matchAll(form)])
      .flatMap(match => {
        const name = match.indices?.groups?.['name']
        const end = name ? bodyEnd(source, name[1]) : -1
        if (!name || end < 0) return []
        const title = source.text.slice(...name).replace(/^`|`$/g, '')
        return [{ title, line: source.lineAt(name[0]), start: match.index, end }]
      })
      .sort((a, b) => a.start - b.start)

/** Behind the brace that closes the first body after this place; -1 where a `;` comes first. */
function bodyEnd({ code, brackets }: Source, from: number): number {
  const most = Math.min(code.length, from + 2000)
  for (let at = from; at < most; at++) {
    const match = brackets.partner[at] ?? -1
    if (code[at] === '{') return match < 0 ? -1 : match + 1
    if (code[at] === ';' || code[at] === '}') return -1
    if (match > at) at = match
  }
  return -1
}

/** `t.Run("…", …)`, `it('…', …)`: calls whose first argument is the title. */
const titledCalls =
  (form: RegExp): Finder =>
  source =>
    [...source.code.matchAll(form)].flatMap(match => {
      const open = match.index + match[0].length - 1
      const close = source.brackets.partner[open] ?? -1
      const first = argumentsIn(source.code, source.brackets, open)[0]
      const literal = first && /^\s*(["'`])([^]*)\1\s*$/.exec(source.text.slice(first.start, first.end))
      return literal && close > open
        ? [{ title: literal[2] ?? '', line: source.lineAt(match.index), start: match.index, end: close + 1 }]
        : []
    })

/** Names or titles at the start of a line whose block goes as far as it is indented. */
const indented =
  (form: RegExp, { closed }: { closed: boolean }): Finder =>
  source =>
    [...source.code.matchAll(form)].flatMap(match => {
      const name = match.indices?.groups?.['name']
      if (!name) return []
      const line = source.lineAt(name[0])
      const last = blockEnd(source, line) + (closed ? 1 : 0)
      const oneLine = closed && /\{.*\}\s*$|\bend\s*$/.test(source.lineOf('code', line))
      const end = source.lineStarts[oneLine ? line + 1 : last] ?? source.text.length
      return [{ title: source.text.slice(...name), line, start: match.index, end }]
    })

const together =
  (...finders: Finder[]): Finder =>
  source =>
    finders.flatMap(find => find(source)).sort((a, b) => a.start - b.start)

const ANNOTATED = String.raw`(?:\s*@[\w.]{1,80}(?:\([^)]{0,300}\))?){0,8}\s*(?:(?:public|private|protected|internal|static|final|async|suspend|open|override|virtual|fun|void)\s+){0,6}`
const RETURN_TYPE = '(?:(?!(?:new|return|class)\\b)[\\w.<>\\[\\],?]{1,80}\\s+){0,2}'

const FINDERS: Record<Language, Finder> = {
  javascript: scriptTests,
  typescript: scriptTests,
  python: indented(/^[ \t]*(?:async[ \t]+)?def[ \t]+(?<name>test\w*)[ \t]*\(/dgm, { closed: false }),
  go: together(
    braced(/^func[ \t]+(?:\([^)\n]{0,100}\)[ \t]*)?(?<name>(?!TestMain\b)(?:Test|Fuzz)\w*)[ \t]*\(/dgm),
    titledCalls(/\.Run\(/g),
  ),
  rust: braced(
    /(?:#\[[^\]\n]{0,300}\]\s{0,20}){0,6}#\[(?:\w{1,80}::){0,4}(?:test|rstest)\b[^\]\n]{0,300}\](?:\s{0,20}#\[[^\]\n]{0,300}\]){0,6}\s{0,20}(?:pub(?:\(\w+\))?\s+)?(?:async\s+)?fn\s+(?<name>\w+)/dg,
  ),
  java: braced(
    new RegExp(
      String.raw`@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b(?:\([^)]{0,300}\))?${ANNOTATED}${RETURN_TYPE}(?<name>\w+)(?=\s*\()`,
      'dg',
    ),
    /\bpublic\s+void\s+(?<name>test[A-Z]\w*)(?=\s*\()/dg,
  ),
  kotlin: braced(
    new RegExp(
      String.raw`@(?:Test|ParameterizedTest|RepeatedTest)\b(?:\([^)]{0,300}\))?${ANNOTATED}(?<name>\w+|${'`'}[^${'`'}\n]*${'`'})(?=\s*\()`,
      'dg',
    ),
  ),
  csharp: braced(
    new RegExp(
      String.raw`\[(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b[^\]\n]{0,300}\](?:\s*\[[^\]\n]{0,300}\]){0,8}\s*(?:(?:public|private|protected|internal|static|async|virtual|override)\s+){0,6}${RETURN_TYPE}(?<name>\w+)(?=\s*\()`,
      'dg',
    ),
  ),
  ruby: together(
    indented(/^[ \t]*(?:it|specify|test|fit|xit|scenario|example)[ \t(]+"(?<name>[^"\n]*)"/dgm, { closed: true }),
    indented(/^[ \t]*(?:it|specify|test|fit|xit|scenario|example)[ \t(]+'(?<name>[^'\n]*)'/dgm, { closed: true }),
    indented(/^[ \t]*def[ \t]+(?<name>test_\w*)/dgm, { closed: true }),
  ),
  php: together(
    braced(/\bfunction\s+(?<name>test\w*)(?=\s*\()/dg, /#\[Test\b[^\]\n]{0,200}\]\s*(?:public\s+)?function\s+(?<name>\w+)(?=\s*\()/dg),
    titledCalls(/(?<![\w$>:])(?:it|test)\(/g),
  ),
  shell: braced(/^(?:function[ \t]+)?(?<name>test_?\w*)[ \t]*\(\)/dgm),
  bats: braced(/^[ \t]*@test[ \t]+"(?<name>[^"\n]*)"/dgm, /^[ \t]*@test[ \t]+'(?<name>[^'\n]*)'/dgm),
}
