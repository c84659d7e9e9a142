import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readArguments } from '../../src/tools/arguments.ts'
import { tool } from '../../src/tools/tool.ts'

const example = tool({
  name: 'example',
  description: '',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: z.string(),
      limit: z.int().positive().optional(),
      all: z.boolean().optional(),
      items: z.array(z.string()).optional(),
      more: z.looseObject({}).default({}),
    }),
  ask: () => null,
  prepare: () => ({ act: () => Promise.resolve({ ok: true, text: '' }) }),
})

describe('arguments of a call', () => {
  test.each([
    ['a number as text', { path: 'a', limit: '5' }, { limit: 5 }],
    ['a switch as text', { path: 'a', all: 'true' }, { all: true }],
    ['a list as text', { path: 'a', items: '["x"]' }, { items: ['x'] }],
    ['an object as text', { path: 'a', more: '{"b":{"c":1}}' }, { more: { b: { c: 1 } } }],
    ['null for what may be left out', { path: 'a', limit: null, all: null }, {}],
    ['text that looks like a number, where text is wanted', { path: '5' }, { path: '5' }],
  ])('%s is taken', (_, given, fits) => {
    expect(readArguments(example, JSON.stringify(given))).toEqual({ kind: 'fits', input: { path: 'a', more: {}, ...fits } })
  })

  test.each([
    ['another name', { file_path: 'a' }, 'Unrecognized key: "file_path"'],
    ['null for what is needed', { path: null }, 'path: '],
    ['a list for a text', { path: ['a'] }, 'path: '],
    ['text that is no number', { path: 'a', limit: 'many' }, 'limit: '],
    ['an empty text for a switch', { path: 'a', all: '' }, 'all: '],
  ])('%s is refused, with the names that there are', (_, given, why) => {
    const read = readArguments(example, JSON.stringify(given))
    expect(read).toEqual({ kind: 'misfit', message: expect.stringContaining(why) as string })
    expect(read).toEqual({ kind: 'misfit', message: expect.stringContaining('It takes path, limit?, all?, items?, more?.') as string })
  })

  test.each(['"src/a.js"', '[1]', '{"path": "a"', 'null'])('%s is no object', text => {
    expect(readArguments(example, text)).toEqual({
      kind: 'misfit',
      message: 'the arguments of example are not a JSON object. Send one object.',
    })
  })
})
