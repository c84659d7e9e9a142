type Environment = Readonly<Record<string, string | undefined>>

/** Where spans and measurements are sent. */
export interface TelemetryTarget {
  /** Null: the standard variables say it, one address per signal or one for both. */
  endpoint: string | null
  traces: boolean
  metrics: boolean
  /** How many of all runs and proofs become traces: from 0, none, to 1, all. */
  share: number
}

/** Null: nothing is sent. The person's own setting comes before variables that are meant for every program. */
export function telemetryTarget(setting: string | null, env: Environment): TelemetryTarget | null {
  const named = (name: string): string | undefined => env[`OTEL_EXPORTER_OTLP_${name}`]
  // Another protocol would be spoken to in vain; a broken address must not keep any command from working.
  if (env['OTEL_SDK_DISABLED'] === 'true' || (setting === null && named('PROTOCOL') === 'grpc')) return null
  const isSet = (signal: string): boolean => setting !== null || [named('ENDPOINT'), named(`${signal}_ENDPOINT`)].some(isAddress)
  const traces = isSet('TRACES') && env['OTEL_TRACES_EXPORTER'] !== 'none'
  const metrics = isSet('METRICS') && env['OTEL_METRICS_EXPORTER'] !== 'none'
  return traces || metrics ? { endpoint: setting, traces, metrics, share: shareOf(env) } : null
}

// A trace begins with a run or proof and has nothing above it, so that samplers which look at a parent do as those that do not.
const SHARES: Readonly<Record<string, (argument: string) => number>> = {
  always_on: () => 1,
  always_off: () => 0,
  traceidratio: argument => {
    const ratio = Number(argument)
    return argument !== '' && ratio >= 0 && ratio <= 1 ? ratio : 1
  },
}

function shareOf(env: Environment): number {
  const sampler = (env['OTEL_TRACES_SAMPLER'] ?? '').trim().replace(/^parentbased_/, '')
  const share = Object.hasOwn(SHARES, sampler) ? SHARES[sampler] : undefined
  return share?.((env['OTEL_TRACES_SAMPLER_ARG'] ?? '').trim()) ?? 1
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:/.test(text) && URL.canParse(text)
}
