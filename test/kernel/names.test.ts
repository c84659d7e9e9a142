import { describe, expect, test } from 'vitest'
import { exitCodeOf } from '../../src/kernel/exit-codes.ts'
import { kebabCase, nearest, snakeCase } from '../../src/kernel/names.ts'
import { visible, visibleLine } from '../../src/kernel/visible.ts'
import { wrap } from '../../src/kernel/wrap.ts'

describe('names', () => {
  test.each([
    ['cancelCall', 'cancel-call', 'cancel_call'],
    ['save_artifact', 'save-artifact', 'save_artifact'],
    ['timeoutMs', 'timeout-ms', 'timeout_ms'],
    ['status', 'status', 'status'],
  ])('%s is %s on the command line and %s in JSON', (name, kebab, snake) => {
    expect([kebabCase(name), snakeCase(name)]).toEqual([kebab, snake])
  })

  test('the nearest names come first, and nothing is named that is not near', () => {
    const known = ['events', 'event', 'doctor', 'status', 'store']
    expect(nearest('evnts', known)).toEqual(['events', 'event'])
    expect(nearest('docter', known)).toEqual(['doctor'])
    expect(nearest('zzzzzz', known)).toEqual([])
  })
})

test('U-15 control characters, bidi marks and escapes are made visible', () => {
  expect(visible('a\x1b]0;title\x07b\u202ec\u200bd')).toBe('a\\x1b]0;title\\x07b\\u{202e}c\\u{200b}d')
  expect(visible('tab\tline\nß')).toBe('tab\tline\nß')
  expect(visibleLine('a\nb\r')).toBe('a\\nb\\x0d')
})

test.each([
  ['internal', 1],
  ['disk_full', 1],
  ['usage', 2],
  ['invalid_input', 2],
  ['not_found', 3],
  ['actor_not_person', 4],
  ['approval_required', 5],
  ['not_proven', 6],
  ['budget', 7],
  ['fence_lost', 8],
  ['busy', 9],
  ['timeout', 10],
  ['cancelled', 130],
  ['a code nobody listed', 1],
])('U-6 %s exits %i', (code, exit) => {
  expect(exitCodeOf(code)).toBe(exit)
})

test('a text is wrapped at spaces, later lines are indented, and a long word is not cut', () => {
  expect(wrap('one two three', 7, '  ')).toBe('one two\n  three')
  expect(wrap('a verylongwordindeed b', 5, '')).toBe('a\nverylongwordindeed\nb')
  expect(wrap('', 5, '')).toBe('')
})
