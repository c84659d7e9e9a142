import fc from 'fast-check'
import { estimateTokenCount } from 'tokenx'
import { expect, test } from 'vitest'
import { countAscii, countTokens } from '../../src/models/count-tokens.ts'

const WORDS = ['a', 'word', 'somethinglong', 'CamelCase', "don't", '7', '20261116', 'x1', '\0', '\x7f']
const SPACES = [' ', '  ', '\t', '\n', '\n\n', '\n  ', ' \n', '\r\n']
const MARKS = ['.', '...', '----------', '(', '");', '_', '$']
const sentence = fc.array(fc.constantFrom(...WORDS, ...SPACES, ...MARKS), { maxLength: 60 }).map(pieces => pieces.join(''))

test('of plain ASCII the same is counted as tokenx counts', () => {
  const isSame = (text: string): boolean => countAscii(text) === estimateTokenCount(text)
  const texts = fc.oneof(sentence, fc.string({ unit: 'binary-ascii', maxLength: 200 }))
  expect(fc.check(fc.property(texts, isSame), { numRuns: 500 })).toMatchObject({ failed: false })
})

test('any other text is counted by tokenx, wherever the first strange letter stands', () => {
  for (const text of ['Größe', '你好', 'fine until here —', '\u00a0', 'ok \u{1f600}']) {
    expect(countAscii(text)).toBeNull()
    expect(countTokens(text)).toBe(estimateTokenCount(text))
  }
})
