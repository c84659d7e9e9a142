// Spans and measurements by the GenAI conventions of OpenTelemetry, made from the events that runs and proofs write anyway: names,
// numbers and verdicts, never the words of a prompt, an argument or a result.
import type { Event } from '../../kernel/event.ts'
import { isPlainObject, type JsonObject } from '../../kernel/json.ts'
import { version } from '../../kernel/version.ts'
import type { Attributes, OpenSpan, TelemetryOut } from './port.ts'

interface Call {
  name: string
  verdict: string | null
  rule: string | null
}

interface FollowedRun {
  span: OpenSpan
  model: Attributes
  turn: { span: OpenSpan; at: number; data: JsonObject } | null
  calls: Map<string, Call>
  tokens: { input: number; output: number }
}

interface Heard {
  /** What the stream is about: a run or a proof. */
  id: string
  at: number
  data: JsonObject
}

/** Follows runs and proofs by their events. */
export function createFollower(out: TelemetryOut): (event: Event) => void {
  const runs = new Map<string, FollowedRun>()
  const proofs = new Map<string, OpenSpan>()
  const inRun =
    (hear: (run: FollowedRun, heard: Heard) => void): ((heard: Heard) => void) =>
    heard => {
      const run = runs.get(heard.id)
      if (run) hear(run, heard)
    }
  const begin = (heard: Heard): void => {
    runs.set(heard.id, beginRun(heard, out))
  }
  const hearers: Record<string, (heard: Heard) => void> = {
    'run.started': begin,
    'run.resumed': begin,
    'turn.requested': inRun((run, heard) => beginTurn(run, heard, out)),
    'turn.received': inRun((run, heard) => endTurn(run, heard, out)),
    'turn.failed': inRun((run, heard) => endTurn(run, heard, out)),
    'summary.requested': inRun((run, heard) => beginTurn(run, heard, out)),
    'summary.received': inRun((run, heard) => endTurn(run, { ...heard, data: asReply(heard.data) }, out)),
    'model.changed': inRun((run, heard) => changeModel(run, heard, out)),
    'call.requested': inRun((run, { data }) => run.calls.set(text(data['call']), { name: text(data['name']), verdict: null, rule: null })),
    'call.decided': inRun((run, { data }) => {
      const call = run.calls.get(text(data['call']))
      if (call) Object.assign(call, { verdict: text(data['verdict']), rule: text(data['rule']) })
    }),
    'call.settled': inRun((run, heard) => toolSpan(run, heard, out)),
    'run.stopped': inRun((run, heard) => {
      runs.delete(heard.id)
      endRun(run, heard)
    }),
    'proof.started': heard => {
      // A proof that names no run belongs to the one run there is; among several nobody can tell.
      const [only, ...others] = runs.values()
      const run = runs.get(text(heard.data['run'])) ?? (others.length === 0 ? only : undefined)
      const attributes = { 'qed.proof.id': heard.id, 'qed.proof.kind': text(heard.data['kind']) }
      proofs.set(heard.id, out.start({ name: 'prove', kind: 'internal', at: heard.at, parent: run?.span ?? null, attributes }))
    },
    'proof.settled': heard => {
      const { verdict, causes } = heard.data
      proofs.get(heard.id)?.set({ 'qed.proof.verdict': text(verdict), 'qed.proof.causes': (causes ?? []) as string[] })
      endProof(heard, undefined)
    },
    'proof.interrupted': heard => endProof(heard, 'interrupted'),
  }
  const endProof = ({ id, at }: Heard, error: string | undefined): void => {
    proofs.get(id)?.end(at, error)
    proofs.delete(id)
  }
  return ({ stream, type, at, data }) => hearers[type]?.({ id: stream.slice(stream.indexOf(':') + 1), at: Date.parse(at), data })
}

const operation = (name: string): Attributes => ({ 'gen_ai.operation.name': name })

function modelOf({ provider, provider_model }: JsonObject): Attributes {
  return {
    'gen_ai.provider.name': PROVIDERS[text(provider)] ?? (text(provider) || 'unknown'),
    'gen_ai.request.model': text(provider_model) || 'unknown',
  }
}

function beginRun({ id, at, data }: Heard, out: TelemetryOut): FollowedRun {
  const model = modelOf(data)
  const attributes = {
    ...operation('invoke_agent'),
    ...model,
    'gen_ai.agent.name': 'qed',
    'gen_ai.agent.version': version,
    'gen_ai.conversation.id': id,
    ...(typeof data['kind'] === 'string' && { 'qed.run.kind': data['kind'] }),
  }
  const span = out.start({ name: 'invoke_agent qed', kind: 'internal', at, parent: null, attributes })
  return { span, model, turn: null, calls: new Map(), tokens: { input: 0, output: 0 } }
}

