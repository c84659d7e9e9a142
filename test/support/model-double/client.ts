import type { EngineLoopClient, EngineLoopMessage, EngineLoopTool } from '../../../src/kernel/frames.ts'
import { createModelClient, type ModelClientOptions } from '../../../src/models/client.ts'
import type { Model, ModelPart } from '../../../src/models/port.ts'
import type { ProtocolName } from '../../../src/models/providers/protocols.ts'
import { openModel } from '../../../src/models/resolve/open.ts'
import type { ModelSpec } from '../../../src/models/resolve/spec.ts'
import { createGates } from '../../../src/models/retry/gates.ts'
import { type Act, type ModelDouble, modelDouble } from './server.ts'

export const KEY = 'key-of-the-double'
const clock = { now: () => Date.now() }

export const tools: EngineLoopTool[] = ['read', 'ls'].map(name => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}))

export const history: EngineLoopMessage[] = [
  { role: 'system', content: 'You are careful.' },
  { role: 'user', content: 'Look at a and b.' },
]

export interface DoubleClient {
  model: Model
  client: EngineLoopClient
  double: ModelDouble
  parts: ModelPart[]
  waits: number[]
}

/** A client whose model is a server that acts as it is told. */
export async function clientOf(
  { name, base }: { name: ProtocolName; base: string },
  acts: Act[],
  { model = 'm', ...more }: Partial<Omit<ModelClientOptions, 'model'>> & { model?: string } = {},
): Promise<DoubleClient> {
  const double = await modelDouble(acts)
  return { double, ...(await clientAt({ protocol: name, baseUrl: `${double.url}${base}`, model }, more)) }
}

/** A model of which nothing is known but where it is. */
export function specAt(at: ModelSpec['at'], model = 'm'): ModelSpec {
  return {
    name: 'double',
    model,
    context: 1000,
    reply: undefined,
    prices: undefined,
    strategy: 'transcript',
    dialect: 'native',
    local: true,
    at,
  }
}

export async function clientAt(
  { protocol, baseUrl, model = 'm' }: { protocol: ProtocolName; baseUrl: string; model?: string },
  more: Partial<Omit<ModelClientOptions, 'model'>> = {},
): Promise<Omit<DoubleClient, 'double'>> {
  const opened = await openModel(specAt({ protocol, baseUrl, key: { env: 'KEY' } }, model), {
    clock,
    keys: { env: { KEY }, vault: () => Promise.reject(new Error('none')) },
  })
  const parts: ModelPart[] = []
  const waits: number[] = []
  const client = createModelClient({
    model: opened,
    gates: createGates(),
    clock,
    random: () => 0,
    onPart: part => parts.push(part),
    onRetry: ({ waitMs }) => waits.push(waitMs),
    ...more,
  })
  return { model: opened, client, parts, waits }
}
