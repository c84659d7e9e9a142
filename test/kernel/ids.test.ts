import { expect, test } from 'vitest'
import { idSchema } from '../../src/kernel/ids.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { handClock } from '../support/clock.ts'

test('ids sort in the order they were made, also while the clock stands still or goes back', () => {
  const clock = handClock()
  const ids = Array.from({ length: 2000 }, (_, i) => {
    clock.advance(i % 7 === 0 ? -5 : i % 3 === 0 ? 1 : 0)
    return newId('con', clock)
  })
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(ids.length)
})

test('an id of one kind is not taken for another', () => {
  const id = newId('prj', handClock())
  expect(idSchema('prj').parse(id)).toBe(id)
  expect(idSchema('con').safeParse(id).success).toBe(false)
  expect(idSchema('prj').safeParse('prj_short').success).toBe(false)
})
