import { describe, expect, test } from 'vitest'
import { snapshot } from '../../src/models/catalogue/snapshot.ts'
import { openModel } from '../../src/models/resolve/open.ts'
import { resolveModel } from '../../src/models/resolve/resolve.ts'
import type { ModelFacts, ModelSettings } from '../../src/models/resolve/spec.ts'

const facts = (aliases: Record<string, ModelSettings> = {}, set: string[] = []): ModelFacts => ({
  aliases,
  catalogue: snapshot,
  isSet: name => set.includes(name),
  cwd: '/project',
})

describe('which model is meant', () => {
  test('<provider>/<model> has its address, key, context, reply limit and prices without any setting', () => {
    expect(resolveModel('anthropic/claude-sonnet-4-5', facts())).toEqual({
      name: 'anthropic/claude-sonnet-4-5',
      model: 'claude-sonnet-4-5',
      context: 200_000,
      reply: 64_000,
      prices: { in: 3, out: 15, cached_in: 0.3, write_in: 3.75 },
      strategy: 'transcript',
      dialect: 'native',
      local: false,
      at: { protocol: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', key: { env: 'ANTHROPIC_API_KEY' } },
    })
  })

  test('a slash in the name of the model is part of it', () => {
    expect(resolveModel('openrouter/anthropic/claude-sonnet-4.5', facts())).toMatchObject({
      model: 'anthropic/claude-sonnet-4.5',
      context: 200_000,
      prices: undefined,
      at: { protocol: 'openai-compatible', key: { env: 'OPENROUTER_API_KEY' } },
    })
  })

  test('of two usual names of a key the one that is set is taken', () => {
    const at = (set: string[]) => resolveModel('google/gemini-2.5-pro', facts({}, set)).at
    expect(at([])).toMatchObject({ key: { env: 'GEMINI_API_KEY' } })
    expect(at(['GOOGLE_GENERATIVE_AI_API_KEY'])).toMatchObject({ key: { env: 'GOOGLE_GENERATIVE_AI_API_KEY' } })
  })

  test('what an alias says stands over what the catalogue knows', () => {
    const aliases: Record<string, ModelSettings> = {
      smart: {
        protocol: 'anthropic',
        model: 'claude-opus-4-5',
        context: 50_000,
        prices: { in: 1, out: 2 },
        strategy: 'packet',
        dialect: 'tags',
      },
    }
    expect(resolveModel('smart', facts(aliases))).toMatchObject({
      context: 50_000,
      reply: 64_000,
      prices: { in: 1, out: 2 },
      strategy: 'packet',
      dialect: 'tags',
      at: { baseUrl: 'https://api.anthropic.com/v1', key: { env: 'ANTHROPIC_API_KEY' } },
    })
  })

  test('an alias of a server elsewhere gets no key that it does not name', () => {
    const mine: ModelSettings = { protocol: 'openai-compatible', model: 'x', base_url: 'https://models.example/v1' }
    expect(resolveModel('mine', facts({ mine }, ['OPENAI_API_KEY'])).at).toMatchObject({ key: null })
    expect(resolveModel('mine', facts({ mine: { ...mine, key: { vault: 'MINE' } } })).at).toMatchObject({ key: { vault: 'MINE' } })
  })

  test('a server on this machine costs nothing and is local', () => {
    expect(resolveModel('ollama/qwen3:8b', facts())).toMatchObject({
      model: 'qwen3:8b',
      local: true,
      context: 32_768,
      prices: { in: 0, out: 0 },
      at: { baseUrl: 'http://127.0.0.1:11434/v1', key: null },
    })
  })

  test('a model that nobody knows has a safe context and no price', () => {
    expect(resolveModel('openai/gpt-99', facts())).toMatchObject({ context: 32_768, reply: undefined, prices: undefined })
  })

  test.each([
    ['script:demo.json', '/project/demo.json', 'main'],
    ['script:/a/b.json#two', '/a/b.json', 'two'],
    ['script:a#b/c.json#x', '/project/a#b/c.json', 'x'],
  ])('%s is a script', (name, file, model) => {
    expect(resolveModel(name, facts())).toMatchObject({ model, at: { protocol: 'script', file } })
  })

  test('an alias may stand for a script', () => {
    expect(resolveModel('demo', facts({ demo: { protocol: 'script', model: 'd.json#two' } }))).toMatchObject({
      model: 'two',
      at: { protocol: 'script', file: '/project/d.json' },
    })
  })

  test.each([
    ['smrt', { near: ['smart'] }],
    ['claude-sonnet-4-5', { near: ['anthropic/claude-sonnet-4-5'] }],
    ['anthropc/claude-opus-4-5', { near: expect.arrayContaining(['anthropic/claude-opus-4-5']) as string[] }],
    ['anthropic/', { code: 'not_found' }],
    ['constructor', { code: 'not_found' }],
  ])('%s is unknown, with the nearest names', (name, error) => {
    const aliases = { smart: { protocol: 'anthropic', model: 'x' } } as const
    expect(() => resolveModel(name, facts(aliases))).toThrow(expect.objectContaining(error))
  })

  test.each([
    [{}, 'qed config set models.a.protocol openai-compatible'],
    [{ protocol: 'anthropic' }, 'qed config set models.a.model <name>'],
    [{ protocol: 'openai-compatible', model: 'x' }, 'qed config set models.a.base_url http://127.0.0.1:8000/v1 --scope personal'],
  ] as const)('an alias with only %o says what to set', (settings, command) => {
    expect(() => resolveModel('a', facts({ a: settings }))).toThrow(
      expect.objectContaining({ next: expect.objectContaining({ command }) as object }),
    )
  })
})

describe('the key', () => {
  const clock = { now: () => 0 }
  const noVault = () => Promise.reject(Object.assign(new Error('no'), { code: 'not_found' }))

  test('that is missing is told by the name of its variable', async () => {
    const spec = resolveModel('openai/gpt-5', facts())
    await expect(openModel(spec, { clock, keys: { env: {}, vault: noVault } })).rejects.toMatchObject({
      code: 'auth_missing',
      key: 'OPENAI_API_KEY',
    })
  })

  test('that the vault does not have is told by its name there; another trouble of the vault is its own', async () => {
    const spec = resolveModel('a', facts({ a: { protocol: 'openai-chat', model: 'x', key: { vault: 'MINE' } } }))
    await expect(openModel(spec, { clock, keys: { env: {}, vault: noVault } })).rejects.toMatchObject({ code: 'auth_missing', key: 'MINE' })
    const broken = () => Promise.reject(Object.assign(new Error('x'), { code: 'vault-unreadable' }))
    await expect(openModel(spec, { clock, keys: { env: {}, vault: broken } })).rejects.toMatchObject({ code: 'vault-unreadable' })
  })

  test('stands in nothing that a model shows of itself, and one gate serves all models of a provider and key', async () => {
    const keys = { env: { OPENAI_API_KEY: 'sk-very-secret' }, vault: noVault }
    const one = await openModel(resolveModel('openai/gpt-5', facts()), { clock, keys })
    const two = await openModel(resolveModel('openai/gpt-5-mini', facts()), { clock, keys })
    expect(JSON.stringify([one, two])).not.toContain('sk-very-secret')
    expect(one.gate).toBe(two.gate)
  })
})