function endRun({ span, turn, tokens }: FollowedRun, { at, data }: Heard): void {
  const [status, outcome] = [text(data['status']), text(data['outcome'])]
  turn?.span.end(at, 'aborted')
  span.set({ 'qed.run.status': status, 'qed.run.outcome': outcome, ...usage(tokens) })
  span.end(at, status === 'completed' ? undefined : outcome)
}

function beginTurn(run: FollowedRun, { at, data }: Heard, out: TelemetryOut): void {
  run.turn?.span.end(at, 'aborted')
  const name = `chat ${text(run.model['gen_ai.request.model'])}`
  const attributes = { ...operation('chat'), ...run.model, 'qed.turn': Number(data['turn']) }
  run.turn = { at, data, span: out.start({ name, kind: 'client', at, parent: run.span, attributes }) }
}

/** The model that was asked has failed, and another one is asked for the same turn. */
function changeModel(run: FollowedRun, { id, at, data }: Heard, out: TelemetryOut): void {
  const asked = run.turn?.data
  if (asked) endTurn(run, { id, at, data: { code: codeIn(data['why']) } }, out)
  run.model = modelOf(data)
  if (asked) beginTurn(run, { id, at, data: asked }, out)
}

/** A summary as the reply of a turn; one that never came has no figures, and the reason begins with its code. */
function asReply({ usage: used = null, refused = null }: JsonObject): JsonObject {
  return { usage: used, stop: 'text', ...(used === null && refused !== null && { code: codeIn(refused) }) }
}

function codeIn(reason: unknown): string {
  return text(reason).split(':')[0] || 'failed'
}

function endTurn(run: FollowedRun, { at, data }: Heard, out: TelemetryOut): void {
  const { turn, model, tokens } = run
  if (!turn) return
  run.turn = null
  const error = typeof data['code'] === 'string' ? data['code'] : undefined
  const seen = { ...operation('chat'), ...model }
  out.measure('gen_ai.client.operation.duration', (at - turn.at) / 1_000, { ...seen, ...(error !== undefined && { 'error.type': error }) })
  if (isPlainObject(data['usage'])) {
    const used = { input: Number(data['usage']['prompt'] ?? 0), output: Number(data['usage']['completion'] ?? 0) }
    const { cached, cacheWrite } = data['usage']
    turn.span.set({
      ...usage(used),
      ...(Number(cached) > 0 && { 'gen_ai.usage.cache_read.input_tokens': Number(cached) }),
      ...(Number(cacheWrite) > 0 && { 'gen_ai.usage.cache_creation.input_tokens': Number(cacheWrite) }),
    })
    for (const type of ['input', 'output'] as const) {
      tokens[type] += used[type]
      out.measure('gen_ai.client.token.usage', used[type], { ...seen, 'gen_ai.token.type': type })
    }
  }
  if (error === undefined) turn.span.set({ 'gen_ai.response.finish_reasons': [finishOf(data)] })
  if (Number(data['retries']) > 0) turn.span.set({ 'qed.retries': Number(data['retries']) })
  turn.span.end(at, error)
}

/** Made when the call is over: only then is it known when it began, which may be long before it was decided. */
function toolSpan(run: FollowedRun, { at, data }: Heard, out: TelemetryOut): void {
  const id = text(data['call'])
  const call = run.calls.get(id)
  if (!call) return
  run.calls.delete(id)
  const attributes: Attributes = {
    ...operation('execute_tool'),
    'gen_ai.tool.name': call.name,
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.type': 'function',
    ...(call.verdict !== null && { 'qed.decision.verdict': call.verdict, 'qed.decision.rule': call.rule ?? '' }),
  }
  const start = at - Number(data['duration_ms'] ?? 0)
  const span = out.start({ name: `execute_tool ${call.name}`, kind: 'internal', at: start, parent: run.span, attributes })
  span.end(at, data['ok'] === true ? undefined : call.verdict === 'deny' ? 'denied' : 'tool_error')
}

function usage({ input, output }: { input: number; output: number }): Attributes {
  return { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output }
}

function finishOf({ stop, truncated }: JsonObject): string {
  return truncated === true ? 'length' : stop === 'tool_use' ? 'tool_call' : 'stop'
}

/** Where the conventions have another name for a provider than QED. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
