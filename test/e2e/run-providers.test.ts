import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DOUBLE_PROTOCOLS, type DoubleProtocol } from '../support/model-double/protocols.ts'
import type { DoubleReply } from '../support/model-double/reply.ts'
import { type Act, modelDouble } from '../support/model-double/server.ts'
import { workIn } from '../support/proving.ts'

// The same task against a real server of each protocol, through the built program: the model reads and thinks, mends a file and
// writes another in one turn, and says done.

const KEY = 'key-of-the-double'
const FILES = { 'src/sum.js': 'export const sum = (a, b) => a - b\n' }
const usage = { prompt: 1000, cached: 600, cacheWrite: 100, completion: 50, reasoning: 20 }
const PRICES = { in: 3, out: 15, cached_in: 0.3, write_in: 3.75 }

const inPieces = (value: object): string[] => {
  const text = JSON.stringify(value)
  return [text.slice(0, 7), text.slice(7, 20), text.slice(20)]
}
const call = (id: string, name: string, given: object) => ({ id, name, arguments: inPieces(given) })
const look: Omit<DoubleReply, 'usage'> = {
  thinking: ['I should ', 'look first.'],
  text: ['I look.'],
  calls: [call('c1', 'read', { path: 'src/sum.js' }), call('c2', 'ls', { path: 'src' })],
}
const mend: Omit<DoubleReply, 'usage'> = {
  calls: [
    call('c3', 'edit', { path: 'src/sum.js', search: 'a - b', replace: 'a + b' }),
    call('c4', 'write', { path: 'src/notes.md', content: 'It adds: “naïve” 😀\n' }),
  ],
}
const done: Omit<DoubleReply, 'usage'> = { text: ['Done.'], calls: [call('c5', 'update', { status: 200, body: 'sum adds now.' })] }

async function scene(protocol: DoubleProtocol, acts: (Act | Omit<DoubleReply, 'usage'>)[]) {
  const double = await modelDouble(acts.map(act => ('kind' in act ? act : { kind: 'stream', frames: protocol.frames({ usage, ...act }) })))
  const place = workIn(FILES)
  const config = join(place.env['HOME'] ?? '', '.config/qed')
  mkdirSync(config, { recursive: true })
  const base_url = `${double.url}${protocol.base}`
  const alias = { protocol: protocol.name, model: 'm', base_url, key: { env: 'DOUBLE_KEY' }, context: 100_000, prices: PRICES }
  writeFileSync(join(config, 'config.json'), JSON.stringify({ models: { double: alias } }))
  const env = { ...place.env, DOUBLE_KEY: KEY }
  await place.qed(['init'], { env })
  const fix = (...more: string[]) => place.qed(['fix', 'the sum', '--scope', 'src/**', '--model', 'double', '--json', ...more], { env })
  const shown = async () => {
    const { items } = JSON.parse((await place.qed(['run', 'list', '--json'], { env })).stdout) as { items: { id: string }[] }
    const { events } = JSON.parse((await place.qed(['run', 'show', items[0]?.id ?? '', '--json', '--limit', '1000'], { env })).stdout) as {
      events: { type: string; data: Record<string, unknown> }[]
    }
    return events
  }
  return { ...place, double, fix, shown }
}

const contentOf = ({ root }: { root: string }, path: string): string => readFileSync(join(root, path), 'utf8')

describe.each(DOUBLE_PROTOCOLS.map(protocol => [protocol.name, protocol] as const))('qed fix with a model of %s', (_name, protocol) => {
  test('mends the files by parallel calls; usage and cost are those that the model provider counted', async () => {
    const place = await scene(protocol, [look, mend, done])
    const ran = await place.fix()
    expect({ exit: ran.exit, stderr: ran.stderr.includes(KEY) }).toEqual({ exit: 0, stderr: false })
    const cacheWrite = protocol.tells.cacheWrite ? 100 : 0
    const cost = 3 * Math.ceil((1000 - 600 - cacheWrite) * 3 + 600 * 0.3 + cacheWrite * 3.75 + 50 * 15)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      text: 'sum adds now.',
      turns: 3,
      tool_calls: 5,
      tokens: 3150,
      usage: { prompt: 3000, cached: 1800, cache_write: 3 * cacheWrite, completion: 150, reasoning: protocol.tells.reasoning ? 60 : 0 },
      cost_usd: cost / 1e6,
      scripted: false,
      run: { status: 'completed', outcome: 'unproven' },
    })
    expect([contentOf(place, 'src/sum.js'), contentOf(place, 'src/notes.md')]).toEqual([
      'export const sum = (a, b) => a + b\n',
      'It adds: “naïve” 😀\n',
    ])
    // What the second request tells of the first turn: both results, beside the calls that they answer.
    const second = place.double.requests[1]?.body ?? ''
    expect([second.includes('a - b'), second.includes('sum.js')]).toEqual([true, true])
  })

  test('L-49: a 429 with its wish and a malformed chunk are tried again, each recorded and reserved anew', async () => {
    const later: Act = { kind: 'status', status: 429, body: protocol.error(429, 'slow down'), headers: { 'retry-after': '0' } }
    const place = await scene(protocol, [later, { kind: 'stream', frames: ['data: {"broken": \n\n'] }, mend, done])
    const ran = await place.fix()
    expect(JSON.parse(ran.stdout)).toMatchObject({ turns: 2, tokens: 2100, run: { status: 'completed' } })
    const events = await place.shown()
    expect(events.filter(({ type }) => type === 'turn.retried').map(({ data }) => data)).toMatchObject([
      { retry: 1, kind: 'rate', status: 429, wait_ms: 0 },
      { retry: 2, kind: 'server' },
    ])
    expect(events.filter(({ type }) => type === 'turn.received').map(({ data }) => data['retries'])).toEqual([2, 0])
    expect(contentOf(place, 'src/sum.js')).toContain('a + b')
  })

  test('L-36: of a stream that is cut in the middle nothing is carried out, and what had come of it is paid', async () => {
    const frames = protocol.frames({ usage, text: ['I mend it.'], ...mend })
    const cut = frames.findLastIndex(frame => frame.includes('c4') || frame.includes('notes.md')) + 1
    const place = await scene(protocol, [{ kind: 'stream', frames: frames.slice(0, cut), cut: true }])
    const ran = await place.fix()
    expect(ran.exit).toBe(1)
    expect(JSON.parse(ran.stdout)).toMatchObject({ tool_calls: 0, run: { status: 'failed', outcome: 'error' } })
    expect(contentOf(place, 'src/sum.js')).toBe(FILES['src/sum.js'])
    expect(place.double.requests).toHaveLength(1)
    expect((await place.shown()).some(({ type }) => type === 'call.requested')).toBe(false)
  })
})
