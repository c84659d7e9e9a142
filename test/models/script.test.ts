import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'
import { collect } from '../../src/models/collect.ts'
import { ModelFailed } from '../../src/models/failure.ts'
import { loadScript } from '../../src/models/script/load.ts'
import { createScriptedModel } from '../../src/models/script/scripted-model.ts'

const file = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'qed-script-')), 'script.jsonc')
  writeFileSync(path, text)
  return path
}
const user = (content: string): EngineLoopMessage => ({ role: 'user', content })
const said = (content: string): EngineLoopMessage => ({ role: 'assistant', content })
const model = (turns: object[], otherwise?: object) =>
  createScriptedModel(loadScript(file(JSON.stringify({ scripts: { main: { turns, ...(otherwise && { otherwise }) } } }))), {
    name: 'main',
    now: () => 0,
  })
const ask = (of: ReturnType<typeof model>, messages: EngineLoopMessage[]) => collect(of.stream({ messages, tools: [], maxTokens: 1000 }))

describe('the scripted model', () => {
  test('plays its turns in order, with calls, thinking and usage, and says that it is scripted', async () => {
    const one = model([
      { thinking: 'hm', text: 'I look.', calls: [{ name: 'read', arguments: { path: 'a' } }] },
      { text: 'Done.', usage: { input: 900, output: 40 } },
    ])
    expect(one.scripted).toBe(true)
    expect(await ask(one, [user('go')])).toMatchObject({
      text: 'I look.',
      thinking: 'hm',
      calls: [{ name: 'read', arguments: '{"path":"a"}' }],
      finish: 'tool_use',
    })
    expect(await ask(one, [user('go')])).toMatchObject({
      text: 'Done.',
      finish: 'stop',
      usage: { prompt: 900, completion: 40, total: 940 },
    })
    expect(await ask(one, [user('go')])).toMatchObject({ text: 'Nothing more to do.' })
  })

  test('a turn with when waits for its match while later ones are tried, and may be taken several times', async () => {
    const one = model([{ when: { sees: 'not proven', times: 2 }, text: 'again' }, { text: 'first' }], { text: 'end' })
    const seen = [
      await ask(one, [user('go')]),
      await ask(one, [user('go'), said('x'), user('it is not proven')]),
      await ask(one, [user('not proven')]),
      await ask(one, [user('not proven')]),
    ]
    expect(seen.map(({ text }) => text)).toEqual(['first', 'again', 'again', 'end'])
  })

  test('only what the model has not answered yet is looked at', async () => {
    const one = model([{ when: { sees: 'secret word' }, text: 'saw it' }, { text: 'no' }])
    expect(await ask(one, [user('secret word'), said('ok'), user('else')])).toMatchObject({ text: 'no' })
  })

  test('an interrupted conversation is gone on with where it was', async () => {
    const one = model([{ text: 'a' }, { error: { status: 500 } }, { text: 'b' }, { text: 'c' }])
    expect(await ask(one, [user('go'), said('a'), user('on'), said('b'), user('on')])).toMatchObject({ text: 'c' })
  })

  test('an error goes the way of a real one', async () => {
    const one = model([{ error: { status: 429, retry_after: 2 } }])
    await expect(ask(one, [user('go')])).rejects.toMatchObject({ kind: 'rate', status: 429, retryAfterMs: 2000 })
    await expect(ask(model([{ error: { status: 401 } }]), [user('go')])).rejects.toBeInstanceOf(ModelFailed)
  })

  test.each([
    ['no JSON', '{ "scripts": ', 'invalid_input'],
    ['a misspelt key', '{ "scripts": { "main": { "turns": [{ "txt": "a" }] } } }', 'invalid_input'],
    ['a broken pattern', '{ "scripts": { "main": { "turns": [{ "when": { "sees": "(" } }] } } }', 'invalid_input'],
    ['another name', '{ "scripts": { "other": { "turns": [] } } }', 'not_found'],
  ])('%s is refused with what to do', (_name, text, code) => {
    expect(() => loadScript(file(text))).toThrow(expect.objectContaining({ code }))
  })

  test('comments are allowed', () => {
    expect(loadScript(file('// one\n{ "scripts": { "main": { "turns": [] /* none */ } } }'))).toEqual({ turns: [] })
  })
})
