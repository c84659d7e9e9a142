import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prefixFold } from '../../src/kernel/prefix-fold.ts'

interface Item {
  n: number
}
const pool: Item[] = Array.from({ length: 6 }, (_, n) => ({ n }))
const lists = fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 8 }), { maxLength: 12 })

test('whatever lists follow one another, the result is that of folding each from its start', () => {
  fc.assert(
    fc.property(lists, given => {
      const fold = prefixFold<Item, string>('', (before, { n }) => `${before}${n}`)
      expect(given.map(items => fold(items))).toEqual(given.map(items => items.map(({ n }) => n).join('')))
    }),
  )
})

test('of a list that grew, only what is new is folded', () => {
  let steps = 0
  const fold = prefixFold<Item, number>(0, (sum, { n }) => {
    steps++
    return sum + n
  })
  for (let length = 0; length <= 500; length++) fold(Array.from({ length }, (_, i) => pool[i % 6] as Item))
  expect(steps).toBe(500)
})
