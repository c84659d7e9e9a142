import { describe, expect, test } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { createCatalogue } from '../../../src/operations/catalogue.ts'
import { checkInput, invoke } from '../../../src/operations/invoke.ts'
import type { Call } from '../../../src/operations/operation.ts'

const catalogue = createCatalogue()
const app = createApp({ cwd: '/', env: { HOME: '/nonexistent', QED_MAX_STALLS: '1', QED_CHECK_OUTPUT: '1' }, self: [] })
const call: Call = {
  caller: { surface: 'sdk', connection: 'test', role: 'program', approver: 'none' },
  signal: new AbortController().signal,
  emit: () => undefined,
  catalogue,
}
const run = async (name: string, input: unknown): Promise<unknown> => invoke(await catalogue.find(name), app, input, call)

describe('operations', () => {
  test('D-1 dialect.parse answers with its own shape', async () => {
    expect(await run('dialect.parse', { text: '<think>x</think><get path="a" limit="2"/> ok <sh>rm' })).toMatchObject({
      calls: [{ id: 'call_1', name: 'get', arguments: { path: 'a', limit: 2 }, source: 'tag', span: [16, 41] }],
      rejected: [{ id: 'call_2', name: 'sh', status: 'incomplete' }],
      text: 'ok',
      thinking: 'x',
      warnings: [{ code: 'unclosed' }],
    })
  })

  test('D-2 dialect.parse takes null and no text', async () => {
    const empty = { calls: [], rejected: [], text: '', warnings: [] }
    expect([await run('dialect.parse', { text: null }), await run('dialect.parse', {})]).toEqual([empty, empty])
  })

  test('D-1 dialect.parse takes the tools that were offered', async () => {
    const tools = [{ name: 'f', effect: 'read', parameters: { type: 'object', properties: { n: { type: 'integer' } } }, body: 'n' }]
    expect(await run('dialect.parse', { text: '<f> 5 </f>', tools })).toMatchObject({ calls: [{ name: 'f', arguments: { n: 5 } }] })
  })

  test('D-44 turn.judge judges the last turn', async () => {
    expect(await run('turn.judge', { turns: [{ text: 'Done.' }] })).toEqual({ verdict: 'claim', silent: true })
  })

  test('D-52 the environment sets limits, and the call comes before it', async () => {
    expect(await run('turn.judge', { turns: [{}] })).toEqual({ verdict: 'stop', reason: 'stalled' })
    expect(await run('turn.judge', { turns: [{}], limits: { stalls: 2 } })).toMatchObject({ verdict: 'continue' })
  })

  test('D-44 turn.judge refuses a loop without turns', async () => {
    const operation = await catalogue.find('turn.judge')
    expect(() => checkInput('turn.judge', operation.input, { turns: [] }, { unknownKeys: 'refuse' })).toThrow('turns')
  })
})
