import { describe, expect, test } from 'vitest'
import type { EngineLoopClient, EngineLoopResponse } from '../../src/kernel/frames.ts'
import { snapshot } from '../../src/models/catalogue/snapshot.ts'
import { type Fallback, withFallbacks } from '../../src/models/fallback.ts'
import { requirePrice } from '../../src/models/resolve/require-price.ts'
import { resolveModel } from '../../src/models/resolve/resolve.ts'

const saying = (content: string): EngineLoopResponse => ({
  stop: 'text',
  content,
  tokensUsed: 1,
  assistantMessage: { role: 'assistant', content },
})
const error = (code: 'rate_limited' | 'budget' | 'context_overflow' | 'failed'): EngineLoopResponse => ({
  stop: 'error',
  code,
  message: 'no',
})
const client = (...answers: EngineLoopResponse[]): EngineLoopClient => ({
  send: () => Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? error('failed')),
})
const fallback = (name: string, answer: EngineLoopResponse): Fallback => ({ name, open: () => Promise.resolve(client(answer)) })
const send = (of: EngineLoopClient, signal?: AbortSignal) => of.send([], [], { personaSlug: 'p', ...(signal && { signal }) })

describe('L-53 another model is used only where the person named it', () => {
  test('without fallbacks a failure stays one', async () => {
    expect(await send(withFallbacks({ name: 'a', client: client(error('rate_limited')) }, [], () => undefined))).toMatchObject({
      code: 'rate_limited',
    })
  })

  test('the next usable one is asked, each change is told, and it stays', async () => {
    const changes: object[] = []
    const broken: Fallback = { name: 'b', open: () => Promise.reject(new Error('no key')) }
    const first = client(error('rate_limited'), saying('a is back'))
    const all = withFallbacks({ name: 'a', client: first }, [broken, fallback('c', saying('c'))], change => changes.push(change))
    expect(await send(all)).toMatchObject({ content: 'c' })
    expect(await send(all)).toMatchObject({ content: 'c' })
    expect(changes).toEqual([{ from: 'a', to: 'c', why: 'rate_limited: no' }])
  })

  test.each(['budget', 'context_overflow'] as const)('%s is no reason to change', async code => {
    const all = withFallbacks({ name: 'a', client: client(error(code)) }, [fallback('b', saying('b'))], () => undefined)
    expect(await send(all)).toMatchObject({ code })
  })

  test('nor is an abort', async () => {
    const all = withFallbacks({ name: 'a', client: client(error('failed')) }, [fallback('b', saying('b'))], () => undefined)
    expect(await send(all, AbortSignal.abort())).toMatchObject({ code: 'failed' })
  })
})

test('L-55 a limit in money needs a price', () => {
  const facts = { aliases: {}, catalogue: snapshot, isSet: () => true, cwd: '/' }
  const unknown = resolveModel('openai/gpt-99', facts)
  expect(() => requirePrice(unknown, 1)).toThrow(expect.objectContaining({ code: 'no_price' }))
  for (const name of ['openai/gpt-5', 'ollama/x']) expect(() => requirePrice(resolveModel(name, facts), 1)).not.toThrow()
  expect(() => requirePrice(unknown, null)).not.toThrow()
})
