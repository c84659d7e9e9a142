type Environment = Readonly<Record<string, string | undefined>>

/** Where spans and measurements are sent. */
export interface TelemetryTarget {
  /** Null: the standard variables say it, one address per signal or one for both. */
  endpoint: string | null
  traces: boolean
  metrics: boolean
}

/** Null: nothing is sent. The person's own setting comes before variables that are meant for every program. */
export function telemetryTarget(setting: string | null, env: Environment): TelemetryTarget | null {
  const named = (name: string): string | undefined => env[`OTEL_EXPORTER_OTLP_${name}`]
  // Another protocol would be spoken to in vain; a broken address must not keep any command from working.
  if (env['OTEL_SDK_DISABLED'] === 'true' || (setting === null && named('PROTOCOL') === 'grpc')) return null
  const isSet = (signal: string): boolean => setting !== null || [named('ENDPOINT'), named(`${signal}_ENDPOINT`)].some(isAddress)
  const traces = isSet('TRACES') && env['OTEL_TRACES_EXPORTER'] !== 'none'
  const metrics = isSet('METRICS') && env['OTEL_METRICS_EXPORTER'] !== 'none'
  return traces || metrics ? { endpoint: setting, traces, metrics } : null
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:/.test(text) && URL.canParse(text)
}
