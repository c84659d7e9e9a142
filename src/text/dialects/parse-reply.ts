import { canonicalJson } from '../../kernel/json.ts'
import { firstIndex } from '../first-index.ts'
import type { FoundCall } from './finish-call.ts'
import { reject } from './finish-call.ts'
import { MOST_BYTES, MOST_CALLS } from './limits.ts'
import { warning } from './raw-call.ts'
import { readReply } from './read-reply.ts'
import { newReading, type Reading } from './reading.ts'
import { toolsOf } from './tools.ts'
import type { Call, ParsedReply, ParseOptions, RejectedCall } from './types.ts'
import { cutToBytes } from './utf8.ts'

/** Finds the tool calls in a reply. Never throws, whatever the text; time grows with its length only.
 *  `calls` may run; `rejected` never may. */
export function parseReply(text: string | null | undefined, options: ParseOptions = {}): ParsedReply {
  const whole = text ?? ''
  const kept = cutToBytes(whole, MOST_BYTES)
  const reading = newReading(kept, options.dialect ?? 'auto', toolsOf(options.tools))
  readReply(reading)
  if (kept.length < whole.length) refuseAtCut(reading)
  const ordered = withoutEchoes(
    reading,
    reading.found.toSorted((a, b) => a.span[0] - b.span[0]),
  )
  const listed = withIds(capped(reading, ordered))
  const thinking = thinkingOf(reading)
  return {
    calls: listed.flatMap(({ call, found }) => (found.status === 'ok' ? [call] : [])),
    rejected: listed.flatMap(({ call, found }): RejectedCall[] =>
      found.status === 'ok' ? [] : [{ ...call, status: found.status, message: found.message }],
    ),
    text: proseOf(reading),
    ...(thinking !== undefined && { thinking }),
    warnings: reading.warnings.toSorted((a, b) => a.at - b.at),
  }
}

function refuseAtCut(reading: Reading): void {
  for (const call of reading.found)
    if (call.span[1] >= reading.end)
      reject(call, 'incomplete', `The reply was too long and ${call.name} was cut off. Send the call again in a shorter reply.`)
  reading.warnings.push(warning('too_long', `The reply is longer than ${MOST_BYTES} bytes; the rest was not read.`, reading.end))
}

/** A call written twice in a row, as a tag and in a provider's notation, is one call. */
function withoutEchoes(reading: Reading, ordered: FoundCall[]): FoundCall[] {
  const isBlankBetween = blankTest(reading)
  const kept: FoundCall[] = []
  for (const call of ordered) {
    const before = kept.at(-1)
    if (!before || !isEcho(before, call) || !isBlankBetween(before.span[1], call.span[0])) kept.push(call)
  }
  return kept
}

function isEcho(before: FoundCall, call: FoundCall): boolean {
  const mixed = (before.source === 'tag') !== (call.source === 'tag')
  const alike = mixed && before.name === call.name && before.status === 'ok' && call.status === 'ok'
  return alike && canonicalJson(before.arguments) === canonicalJson(call.arguments)
}

/** Whether only blanks and what left the prose stand between two positions; to be asked from the left to the right. */
function blankTest({ text, removed }: Reading): (from: number, to: number) => boolean {
  let next = 0
  return (from, to) => {
    let at = from
    while (next < removed.length && (removed[next]?.[1] ?? 0) <= from) next++
    for (let i = next; i < removed.length; i++) {
      const [start, end] = removed[i] ?? [to, to]
      if (start >= to) break
      if (text.slice(at, Math.max(at, start)).trim() !== '') return false
      at = Math.max(at, end)
    }
    return text.slice(at, to).trim() === ''
  }
}

/** What is dropped leaves one warning, not its own. */
function capped(reading: Reading, ordered: FoundCall[]): FoundCall[] {
  const dropped = ordered.slice(MOST_CALLS)
  const [first] = dropped
  if (first) {
    const callAt = (at: number): FoundCall | undefined => dropped[firstIndex(dropped.length, i => (dropped[i]?.span[1] ?? 0) > at)]
    reading.warnings = reading.warnings.filter(({ at }) => (callAt(at)?.span[0] ?? at + 1) > at)
    const message = `A reply may have ${MOST_CALLS} calls; the last ${dropped.length} were dropped. Send them in the next reply.`
    reading.warnings.push(warning('call_cap', message, first.span[0]))
  }
  return ordered.slice(0, MOST_CALLS)
}

function withIds(ordered: FoundCall[]): { call: Call; found: FoundCall }[] {
  const written = new Map<string, number>()
  for (const { id } of ordered) if (id !== undefined) written.set(id, (written.get(id) ?? 0) + 1)
  let made = 0
  return ordered.map(found => {
    const own = found.id !== undefined && found.id !== '' && written.get(found.id) === 1 ? found.id : undefined
    let id = own
    while (id === undefined) {
      const next = `call_${++made}`
      if (written.get(next) !== 1) id = next
    }
    const { name, source, span } = found
    return { call: { id, name, arguments: found.arguments, source, span }, found }
  })
}

function proseOf({ text, removed, end }: Reading): string {
  const parts: string[] = []
  let at = 0
  for (const [start, stop] of removed) {
    if (start > at) parts.push(text.slice(at, start))
    at = Math.max(at, stop)
  }
  parts.push(text.slice(at, end))
  return parts
    .join('')
    .replace(/(?:\r?\n){3,}/g, '\n\n')
    .trim()
}

function thinkingOf({ text, thoughts }: Reading): string | undefined {
  const parts = thoughts.map(({ inner }) => text.slice(...inner).trim()).filter(part => part !== '')
  return parts.length === 0 ? undefined : parts.join('\n\n')
}
