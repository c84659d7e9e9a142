import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Json } from '../../src/kernel/json.ts'
import { type ConfigPlaces, getSetting, listSettings } from '../../src/project/config/config.ts'
import { configKeys } from '../../src/project/config/keys.ts'
import { configJsonSchema } from '../../src/project/config/schema.ts'
import { setSetting } from '../../src/project/config/set-setting.ts'
import type { Store } from '../../src/store/store.ts'
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
    ['{\n  "mode": "act",\n  "shell": { "timeout_ms": 1 },\n  "mode": "plan"\n}', 'line 4: "mode" stands there twice'],
    ['{ "shell": {\n "timeout_ms": 1, "timeout_ms": 2 } }', 'line 2: "timeout_ms" stands there twice'],
    ['{ "__proto__": { "mode": "plan" } }', 'there is no config key __proto__. __proto__ cannot be a name'],
    ['{ "models": { "__proto__": { "model": "x" } } }', '__proto__ cannot be a name'],
    ['{ "models": { "constructor": { "model": "x" } } }', 'constructor cannot be a name'],
    [`{ "mode":\n ${'['.repeat(10_000)}${']'.repeat(10_000)} }`, 'line 2: nested deeper than 200'],
  ])('%j', (text, said) => {
    expect(() => listSettings(places({ project: text }))).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringContaining(said),
        next: expect.objectContaining({ command: 'qed config schema' }),
      }),
    )
  })

  test('a byte order mark is no mistake', () => {
    expect(getSetting(places({ project: '\uFEFF{ "mode": "plan" }' }), 'mode').value).toBe('plan')
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

  test.each([
    ['tabs', '{\n\t"mode": "act"\n}\n', '{\n\t"mode": "act",\n\t"shell": {\n\t\t"timeout_ms": 5\n\t}\n}\n'],
    ['four spaces', '{\n    "mode": "act"\n}\n', '{\n    "mode": "act",\n    "shell": {\n        "timeout_ms": 5\n    }\n}\n'],
    ['CRLF', '{\r\n  "mode": "act"\r\n}\r\n', '{\r\n  "mode": "act",\r\n  "shell": {\r\n    "timeout_ms": 5\r\n  }\r\n}\r\n'],
    ['a byte order mark', '\uFEFF{\n  "mode": "act"\n}\n', '\uFEFF{\n  "mode": "act",\n  "shell": {\n    "timeout_ms": 5\n  }\n}\n'],
  ])('keeps %s', async (_, before, after) => {
    const { app, file } = await project()
    writeFileSync(file, before)
    setSetting(app.configPlaces(), { key: 'shell.timeout_ms', value: 5, scope: 'project' }, await app.projectStore())
    expect(readFileSync(file, 'utf8')).toBe(after)
  })

  test('what is so already is nothing to do: no event, no write', async () => {
    const { app, file } = await project()
    const store = await app.projectStore()
    const before = readFileSync(file, 'utf8')
    for (const scope of ['project', 'personal'] as const)
      expect(setSetting(app.configPlaces(), { key: 'shell.timeout_ms', value: null, scope }, store)).toMatchObject({
        value: null,
        previous: null,
      })
    expect([readFileSync(file, 'utf8'), store.log.head()]).toEqual([before, null])
  })

  test('a personal file that is a link stays one, and the file behind it is written', async () => {
    const { app } = await project()
    const real = join(temporaryFolder(), 'dotfiles.json')
    writeFileSync(real, '{}\n')
    const { personal } = app.configPlaces()
    mkdirSync(dirname(personal), { recursive: true })
    symlinkSync(real, personal)
    setSetting(app.configPlaces(), { key: 'mode', value: 'plan', scope: 'personal' }, await app.personalStore())
    expect([lstatSync(personal).isSymbolicLink(), JSON.parse(readFileSync(real, 'utf8'))]).toEqual([true, { mode: 'plan' }])
  })

  test('a change whose commit a crash prevented gets its event from the next set, once', async () => {
    const { app, file } = await project()
    const store = await app.projectStore()
    const change = (key: string, value: Json, at = store): unknown => setSetting(app.configPlaces(), { key, value, scope: 'project' }, at)
    const keys = (): unknown[] => store.log.list({ types: ['config.set'] }, 9).map(({ data }) => data['key'])
    expect(() => change('mode', 'plan', crashingBeforeCommit(store))).toThrow('killed')
    expect([JSON.parse(readFileSync(file, 'utf8')), keys()]).toEqual([expect.objectContaining({ mode: 'plan' }), []])
    change('profile', 'mine')
    change('profile', 'other')
    expect(keys()).toEqual(['mode', 'profile', 'profile'])
    expect(existsSync(`${store.path}.config-intent`)).toBe(false)
  })

  test('an intent whose change never reached the file is forgotten', async () => {
    const { app, file } = await project()
    const store = await app.projectStore()
    const before = readFileSync(file, 'utf8')
    expect(() => setSetting(app.configPlaces(), { key: 'mode', value: 'plan', scope: 'project' }, crashingBeforeCommit(store))).toThrow(
      'killed',
    )
    writeFileSync(file, before)
    setSetting(app.configPlaces(), { key: 'profile', value: 'mine', scope: 'project' }, store)
    expect(store.log.list({}, 9).map(({ data }) => data['key'])).toEqual(['profile'])
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
    ['models.constructor.model', 'x', 'invalid_input'],
    ['models.__proto__.model', 'x', 'invalid_input'],
    ['models..model', 'x', 'invalid_input'],
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
    description: 'Longest time of a command that does not ask for another',
  })
  expect(Object.keys(schema.properties['models']?.additionalProperties.properties ?? {})).toContain('base_url')
})

function nested(key: string, value: unknown): string {
  return JSON.stringify(key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value))
}

/** A store as a crash leaves it: what stood outside the transaction has happened, the transaction has not. */
function crashingBeforeCommit(store: Store): Store {
  const transaction = <T>(work: () => T): T =>
    store.db.transaction(() => {
      work()
      throw new Error('killed')
    })
  return { ...store, db: { transaction } as unknown as Store['db'] }
}
