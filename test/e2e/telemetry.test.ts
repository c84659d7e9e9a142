import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type OtlpReceiver, otlpReceiver } from '../support/otlp-receiver.ts'
import { TEST, UNDONE, workIn } from '../support/proving.ts'

// Runs of a scripted model through the built program, watched by a collector that speaks OTLP over HTTP.

const SECRET = 'the-words-of-the-prompt'
const mend = { name: 'edit', arguments: { path: 'src/greeting', search: 'hullo', replace: 'hello' } }
const outside = { name: 'write', arguments: { path: 'README.md', content: SECRET } }
const done = { name: 'update', arguments: { status: 200, body: SECRET } }
const USAGE = { usage: { input: 900, output: 40 } }

async function scene(turns: object[], env: Record<string, string> = {}) {
  const place = workIn(UNDONE)
  await place.qed(['init'])
  const home = place.env['HOME'] ?? ''
  const script = join(home, 'script.json')
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  Object.assign(place.env, env)
  return {
    ...place,
    settings: (settings: object) => {
      mkdirSync(join(home, '.config/qed'), { recursive: true })
      writeFileSync(join(home, '.config/qed/config.json'), JSON.stringify(settings))
    },
    fix: (...args: string[]) => place.qed(['fix', SECRET, '--scope', 'src/**', '--model', `script:${script}`, '--json', ...args]),
  }
}

const named = (receiver: OtlpReceiver, name: string) => receiver.spans().filter(span => span.name === name)

describe('a run with an OTLP endpoint', () => {
  test('is a tree of spans by the GenAI conventions, with usage, decisions and proof, and no word of what was said', async () => {
    const receiver = await otlpReceiver()
    const { fix } = await scene(
      [
        { calls: [outside], ...USAGE },
        { calls: [mend], ...USAGE },
        { calls: [done], ...USAGE },
      ],
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=proofs',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    )
    const ran = await fix('--verify', TEST.join(' '))
    expect(ran.exit).toBe(0)
    const { run } = JSON.parse(ran.stdout) as { run: { id: string } }
    expect(named(receiver, 'invoke_agent qed')).toMatchObject([
      {
        kind: 'internal',
        parent: null,
        failed: false,
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'qed',
          'gen_ai.conversation.id': run.id,
          'gen_ai.provider.name': 'script',
          'gen_ai.request.model': 'main',
          'gen_ai.usage.input_tokens': 2_700,
          'gen_ai.usage.output_tokens': 120,
          'qed.run.kind': 'fix',
          'qed.run.outcome': 'proven',
        },
      },
    ])
    expect(named(receiver, 'chat main')).toHaveLength(3)
    expect(named(receiver, 'chat main')[0]).toMatchObject({
      kind: 'client',
      parent: 'invoke_agent qed',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'script',
        'gen_ai.request.model': 'main',
        'gen_ai.usage.input_tokens': 900,
        'gen_ai.usage.output_tokens': 40,
        'gen_ai.response.finish_reasons': ['tool_call'],
      },
    })
    expect(named(receiver, 'execute_tool write')).toMatchObject([
      {
        parent: 'invoke_agent qed',
        failed: true,
        attributes: {
          'gen_ai.tool.name': 'write',
          'error.type': 'denied',
          'qed.decision.verdict': 'deny',
          'qed.decision.rule': 'brief/outside-scope',
        },
      },
    ])
    expect(named(receiver, 'execute_tool edit')).toMatchObject([{ failed: false, attributes: { 'qed.decision.verdict': 'allow' } }])
    expect(named(receiver, 'prove')).toMatchObject([{ parent: 'invoke_agent qed', attributes: { 'qed.proof.verdict': 'proven' } }])
    expect(receiver.resource()).toMatchObject({ 'service.name': 'qed', 'deployment.environment.name': 'test' })
    expect(receiver.bodies.every(({ headers }) => headers['x-team'] === 'proofs')).toBe(true)
    expect(receiver.bodies.map(({ body }) => body).join()).not.toMatch(/the-words-of-the-prompt|hullo|hello|README/)
  })

  test('measures tokens and durations', async () => {
    const receiver = await otlpReceiver()
    const { fix, settings } = await scene([{ calls: [done], ...USAGE }])
    settings({ telemetry: { endpoint: `${receiver.url}/` } })
    await fix()
    const model = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'script', 'gen_ai.request.model': 'main' }
    expect(receiver.metrics()).toMatchObject([
      {
        name: 'gen_ai.client.token.usage',
        unit: '{token}',
        points: [
          { attributes: { ...model, 'gen_ai.token.type': 'input' }, count: 1, sum: 900 },
          { attributes: { ...model, 'gen_ai.token.type': 'output' }, count: 1, sum: 40 },
        ],
      },
      { name: 'gen_ai.client.operation.duration', unit: 's', points: [{ attributes: model, count: 1 }] },
    ])
  })

  test('tells of a model call that failed by its code, and of the run by its outcome', async () => {
    const receiver = await otlpReceiver()
    const { fix } = await scene([{ error: { status: 401 } }], { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
    await fix()
    expect(named(receiver, 'chat main')).toMatchObject([{ failed: true, attributes: { 'error.type': 'auth_missing' } }])
    expect(named(receiver, 'invoke_agent qed')).toMatchObject([
      { failed: true, attributes: { 'error.type': 'error', 'qed.run.status': 'failed' } },
    ])
  })
})

