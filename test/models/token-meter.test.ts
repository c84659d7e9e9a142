import { expect, test } from 'vitest'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'
import { createModelClient } from '../../src/models/client.ts'
import { estimateTokens } from '../../src/models/estimate.ts'
import type { Model } from '../../src/models/port.ts'
import { createGates } from '../../src/models/retry/gates.ts'
import { createTokenMeter } from '../../src/models/token-meter.ts'
import { toUsage } from '../../src/models/usage.ts'

const words = (n: number): EngineLoopMessage => ({ role: 'user', content: 'word '.repeat(n) })
const tools = [{ name: 'read', description: 'Reads a file.' }]

test('before anything is known the count is the careful guess', () => {
  const messages = [words(100), words(20)]
  expect(createTokenMeter().count(messages, tools)).toBe(estimateTokens(messages, tools))
})

test('once the model provider has counted, the count is its figure and a guess of what was added', () => {
  const meter = createTokenMeter()
  const messages = [words(100)]
  meter.learn(messages, tools, 77)
  expect(meter.count(messages, tools)).toBe(77)
  const more = words(30)
  expect(meter.count([...messages, more], tools)).toBe(77 + estimateTokens([more]))
})

test('a shorter request is counted in the same measure, and nothing learnt from no figure', () => {
  const meter = createTokenMeter()
  const [long, half] = [[words(100), words(100)], [words(100)]]
  meter.learn(long, [], 2 * estimateTokens(long))
  meter.learn(half, [], 0)
  expect(meter.count(half)).toBe(2 * estimateTokens(half))
})

test('a server that counts far less than was sent, because it left out a part, is not believed', () => {
  const meter = createTokenMeter()
  const messages = [words(1_000)]
  meter.learn(messages, [], 10)
  expect(meter.count(messages)).toBe(Math.ceil(estimateTokens(messages) / 2))
})

test('L-57: what is reserved for a turn is counted by what the turn before it was counted as', async () => {
  const reserved: number[] = []
  const model: Model = {
    name: 'm',
    gate: 'g',
    scripted: false,
    async *stream() {
      yield { kind: 'finish', reason: 'stop', usage: toUsage({ prompt: 5_000, completion: 10 }) }
    },
  }
  const client = createModelClient({
    model,
    gates: createGates(),
    clock: { now: () => 0 },
    random: () => 0,
    reserve: ({ prompt, reply }) => {
      reserved.push(prompt + reply)
      return { reply, settle: () => undefined, release: () => undefined }
    },
  })
  const first = [words(10)]
  const more = words(40)
  await client.send(first, [], { personaSlug: 'p', maxTokens: 1_000 })
  await client.send([...first, more], [], { personaSlug: 'p', maxTokens: 1_000 })
  expect(reserved).toEqual([estimateTokens(first) + 1_000, 5_000 + estimateTokens([more]) + 1_000])
})
