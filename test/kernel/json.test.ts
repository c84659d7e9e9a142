import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, parseJson } from '../../src/kernel/json.ts'

test('keys stand in UTF-16 order at every depth, integer-like ones too', () => {
  expect(canonicalJson({ b: 1, a: { 10: 'ten', 9: 'nine' }, é: [{ y: 1, x: 2 }] })).toBe(
    '{"a":{"10":"ten","9":"nine"},"b":1,"é":[{"x":2,"y":1}]}',
  )
})

test('members without a value are left out, values without a JSON form are refused', () => {
  expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}')
  for (const wrong of [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol('x'), 1n, [undefined]]) {
    expect(() => canonicalJson(wrong)).toThrow(TypeError)
  }
})

test('equal values have equal bytes whatever the order of their keys, and read back as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = canonicalJson(value)
      expect(canonicalJson(reversed(value))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('a text that is no JSON is undefined, and the JSON null is null', () => {
  expect([parseJson('{'), parseJson(''), parseJson('null')]).toEqual([undefined, undefined, null])
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}
