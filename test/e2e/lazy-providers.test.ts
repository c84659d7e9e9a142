import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { loadedBy } from '../support/loaded.ts'
import { DOUBLE_PROTOCOLS } from '../support/model-double/protocols.ts'
import { modelDouble } from '../support/model-double/server.ts'

test.each([[['--version']], [['status', '--json']], [['--help']], [['models', 'list', '--all']]])(
  '%o loads no library of a model provider',
  async args => {
    const loaded = await loadedBy(args)
    expect(loaded.some(file => file.endsWith('main.js'))).toBe(true)
    expect(loaded.filter(file => file.includes('/providers/'))).toEqual([])
  },
)

test('a request loads the library of its own model provider and no other', async () => {
  const frames =
    DOUBLE_PROTOCOLS[3]?.frames({ text: ['ok'], usage: { prompt: 1, cached: 0, cacheWrite: 0, completion: 1, reasoning: 0 } }) ?? []
  const double = await modelDouble([{ kind: 'stream', frames }])
  const config = temporaryFolder()
  const model = { protocol: 'anthropic', model: 'm', base_url: `${double.url}/v1`, key: { env: 'MINE' } }
  mkdirSync(join(config, 'qed'))
  writeFileSync(join(config, 'qed', 'config.json'), JSON.stringify({ models: { mine: model } }))
  const loaded = await loadedBy(['models', 'test', 'mine'], { XDG_CONFIG_HOME: config, MINE: 'k' })
  expect(double.requests).toHaveLength(1)
  expect(loaded.filter(file => /providers\/(?!chunk)/.test(file)).map(file => basename(file))).toEqual(['anthropic.js'])
})
