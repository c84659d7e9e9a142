import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffLine, diffLines } from '../../src/text/line-diff.ts'

const shown = (lines: DiffLine[]): string[] => lines.map(({ sign, line, text }) => `${line}${sign}${text}`)

test.each([
  ['nothing', '', '', []],
  ['a line that is new', '', 'a', ['1+a']],
  ['a line that is gone', 'a', '', ['1-a']],
  ['what is gone stands before what is new', 'a\nb\nc', 'a\nx\nc', ['1 a', '2-b', '2+x', '3 c']],
  ['lines that moved keep what they share', 'a\nb\nc', 'b\nc\na', ['1-a', '1 b', '2 c', '3+a']],
])('%s', (_, before, after, expected) => {
  expect(shown(diffLines(before, after))).toEqual(expected)
})

test('the first line has the number it has in its file', () => {
  expect(shown(diffLines('a\nb', 'a\nc', 40))).toEqual(['40 a', '41-b', '41+c'])
})

test('it always leads from the one text to the other, also where it is too long to be compared line by line', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 }).map(lines => lines.join('\n'))
  const long = fc.constant(Array.from({ length: 600 }, (_, i) => `line ${i}`).join('\n'))
  fc.assert(
    fc.property(fc.oneof(text, long), fc.oneof(text, long), (before, after) => {
      const lines = diffLines(before, after)
      const side = (without: string): string =>
        lines
          .filter(({ sign }) => sign !== without)
          .map(line => line.text)
          .join('\n')
      expect([side('+'), side('-')]).toEqual([before, after])
    }),
  )
})
