import { argumentsIn } from '../../source/brackets.ts'
import type { Source } from '../../source/source.ts'
import { blockAt, testBlocks } from '../../source/test-blocks.ts'
import { isLiteral, pairKey } from './literal-pairs.ts'

/** What tests say a function gives for literal inputs: `expect(f(1)).toBe(2)`, `assert f(1) == 2`, `assert_eq!(f(1), 2)`, rows of a
 *  table. */
export function pairsFor(name: string, source: Source): Set<string> {
  const pairs = new Set<string>()
  const { code, brackets } = source
  const call = new RegExp(`(?<![\\w$])${name.replace(/\W/g, '\\$&')}\\s*\\(`, 'g')
  for (const match of code.matchAll(call)) {
    const open = match.index + match[0].length - 1
    const close = brackets.partner[open] ?? -1
    if (close < 0) continue
    const input = source.plain.slice(open + 1, close)
    if (isLiteral(input)) {
      const output = expectedOf(source, match.index, close)
      const key = output === null ? null : pairKey(input, output)
      if (key !== null) pairs.add(key)
    } else for (const key of rowsAround(source, match.index)) pairs.add(key)
  }
  return pairs
}

const EXPECT_AFTER =
  /^\s*\)\s*(?:\.\s*(?:to|be|deep|resolves))*\s*\.\s*(?:toBe|toEqual|toStrictEqual|equal|equals|eql|eq|isEqualTo|to_equal)\s*\(/
const COMPARED = /^\s*(?:\)\s*)?(?:===?|!==?|==)\s*/

function expectedOf(source: Source, start: number, close: number): string | null {
  const { code, plain, brackets } = source
  const after = code.slice(close + 1, close + 200)
  const matcher = EXPECT_AFTER.exec(after)
  if (matcher) {
    const open = close + matcher[0].length
    const argument = argumentsIn(code, brackets, open)[0]
    return argument ? plain.slice(argument.start, argument.end) : null
  }
  const compared = COMPARED.exec(after)
  if (compared) {
    const from = close + 1 + compared[0].length
    return /^(?:[[({][^]*?[\])}]|(["'`])(?:(?!\1).)*\1|[^\s,;:){]+)/.exec(plain.slice(from, from + 300))?.[0] ?? null
  }
  // The other argument of an assertion: assertEqual(f(1), 2), assertEquals(2, f(1)).
  const around = brackets.around[start] ?? -1
  if (around < 0 || code[around] !== '(' || !/(?:equal|eq|is|same)\w*!?\s*$/i.test(code.slice(Math.max(0, around - 40), around)))
    return null
  const others = argumentsIn(code, brackets, around).filter(({ start: from, end }) => !(from <= start && start < end))
  const literal = others.map(({ start: from, end }) => plain.slice(from, end)).find(isLiteral)
  return literal ?? null
}

/** Rows of literals in the test around a place, or in the annotation above it: the last of a row is what is expected. */
function rowsAround(source: Source, position: number): string[] {
  const block = blockAt(testBlocks(source), position)
  if (!block) return []
  const from = /@pytest\.mark\.parametrize|@CsvSource|\[InlineData|\[TestCase/.test(
    source.code.slice(Math.max(0, block.start - 2000), block.start),
  )
    ? Math.max(0, source.code.lastIndexOf('\n\n', block.start))
    : block.start
  return rowsIn(source, from, block.end)
}

function rowsIn({ code, plain, brackets }: Source, from: number, to: number): string[] {
  const rows: string[] = []
  for (let at = from; at < to; at++) {
    const close = brackets.partner[at] ?? -1
    if (close <= at || !/[[({]/.test(code[at] ?? '')) continue
    // Only rows of a table: a bracket right inside a list, or the arguments of a data annotation.
    const outer = brackets.around[at] ?? -1
    const isRow = (outer >= 0 && /[[{]/.test(code[outer] ?? '')) || /(?:InlineData|TestCase)\s*$/.test(code.slice(Math.max(0, at - 20), at))
    const parts = isRow ? argumentsIn(code, brackets, at).map(part => plain.slice(part.start, part.end).replace(/^\s*\w+\s*:\s*/, '')) : []
    // Nothing but brackets is a table of rows.
    const isTable = parts.every(part => /^\s*[[({]/.test(part))
    const key = parts.length >= 2 && !isTable ? pairKey(parts.slice(0, -1).join(','), parts.at(-1) ?? '') : null
    if (key !== null) rows.push(key)
  }
  return rows
}
