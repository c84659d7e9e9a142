import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Json } from '../../src/kernel/json.ts'
import { type ConfigPlaces, getSetting, listSettings, setSetting } from '../../src/project/config/config.ts'
import { configKeys } from '../../src/project/config/keys.ts'
import { configJsonSchema } from '../../src/project/config/schema.ts'
import { temporaryFolder, temporaryRepository } from '../support/folders.ts'

function places(
  files: { project?: string; personal?: string; env?: Record<string, string>; flags?: Record<string, Json> } = {},
): ConfigPlaces & { project: string } {
  const folder = temporaryFolder()
  const at = { project: join(folder, '.qed/config.json'), personal: join(folder, 'personal/config.json') }
  for (const scope of ['project', 'personal'] as const) {
    mkdirSync(dirname(at[scope]), { recursive: true })
    if (files[scope] !== undefined) writeFileSync(at[scope], files[scope])
  }
  return { ...at, env: files.env ?? {}, flags: files.flags ?? {} }
}

describe('U-43 the value of a key and its source', () => {
  const project = '{ "mode": "plan" }'
  const personal = '{ "mode": "ask", "profile": "mine" }'
  test.each([
    [{}, 'act', 'default'],
    [{ personal }, 'ask', 'personal'],
    [{ personal, project }, 'plan', 'project'],
    [{ personal, project, env: { QED_MODE: 'ask' } }, 'ask', 'env'],
    [{ personal, project, env: { QED_MODE: 'ask' }, flags: { mode: 'act' } }, 'act', 'flag'],
  ])('%j gives %s from %s', (files, value, source) => {
    expect(getSetting(places(files), 'mode')).toMatchObject({ key: 'mode', value, source })
  })

  test('a file is named where the value stands in one', () => {
    const at = places({ project })
    expect(getSetting(at, 'mode').file).toBe(at.project)
  })

  test('a shorter environment name is understood, and numbers and switches are read as such', () => {
    expect(getSetting(places({ env: { QED_PORT: '8080' } }), 'http.port')).toMatchObject({ value: 8080, source: 'env' })
    expect(getSetting(places({ env: { QED_ASCII: '1' } }), 'ui.ascii')).toMatchObject({ value: true, source: 'env' })
    expect(() => getSetting(places({ env: { QED_PORT: 'many' } }), 'http.port')).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  test('a group is one object and has the strongest source of its members', () => {
    expect(getSetting(places({ project: '{"ui": {"ascii": true}}' }), 'ui')).toEqual({
      key: 'ui',
      value: { color: 'auto', ascii: true },
      source: 'project',
    })
  })

  test('a key that does not exist names the nearest one', () => {
    expect(() => getSetting(places(), 'shell.timeout')).toThrow(
      expect.objectContaining({ code: 'invalid_input', details: { key: 'shell.timeout', near: ['shell.timeout_ms'] } }),
    )
  })
})

describe('U-44 the project file is someone else’s text', () => {
  test.each(configKeys.filter(row => row.project === 'never').map(row => [row.key]))('it may not set %s', key => {
    const at = places({ project: nested(key.replace('*', 'mine'), 'x') })
    expect(() => listSettings(at)).toThrow(
      expect.objectContaining({ code: 'denied', details: expect.objectContaining({ file: at.personal }) }),
    )
  })

  test.each([
    ['budget.tokens', '1000', '500', 500],
    ['budget.tokens', '500', '1000', 500],
    ['isolation.require', '"worktree"', '"bubblewrap"', 'bubblewrap'],
    ['isolation.require', '"bubblewrap"', '"none"', 'bubblewrap'],
    ['approvals.ttl', '60', '600', 60],
  ])('of %s the stricter of personal %s and project %s counts', (key, personal, project, value) => {
    expect(getSetting(places({ personal: nested(key, JSON.parse(personal)), project: nested(key, JSON.parse(project)) }), key).value).toBe(
      value,
    )
  })
})

describe('a file that is wrong says where', () => {
  test.each([
    ['{ "mode": ', 'line 1'],
    ['{\n  "mode": "act",\n  "mode: }', 'line 3'],
    ['[]', 'one JSON object'],
    ['{ "mode": "sleep" }', 'mode'],
    ['{ "shell": 5 }', 'shell is a group'],
    ['{ "shel": {} }', 'shel'],
  ])('%j', (text, said) => {
    expect(() => listSettings(places({ project: text }))).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(said) }),
    )
  })
})

describe('config.set', () => {
  async function project() {
    const cwd = temporaryRepository()
    const home = temporaryFolder()
    const app = createApp({ cwd, env: { HOME: home }, self: [] })
    const { carryOutInit, planInit } = await import('../../src/project/init.ts')
    carryOutInit(planInit(cwd, { clock: app.clock }))
    return { app, file: join(cwd, '.qed/config.json') }
  }

  test('changes one value and keeps comments and layout', async () => {
    const { app, file } = await project()
    writeFileSync(file, '{\n  // why: slow tests\n  "shell": { "timeout_ms": 1 }, // here\n}\n')
    const store = await app.projectStore()
    expect(setSetting(app.configPlaces(), { key: 'shell.timeout_ms', value: '5000', scope: 'project' }, store)).toMatchObject({
      value: 5000,
      previous: 1,
      source: 'project',
    })
    expect(readFileSync(file, 'utf8')).toBe('{\n  // why: slow tests\n  "shell": { "timeout_ms": 5000 }, // here\n}\n')
    expect(store.log.list({ types: ['config.set'] }, 9)).toMatchObject([
      { data: { key: 'shell.timeout_ms', scope: 'project', removed: false } },
    ])
  })

  test('null takes the key out', async () => {
    const { app, file } = await project()
    const store = await app.projectStore()
    setSetting(app.configPlaces(), { key: 'mode', value: 'plan', scope: 'project' }, store)
    setSetting(app.configPlaces(), { key: 'mode', value: null, scope: 'project' }, store)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ $schema: './config.schema.json' })
  })

  test.each([
    ['mode', 'sleep', 'invalid_input'],
    ['mod', 'act', 'invalid_input'],
    ['http.port', '80', 'denied'],
    ['model', ['sk-', 'A1b2'.repeat(10)].join(''), 'denied'],
  ])('U-46 %s = %s is refused and nothing is written', async (key, value, code) => {
    const { app, file } = await project()
    const before = readFileSync(file, 'utf8')
    const store = await app.projectStore()
    expect(() => setSetting(app.configPlaces(), { key, value, scope: 'project' }, store)).toThrow(expect.objectContaining({ code }))
    expect([readFileSync(file, 'utf8'), store.log.head()]).toEqual([before, null])
  })
})

test('the schema for editors knows every key, with its default and words', () => {
  const schema = configJsonSchema() as never as {
    properties: Record<string, { properties: Record<string, object>; additionalProperties: { properties: object } }>
  }
  expect(schema.properties['shell']?.properties['timeout_ms']).toMatchObject({
    type: 'integer',
    default: 120_000,
    description: 'Longest time of one shell command',
  })
  expect(Object.keys(schema.properties['models']?.additionalProperties.properties ?? {})).toContain('base_url')
})

function nested(key: string, value: unknown): string {
  return JSON.stringify(key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value))
}
