import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCatalogue, refreshCatalogue } from '../../src/models/catalogue/catalogue.ts'
import { findKnown } from '../../src/models/catalogue/find.ts'
import { CatalogueFile } from '../../src/models/catalogue/schema.ts'
import { snapshot } from '../../src/models/catalogue/snapshot.ts'
import { PROVIDERS } from '../../src/models/resolve/providers.ts'
import { temporaryFolder } from '../support/folders.ts'

describe('the embedded snapshot', () => {
  test('has the shape that a refreshed one must have, names each model once, and only providers of the table', () => {
    expect(CatalogueFile.safeParse(JSON.parse(JSON.stringify(snapshot))).success).toBe(true)
    const names = snapshot.models.map(({ provider, model }) => `${provider}/${model}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { provider } of snapshot.models) expect([...PROVIDERS.keys()]).toContain(provider)
  })

  test('cached tokens are never dearer than fresh ones, and a reply fits into the context', () => {
    for (const { model, prices, reply = 0, context } of snapshot.models) {
      expect([model, (prices?.cached_in ?? 0) <= (prices?.in ?? 0), reply <= context]).toEqual([model, true, true])
    }
  })
})

describe('a model is found by any name it goes by', () => {
  test.each([
    ['anthropic', 'claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['anthropic', 'Claude-Sonnet-4-5', 'claude-sonnet-4-5'],
    ['anthropic', 'claude-3-5-haiku-latest', 'claude-3-5-haiku'],
    ['openai', 'gpt-4o-2024-08-06', 'gpt-4o'],
    ['openai', 'gpt-5.1', 'gpt-5.1'],
    ['google', 'models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['groq', 'openai/gpt-oss-20b', 'openai/gpt-oss-20b'],
  ])('%s/%s', (provider, model, found) => {
    expect(findKnown(snapshot, { provider, model })).toMatchObject({ provider, model: found })
  })

  test('a reseller’s model has the limits of the maker’s and no price', () => {
    expect(findKnown(snapshot, { provider: 'openrouter', model: 'anthropic/claude-opus-4.5:free' })).toMatchObject({
      provider: 'openrouter',
      context: 200_000,
      prices: undefined,
    })
  })

  test.each(['gpt-5.9', 'gpt-4', 'claude', 'gpt-5.1-codex-max', ''])('%s is not taken for another', model => {
    expect(findKnown(snapshot, { provider: 'openai', model })).toBeNull()
  })
})

describe('refreshing from a file', () => {
  const write = (text: string): string => {
    const file = join(temporaryFolder(), 'list.json')
    writeFileSync(file, text)
    return file
  }
  const list = {
    at: '2027-01-02',
    models: [
      { provider: 'openai', model: 'gpt-5', context: 7, prices: { in: 9, out: 9 } },
      { provider: 'openai', model: 'gpt-7', context: 8 },
    ],
  }

  test('its rows stand over the embedded ones, which stay where it has none', () => {
    const kept = join(temporaryFolder(), 'models.json')
    refreshCatalogue(write(JSON.stringify(list)), kept)
    const catalogue = readCatalogue(kept)
    expect(catalogue.at).toBe('2027-01-02')
    expect(findKnown(catalogue, { provider: 'openai', model: 'gpt-5' })).toMatchObject({ context: 7 })
    expect(findKnown(catalogue, { provider: 'openai', model: 'gpt-7' })).toMatchObject({ context: 8 })
    expect(catalogue.models).toHaveLength(snapshot.models.length + 1)
  })

  test.each([
    ['no JSON', '{', 'invalid_input'],
    ['a misspelt key', JSON.stringify({ ...list, model: [] }), 'invalid_input'],
    ['a negative price', JSON.stringify({ ...list, models: [{ ...list.models[0], prices: { in: -1, out: 1 } }] }), 'invalid_input'],
  ])('%s is refused and changes nothing', (_, text, code) => {
    const kept = join(temporaryFolder(), 'models.json')
    expect(() => refreshCatalogue(write(text), kept)).toThrow(expect.objectContaining({ code }))
    expect(existsSync(kept)).toBe(false)
  })

  test('a file that is not there is not found; a kept one that is broken counts as none', () => {
    expect(() => refreshCatalogue('/nowhere/list.json', '/nowhere/kept.json')).toThrow(expect.objectContaining({ code: 'not_found' }))
    expect(readCatalogue(write('{ broken'))).toBe(snapshot)
  })
})
