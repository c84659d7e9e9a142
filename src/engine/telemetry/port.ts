export type Attributes = Record<string, string | number | boolean | string[]>

interface SpanStart {
  name: string
  /** `client`: another system is asked. */
  kind: 'internal' | 'client'
  /** Milliseconds of the clock. */
  at: number
  parent: OpenSpan | null
  attributes: Attributes
}

export interface OpenSpan {
  set: (attributes: Attributes) => void
  /** `error`: what kind of failure it ended with. */
  end: (at: number, error?: string) => void
}

export const METRICS = {
  'gen_ai.client.token.usage': {
    unit: '{token}',
    bounds: [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864],
  },
  'gen_ai.client.operation.duration': {
    unit: 's',
    bounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  },
} as const
export type Metric = keyof typeof METRICS

/** Where spans and measurements go. Takes them at once and sends them when it likes; a failure to send is nobody's concern. */
export interface TelemetryOut {
  start: (span: SpanStart) => OpenSpan
  measure: (metric: Metric, value: number, attributes: Attributes) => void
  /** Sends what is left. */
  close: () => Promise<void>
}