test('L-53: where another model takes over, the failed call is a span of the first and everything after it one of the other', async () => {
  const receiver = await otlpReceiver()
  const { settings, env, qed } = await scene([], { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
  const script = join(env['HOME'] ?? '', 'two.json')
  const turns = {
    first: [{ error: { status: 401 } }],
    second: [
      { calls: [mend], ...USAGE },
      { calls: [done], ...USAGE },
    ],
  }
  const scripts = Object.entries(turns).map(([name, of]) => [name, { turns: of }])
  writeFileSync(script, JSON.stringify({ scripts: Object.fromEntries(scripts) }))
  const models = Object.fromEntries(Object.keys(turns).map(name => [name, { protocol: 'script', model: `${script}#${name}` }]))
  settings({ models, engine: { fallback: ['second'] } })
  expect((await qed(['fix', 'x', '--scope', 'src/**', '--model', 'first'])).exit).toBe(0)
  const calls = receiver.spans().filter(({ name }) => name.startsWith('chat '))
  expect(calls.map(({ name, failed, attributes }) => [name, failed, attributes['qed.turn'], attributes['error.type']])).toEqual([
    ['chat first', true, 0, 'auth_missing'],
    ['chat second', false, 0, undefined],
    ['chat second', false, 1, undefined],
  ])
  const counted = receiver.metrics().find(({ name }) => name === 'gen_ai.client.token.usage')
  expect(counted?.points.map(({ attributes }) => attributes['gen_ai.request.model'])).toEqual(['second', 'second'])
})

test('C-76: a summary is a call to the model too, in spans and in the tokens of the run', async () => {
  const receiver = await otlpReceiver()
  const { settings, env, qed } = await scene([], { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
  const script = join(env['HOME'] ?? '', 'long.json')
  const summary = ['Goal', 'Done', 'Decisions', 'Open', 'Next'].map(heading => `## ${heading}\nx`).join('\n')
  const echo = (n: number) => ({ name: 'write', arguments: { path: `src/${n}`, content: 'word '.repeat(700) } })
  const turns = [
    { when: { sees: 'Sum it up in at most' }, text: summary, usage: { input: 5_000, output: 50 } },
    ...Array.from({ length: 9 }, (_, n) => ({ calls: [echo(n)] })),
    { calls: [done] },
  ]
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  settings({ models: { small: { protocol: 'script', model: script, context: 9_000 } } })
  await qed(['fix', 'x', '--scope', 'src/**', '--model', 'small', '--max-tokens', '500000'])
  const calls = receiver.spans().filter(({ name }) => name === 'chat main')
  expect(calls.filter(({ attributes }) => attributes['gen_ai.usage.input_tokens'] === 5_000).length).toBeGreaterThan(0)
})

test('with OTEL_TRACES_SAMPLER=always_off a run is measured and becomes no trace', async () => {
  const receiver = await otlpReceiver()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER: 'always_off' }
  const { fix } = await scene([{ calls: [mend], ...USAGE }, { calls: [done] }], env)
  expect((await fix()).exit).toBe(0)
  expect(receiver.spans()).toEqual([])
  expect(receiver.metrics()).not.toEqual([])
})

describe('a collector that is of no use', () => {
  test.each([
    ['refuses', () => otlpReceiver(503)],
    ['never answers', () => otlpReceiver(null)],
    ['is not there', () => Promise.resolve({ url: 'http://127.0.0.1:1' })],
  ])('and %s changes nothing of a run', async (_, start) => {
    const { url } = await start()
    const { fix } = await scene([{ calls: [mend] }, { calls: [done] }], { OTEL_EXPORTER_OTLP_ENDPOINT: url })
    const started = Date.now()
    const ran = await fix()
    expect([ran.exit, ran.stderr.includes('OTLP')]).toEqual([0, false])
    expect(JSON.parse(ran.stdout)).toMatchObject({ run: { outcome: 'unproven' } })
    expect(Date.now() - started).toBeLessThan(15_000)
  })
})
