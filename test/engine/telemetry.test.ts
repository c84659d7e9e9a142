import { describe, expect, test } from 'vitest'
import { telemetryTarget } from '../../src/engine/telemetry/target.ts'
import { createTelemetry } from '../../src/engine/telemetry/telemetry.ts'
import type { Event } from '../../src/kernel/event.ts'

const event = (type: string, stream = 'run:r'): Event => ({
  seq: 1,
  stream,
  type,
  at: '2026-01-01T00:00:00.000Z',
  data: {},
  prev: '',
  hash: '',
})

describe('where telemetry goes', () => {
  const at = 'http://127.0.0.1:4318'
  test.each([
    ['nowhere unless told', null, {}, null],
    ['to the setting', at, {}, { endpoint: at, traces: true, metrics: true, share: 1 }],
    ['to the standard variable', null, { OTEL_EXPORTER_OTLP_ENDPOINT: at }, { endpoint: null, traces: true, metrics: true, share: 1 }],
    ['to one signal of it', null, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: at }, { endpoint: null, traces: true, metrics: false, share: 1 }],
    ['not to what is no address', null, { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }, null],
    ['not over a protocol that is not spoken', null, { OTEL_EXPORTER_OTLP_ENDPOINT: at, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, null],
    ['nowhere when switched off', at, { OTEL_SDK_DISABLED: 'true' }, null],
    ['without metrics', at, { OTEL_METRICS_EXPORTER: 'none' }, { endpoint: at, traces: true, metrics: false, share: 1 }],
    ['nowhere without both', at, { OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' }, null],
  ])('%s', (_, setting, env, target) => {
    expect(telemetryTarget(setting, env)).toEqual(target)
  })
})

describe('how many runs become traces', () => {
  test.each([
    [{}, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: ' 0 ' }, 0],
    // By the standard a number that is none counts as not given, and all are sent.
    [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '25' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 1],
  ])('%o: %d', (env, share) => {
    expect(telemetryTarget('http://127.0.0.1:4318', env)).toMatchObject({ share })
  })
})

describe('telemetry', () => {
  test('loads nothing before an event of a run or proof, and loses none that came while it loaded', async () => {
    const heard: string[] = []
    let loads = 0
    const telemetry = createTelemetry(() => {
      loads++
      return Promise.resolve({ hear: ({ type }) => void heard.push(type), close: () => Promise.resolve() })
    })
    telemetry.hear(event('project.created', 'project'))
    expect(loads).toBe(0)
    telemetry.hear(event('run.started'))
    telemetry.hear(event('proof.started', 'proof:p'))
    await telemetry.close()
    telemetry.hear(event('run.stopped'))
    expect([loads, heard]).toEqual([1, ['run.started', 'proof.started', 'run.stopped']])
  })

  test.each([
    ['cannot be loaded', () => Promise.reject(new Error('no'))],
    ['is not wanted', () => Promise.resolve(null)],
    [
      'throws at what it hears',
      () =>
        Promise.resolve({
          hear: () => {
            throw new Error('no')
          },
          close: () => Promise.reject(new Error('no')),
        }),
    ],
  ])('that %s disturbs nobody', async (_, load) => {
    const telemetry = createTelemetry(load)
    telemetry.hear(event('run.started'))
    await expect(telemetry.close()).resolves.toBeUndefined()
    expect(() => telemetry.hear(event('run.stopped'))).not.toThrow()
  })

  test('that does not end is waited for two seconds and no longer', async () => {
    const telemetry = createTelemetry(() => Promise.resolve({ hear: () => undefined, close: () => new Promise<never>(() => undefined) }))
    telemetry.hear(event('run.started'))
    const started = Date.now()
    await telemetry.close()
    expect(Date.now() - started).toBeLessThan(4_000)
  })
})
