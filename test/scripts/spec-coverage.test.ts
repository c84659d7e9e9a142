import { expect, test } from 'vitest'
import { requirements } from '../../scripts/spec-coverage.ts'

test('requirements of a test are the numbers in its name; those of standards are none', () => {
  expect(requirements('U-14 colour > without UTF-8, UTF-16 or SHA-256 it is RPC-3, MEM-2')).toEqual(['U-14', 'RPC-3', 'MEM-2'])
  expect(requirements('lines end at a line feed')).toEqual([])
})
