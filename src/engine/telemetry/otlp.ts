// The OpenTelemetry SDK behind the port, over OTLP/HTTP with JSON. Loaded only where something is to be sent.
import { type Histogram, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { version } from '../../kernel/version.ts'
import { createFollower } from './follow.ts'
import { METRICS, type Metric, type OpenSpan, type TelemetryOut } from './port.ts'
import type { TelemetryTarget } from './target.ts'
import type { Follower } from './telemetry.ts'

/** As long as the end of a run may be kept waiting; a request that takes longer is given up. */
const SEND_MS = 2_000

export function openFollower(target: TelemetryTarget): Follower {
  const out = openOtlp(target)
  return { hear: createFollower(out), close: out.close }
}

function openOtlp({ endpoint, traces, metrics, share }: TelemetryTarget): TelemetryOut {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'qed', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  const at = (path: string) => ({ timeoutMillis: SEND_MS, ...(endpoint !== null && { url: `${endpoint.replace(/\/$/, '')}/v1/${path}` }) })
  const tracers = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: traces ? [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(at('traces')) })] : [],
  })
  const meters = new MeterProvider({
    resource,
    readers: metrics ? [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(at('metrics')) })] : [],
  })
  const histograms = histogramsOf(meters)
  const tracer = tracers.getTracer('qed', version)
  const spans = new WeakMap<OpenSpan, Span>()
  return {
    start: ({ name, kind, at: startTime, parent, attributes }) => {
      const above = parent && spans.get(parent)
      const context = above ? trace.setSpan(ROOT_CONTEXT, above) : ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, startTime, attributes }, context)
      const open = openSpan(span)
      spans.set(open, span)
      return open
    },
    measure: (metric, value, attributes) => histograms[metric].record(value, attributes),
    close: async () => void (await Promise.allSettled([tracers.shutdown(), meters.shutdown()])),
  }
}

function openSpan(span: Span): OpenSpan {
  return {
    set: attributes => void span.setAttributes(attributes),
    end: (at, error) => {
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
      span.end(at)
    },
  }
}

function histogramsOf(meters: MeterProvider): Record<Metric, Histogram> {
  const meter = meters.getMeter('qed', version)
  const made = Object.entries(METRICS).map(([name, { unit, bounds }]) => [
    name,
    meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries: [...bounds] } }),
  ])
  return Object.fromEntries(made) as Record<Metric, Histogram>
}
