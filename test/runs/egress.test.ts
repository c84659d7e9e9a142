import { expect, test } from 'vitest'
import type { Event } from '../../src/kernel/event.ts'
import type { JsonObject } from '../../src/kernel/json.ts'
import { sha256 } from '../../src/kernel/sha256.ts'
import { egressOf } from '../../src/runs/egress.ts'

const log = (...events: [type: string, data: JsonObject][]): Event[] =>
  events.map(([type, data], i) => ({ seq: i + 1, stream: 'run:r', type, at: '', data, prev: '', hash: '' }))
const started: [string, JsonObject] = ['run.started', { model: 'a', provider: 'one.example' }]
const opened: [string, JsonObject] = ['loop.started', { loop: 1, system: 'S', user: 'hello', continues: false }]
const source = { path: 'a.ts', sha256: 'd', bytes: 7 }
const read: [string, JsonObject] = ['call.settled', { call: 'c', result: 'x', sources: [source] }]
const requested: [string, JsonObject] = ['turn.requested', {}]

test('I-13: where another model provider takes over, all that was sent goes there too, the words of the first among it', () => {
  const reply: [string, JsonObject] = ['turn.received', { content: 'secret plan', calls: [] }]
  const changed: [string, JsonObject] = ['model.changed', { from: 'a', to: 'b', why: 'x', provider: 'two.example' }]
  const both = ['one.example', 'two.example']
  const { providers, files, other } = egressOf(log(started, opened, requested, reply, read, requested, changed))
  expect(providers).toEqual([
    { provider: 'one.example', model: 'a', requests: 2 },
    { provider: 'two.example', model: 'b', requests: 1 },
  ])
  expect(files).toEqual([{ ...source, times: 1, providers: both }])
  expect(other.map(({ kind, bytes, providers: to }) => [kind, bytes, to])).toEqual([
    ['system', 1, both],
    ['prompt', 5, both],
    ['reply', 11, ['two.example']],
  ])
})

test('I-13: a run that a person resumed with another model sends the conversation there', () => {
  const resumed: [string, JsonObject] = ['run.resumed', { loop: 1, turn: 1, model: 'b', provider_host: 'two.example' }]
  const { providers, other } = egressOf(log(started, opened, requested, resumed, requested))
  expect(providers.map(({ provider, requests }) => [provider, requests])).toEqual([
    ['one.example', 1],
    ['two.example', 1],
  ])
  expect(other.map(({ providers: to }) => to)).toEqual([
    ['one.example', 'two.example'],
    ['one.example', 'two.example'],
  ])
})

test('I-13: what was refused before it left was not sent, and makes no other provider a reader', () => {
  const refused: [string, JsonObject] = ['turn.requested', { reservation: null }]
  const changed: [string, JsonObject] = ['model.changed', { to: 'b', provider: 'two.example', reservation: null }]
  expect(egressOf(log(started, opened, refused, ['summary.requested', { reservation: null }])).providers).toEqual([])
  const { providers, other } = egressOf(log(started, opened, requested, changed))
  expect(providers).toEqual([{ provider: 'one.example', model: 'a', requests: 1 }])
  expect(other.map(({ providers: to }) => to)).toEqual([['one.example'], ['one.example']])
})

test('a run that sent nothing has nothing to tell, and a long text is told by its blob', () => {
  expect(egressOf(log(started, opened))).toEqual({ providers: [], files: [], other: [], totals: { files: 0, bytes: 0 } })
  const long = { blob: 'e'.repeat(64), bytes: 99_999, preview: '' }
  const { other } = egressOf(log(started, ['loop.started', { loop: 1, system: long, user: 'u', continues: false }], requested))
  expect(other[0]).toEqual({ kind: 'system', from: '', sha256: long.blob, bytes: 99_999, times: 1, providers: ['one.example'] })
})

test('the same content twice is one row, another content of the same path a second one', () => {
  const again: [string, JsonObject] = ['call.settled', { call: 'e', result: 'x', sources: [{ ...source, sha256: 'other' }] }]
  const { files, totals } = egressOf(log(started, opened, read, read, again, requested))
  expect(files.map(({ sha256: digest, bytes, times }) => [digest, bytes, times])).toEqual([
    ['d', 14, 2],
    ['other', 7, 1],
  ])
  expect(totals).toEqual({ files: 1, bytes: 21 + 'S'.length + 'hello'.length })
})

test('a log of an older program is read as far as it goes', () => {
  const { providers, other } = egressOf(
    log(['run.started', { model: 'a' }], opened, ['call.settled', { call: 'c', result: 'x' }], requested),
  )
  expect(providers).toEqual([{ provider: 'a', model: 'a', requests: 1 }])
  expect(other.at(-1)).toMatchObject({ kind: 'result', sha256: sha256('x') })
})
