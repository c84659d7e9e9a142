import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Value {
  stringValue?: string
  intValue?: number
  doubleValue?: number
  arrayValue?: { values: Value[] }
}
interface WireSpan {
  name: string
  kind: number
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: Value }[]
  status: { code?: number }
  startTimeUnixNano: string
  endTimeUnixNano: string
}

interface SeenSpan {
  name: string
  kind: 'internal' | 'client'
  /** Name of the span around it. */
  parent: string | null
  failed: boolean
  ms: number
  attributes: Record<string, unknown>
}

export interface OtlpReceiver {
  url: string
  /** Everything that came, as it came. */
  bodies: { path: string; body: string; headers: Record<string, string | string[] | undefined> }[]
  spans: () => SeenSpan[]
  metrics: () => { name: string; unit: string; points: { attributes: Record<string, unknown>; count: number; sum: number }[] }[]
  resource: () => Record<string, unknown>
}

/** A real collector for OTLP over HTTP with JSON. `answer` null: it takes the request and never answers. */
export async function otlpReceiver(answer: number | null = 200): Promise<OtlpReceiver> {
  const bodies: OtlpReceiver['bodies'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push({ path: request.url ?? '', body, headers: request.headers })
      if (answer !== null) response.writeHead(answer, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const sent = <T>(path: string): T[] => bodies.filter(one => one.path === path).map(({ body }) => JSON.parse(body) as T)
  const wire = (): WireSpan[] =>
    sent<{ resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] }>('/v1/traces')
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () => wire().map((span, _, all) => seen(span, all)),
    metrics: () =>
      sent<{ resourceMetrics: { scopeMetrics: { metrics: WireMetric[] }[] }[] }>('/v1/metrics')
        .flatMap(({ resourceMetrics }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .map(({ name, unit, histogram }) => ({
          name,
          unit,
          points: histogram.dataPoints.map(({ attributes, count, sum }) => ({ attributes: plain(attributes), count: Number(count), sum })),
        })),
    resource: () =>
      plain(
        sent<{ resourceSpans: { resource: { attributes: WireSpan['attributes'] } }[] }>('/v1/traces')[0]?.resourceSpans[0]?.resource
          .attributes ?? [],
      ),
  }
}

interface WireMetric {
  name: string
  unit: string
  histogram: { dataPoints: { attributes: WireSpan['attributes']; count: number | string; sum: number }[] }
}

function seen(span: WireSpan, all: readonly WireSpan[]): SeenSpan {
  const { name, kind, parentSpanId, status, attributes, startTimeUnixNano, endTimeUnixNano } = span
  return {
    name,
    kind: kind === 3 ? 'client' : 'internal',
    parent: all.find(({ spanId }) => spanId === parentSpanId)?.name ?? null,
    failed: status.code === 2,
    ms: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
    attributes: plain(attributes),
  }
}

function plain(attributes: WireSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))
}

function valueOf({ stringValue, intValue, doubleValue, arrayValue }: Value): unknown {
  return stringValue ?? intValue ?? doubleValue ?? arrayValue?.values.map(valueOf)
}
