import { expect, test } from 'vitest'
import * as z from 'zod'
import { createApp } from '../../src/app.ts'
import type { Caller } from '../../src/kernel/caller.ts'
import { createCatalogue } from '../../src/operations/catalogue.ts'
import { invoke } from '../../src/operations/invoke.ts'
import { type Call, operation } from '../../src/operations/operation.ts'

const app = createApp({ cwd: '/', env: { QED_CHECK_OUTPUT: '1' }, self: [] })
const call = (role: Caller['role'] = 'program'): Call => ({
  caller: { surface: 'cli', connection: 'test', role, approver: 'none' },
  signal: new AbortController().signal,
  emit: () => undefined,
  catalogue: createCatalogue(),
})
const echo = operation({
  name: 'test.echo',
  summary: 'Gives back its input',
  effect: 'read',
  input: z.strictObject({
    long_name: z.int(),
    inner: z.strictObject({ some_key: z.string() }).optional(),
    free: z.record(z.string(), z.json()).optional(),
  }),
  output: () => z.looseObject({}),
  examples: [],
  run: (_, input) => input,
})
const forPerson = operation({ ...echo, name: 'test.person', personOnly: true })

test('U-3 camelCase keys mean the snake_case ones, but keys of free-form data stay', async () => {
  const input = { longName: 1, inner: { someKey: 'x' }, free: { camelCase: 1 } }
  expect(await invoke(echo, app, input, call())).toEqual({ long_name: 1, inner: { some_key: 'x' }, free: { camelCase: 1 } })
})

test.each([
  ['a missing key', {}, '/long_name'],
  ['a wrong type', { long_name: 'one' }, '/long_name'],
  ['an unknown key', { long_name: 1, other: 2 }, '/other'],
  ['a wrong key inside', { long_name: 1, inner: { some_key: 1 } }, '/inner/some_key'],
  ['an unknown key inside', { long_name: 1, inner: { some_key: 'x', extra: 1 } }, '/inner/extra'],
  ['no object', [1], ''],
  ['null', null, ''],
  ['__proto__', JSON.parse('{"long_name": 1, "__proto__": {"other": 2}}'), '/__proto__'],
  ['__proto__ inside', JSON.parse('{"long_name": 1, "inner": {"some_key": "x", "__proto__": 1}}'), '/inner/__proto__'],
  ['__proto__ in free-form data', JSON.parse('{"long_name": 1, "free": {"a": {"__proto__": 1}}}'), '/free/a/__proto__'],
  ['a name of Object.prototype', { long_name: 1, constructor: 1 }, '/constructor'],
  ['deep nesting', JSON.parse(`{"long_name": 1, "free": {"a": ${'['.repeat(10_000)}${']'.repeat(10_000)}}}`), '/free/a/0'],
])('U-3 %s is invalid_input with a JSON pointer', async (_, input, path) => {
  await expect(invoke(echo, app, input, call())).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path }] })
})

test('unknown keys are ignored where a surface says so', async () => {
  expect(await invoke(echo, app, JSON.parse('{"long_name": 1, "__proto__": 2}'), call(), { unknownKeys: 'ignore' })).toEqual({
    long_name: 1,
  })
  expect(await invoke(echo, app, { long_name: 1, other: 2 }, call(), { unknownKeys: 'ignore' })).toEqual({ long_name: 1 })
})

test.each(['agent', 'program'] as const)('U-4 what is for a person is refused to a %s', async role => {
  await expect(invoke(forPerson, app, { long_name: 1 }, call(role))).rejects.toMatchObject({ code: 'actor_not_person' })
  expect(await invoke(forPerson, app, { long_name: 1 }, call('person'))).toEqual({ long_name: 1 })
})

test('input is checked before anything runs', async () => {
  let ran = false
  const write = operation({ ...echo, run: () => ((ran = true), {}) })
  await expect(invoke(write, app, { longer: 1 }, call())).rejects.toMatchObject({ code: 'invalid_input' })
  expect(ran).toBe(false)
})
