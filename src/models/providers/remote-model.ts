import type { Clock } from '../../kernel/clock.ts'
import { classify } from '../classify.ts'
import { ModelFailed } from '../failure.ts'
import type { Model, ModelPart, ModelRequest } from '../port.ts'

/** Where a model is and who we are there. */
export interface Endpoint {
  model: string
  baseUrl: string
  /** Undefined: it wants none. */
  key: string | undefined
}

/** Asks a model provider; throws whatever its transport throws. */
export type Ask = (request: ModelRequest & { signal: AbortSignal }) => AsyncIterable<ModelPart>

export interface RemoteModelOptions {
  name: string
  gate: string
  clock: Clock
  ask: Ask
  /** Its key, which must stand in no message of a failure, whatever a server sends back. */
  key: string | undefined
  /** Longest wait for the first byte of a reply. */
  firstByteMs: number
}

/** A model on a server. */
export function createRemoteModel(options: RemoteModelOptions): Model {
  return { name: options.name, gate: options.gate, scripted: false, stream: request => stream(options, request) }
}

async function* stream({ clock, ask, key, firstByteMs }: RemoteModelOptions, request: ModelRequest): AsyncIterable<ModelPart> {
  const { signal } = request
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), firstByteMs)
  const failure = (error: unknown): ModelFailed =>
    patience.signal.aborted && !signal?.aborted
      ? new ModelFailed('gateway', `The model provider sent nothing for ${firstByteMs / 1000} s.`, { cause: error })
      : classify(error, { now: clock.now(), signal })
  try {
    const both = signal ? AbortSignal.any([signal, patience.signal]) : patience.signal
    for await (const part of ask({ ...request, signal: both })) {
      clearTimeout(timer)
      yield part
    }
  } catch (error) {
    throw withoutKey(failure(error), key)
  } finally {
    clearTimeout(timer)
  }
}

function withoutKey(failure: ModelFailed, key: string | undefined): ModelFailed {
  if (!key || !failure.message.includes(key)) return failure
  const { kind, status, retryAfterMs } = failure
  return new ModelFailed(kind, failure.message.replaceAll(key, '[key]'), { status, retryAfterMs })
}
