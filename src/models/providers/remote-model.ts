import type { Clock } from '../../kernel/clock.ts'
import { classify } from '../classify.ts'
import { ModelFailed } from '../failure.ts'
import type { Model, ModelPart, ModelRequest } from '../port.ts'
import { createPatience, type PatienceMs, SilentTooLong } from './patience.ts'

/** Where a model is and who we are there. */
export interface Endpoint {
  model: string
  baseUrl: string
  /** Undefined: it wants none. */
  key: string | undefined
}

/** Asks a model provider; throws whatever its transport throws. */
export type Ask = (request: ModelRequest & { signal: AbortSignal }) => AsyncIterable<ModelPart>

export interface RemoteModelOptions extends PatienceMs {
  name: string
  gate: string
  clock: Clock
  ask: Ask
  /** Its key, which must stand in no message of a failure, whatever a server sends back. */
  key: string | undefined
}

/** A model on a server. */
export function createRemoteModel(options: RemoteModelOptions): Model {
  return { name: options.name, gate: options.gate, scripted: false, stream: request => stream(options, request) }
}

async function* stream({ clock, ask, key, ...waits }: RemoteModelOptions, request: ModelRequest): AsyncIterable<ModelPart> {
  const { signal } = request
  const patience = createPatience(waits)
  const failure = (error: unknown): ModelFailed => {
    const why: unknown = patience.signal.reason
    return why instanceof SilentTooLong && !signal?.aborted
      ? new ModelFailed('gateway', why.message, { cause: error })
      : classify(error, { now: clock.now(), signal })
  }
  try {
    const both = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal
    yield* ask({ ...request, signal: both, onAlive: patience.alive })
  } catch (error) {
    const failed = failure(error)
    patience.giveUp()
    throw withoutKey(failed, key)
  } finally {
    patience.end()
  }
}

function withoutKey(failure: ModelFailed, key: string | undefined): ModelFailed {
  if (!key || !failure.message.includes(key)) return failure
  const { kind, status, retryAfterMs } = failure
  return new ModelFailed(kind, failure.message.replaceAll(key, '[key]'), { status, retryAfterMs })
}
