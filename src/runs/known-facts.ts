import { relative } from 'node:path'
import { dataIn } from '../context/foreign-text.ts'
import type { KnownFacts } from '../context/transcript/known.ts'
import { type Event, isTakenOut } from '../kernel/event.ts'
import { isPlainObject, parseJson } from '../kernel/json.ts'
import type { KeptText } from '../kernel/kept-text.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Attempt } from './attempt.ts'
import { roundOf } from './history.ts'

type FromRecord = Omit<KnownFacts, 'verify' | 'scope'>

/** C-76: what QED itself knows of a run, from its events and attempts and never from what the model said. */
export function knownFacts(all: readonly Event[], attempts: readonly Attempt[], at: { root: string; read: Blobs['read'] }): FromRecord {
  const events = all.filter(event => !isTakenOut(event))
  const starts = events.filter(({ type }) => type === 'loop.started')
  const newest = starts.at(-1)
  const textOf = ({ data }: Event): string => at.read(data['user'] as KeptText)
  return {
    prompt: starts
      .filter(start => !isToMend(start))
      .map(textOf)
      .join('\n\n'),
    findings: newest && isToMend(newest) ? textOf(newest) : null,
    changed: changedBy(attempts, at.root),
    failed: lastFailed(events, at.read),
    left: leftOf(newest, events),
  }
}

// What a proof found is said as the prompt of the loop that is to mend it.
function isToMend({ data }: Event): boolean {
  return roundOf(data) > 1
}

function changedBy(attempts: readonly Attempt[], root: string): KnownFacts['changed'] {
  const files = new Map<string, { before: string | null; after: string | null }>()
  for (const { status, effect, paths } of attempts) {
    if (status !== 'succeeded' || effect !== 'write') continue
    for (const { path, before, after } of paths) files.set(path, { before: (files.get(path) ?? { before }).before, after })
  }
  return [...files].flatMap(([path, { before, after }]) => (before === after ? [] : [{ path: relative(root, path), digest: after }]))
}

function lastFailed(events: readonly Event[], read: Blobs['read']): KnownFacts['failed'] {
  const commands = new Map<string, string>()
  let failed: { command: string; result: KeptText } | null = null
  for (const { type, data } of events) {
    const call = data['call'] as string
    // An id may come again in a later turn, for another tool.
    if (type === 'call.requested') commands.delete(call)
    if (type === 'call.requested' && data['name'] === 'bash') commands.set(call, commandOf(read(data['arguments'] as KeptText)))
    // What policy refused never ran.
    if (type === 'call.decided' && data['verdict'] === 'deny') commands.delete(call)
    const command = type === 'call.settled' ? commands.get(call) : undefined
    if (command === undefined) continue
    if (data['ok'] !== true) failed = { command, result: data['result'] as KeptText }
    else if (failed?.command === command) failed = null
  }
  return failed && { command: failed.command, output: dataIn(read(failed.result)) }
}

function commandOf(args: string): string {
  const parsed = parseJson(args)
  return isPlainObject(parsed) && typeof parsed['command'] === 'string' ? parsed['command'] : args
}

/** What the newest loop was given, less what it has used. */
function leftOf(start: Event | undefined, events: readonly Event[]): KnownFacts['left'] {
  const { maxToolCalls = 0, maxTokens = 0 } = (start?.data['budget'] ?? {}) as { maxToolCalls?: number; maxTokens?: number }
  const since = events.filter(({ seq }) => seq > (start?.seq ?? 0))
  const used = since.findLast(({ type, data }) => type === 'checkpoint.saved' && data['label'] === 'turn')
  const summaries = since.filter(({ type, seq }) => type === 'summary.received' && seq > (used?.seq ?? 0))
  const tokens = summaries.reduce((sum, { data }) => sum + Number(data['tokens']), Number(used?.data['tokensUsed'] ?? 0))
  return {
    toolCalls: Math.max(0, maxToolCalls - Number(used?.data['toolCallCount'] ?? 0)),
    tokens: Math.max(0, maxTokens - tokens),
  }
}
