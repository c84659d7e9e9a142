import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { DOUBLE_PROTOCOLS } from '../support/model-double/protocols.ts'
import { modelDouble } from '../support/model-double/server.ts'
import { testProject } from '../support/qed.ts'

/** Notes every file of the program that is loaded. */
const WATCH = `
const Module = require('node:module')
const resolve = Module._resolveFilename
const seen = new Set()
Module._resolveFilename = function (...given) {
  const file = resolve.apply(this, given)
  if (String(file).includes('/dist/program/')) seen.add(file)
  return file
}
process.on('exit', () => require('node:fs').writeFileSync(process.env.SEEN, [...seen].join('\\n')))
`

async function loadedBy(args: string[], settings: object = {}): Promise<string[]> {
  const project = await testProject()
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'watch.cjs'), WATCH)
  Object.assign(project.env, { SEEN: join(folder, 'seen'), NODE_OPTIONS: `--require ${join(folder, 'watch.cjs')}`, ...settings })
  await project.run(args)
  return readFileSync(join(folder, 'seen'), 'utf8').split('\n')
}

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
