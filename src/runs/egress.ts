// I-13: what left this machine for which model provider, told from the log of a run alone. Whatever is in the context is sent with
// every request; an item counts once per provider, and all that was sent before goes to a provider that takes over.
import { type Event, isTakenOut } from '../kernel/event.ts'
import { isPlainObject, type Json, parseJson } from '../kernel/json.ts'
import type { KeptText } from '../kernel/kept-text.ts'
import { sha256 } from '../kernel/sha256.ts'

interface Measured {
  /** Of the file as it was, or of the text that was sent. */
  sha256: string | null
  bytes: number
}

interface SentFile extends Measured {
  path: string
  /** Times that something of it came into the context. */
  times: number
  providers: string[]
}

interface SentText extends Measured {
  kind: 'system' | 'prompt' | 'result' | 'notice' | 'reply'
  /** The tool and what it was called for; empty for what QED or the person wrote. */
  from: string
  times: number
  providers: string[]
}

export interface Egress {
  providers: { provider: string; model: string; requests: number }[]
  files: SentFile[]
  other: SentText[]
  /** Bytes of files and of other data, each counted once per item that came into the context. */
  totals: { files: number; bytes: number }
  /** Events of the run that a person took out since: what they told of is not listed. */
  redacted?: number
}

type Item = { file: string } & Measured
type Text = Pick<SentText, 'kind' | 'from'> & Measured

/** Everything that was sent, in the order in which it first was. */
export function egressOf(events: readonly Event[]): Egress {
  const ledger = createLedger()
  const calls = new Map<string, string>()
  let instructions: Item[] = []
  const redacted = events.filter(isTakenOut).length
  for (const { type, data } of events.filter(event => !isTakenOut(event))) {
    switch (type) {
      case 'run.started':
        ledger.turnTo(providerIn(data, word(data['model'])), word(data['model']))
        instructions = fileItems(data['instructions'])
        break
      case 'run.resumed':
        // With the model of before, unless a person named another.
        if (data['model'] !== undefined) ledger.turnTo(providerIn(data, word(data['model'])), word(data['model']))
        break
      case 'loop.started':
        if (data['continues'] !== true) for (const item of systemItems(data['system'] as KeptText, instructions)) ledger.add(item)
        ledger.add(textItem('prompt', '', data['user'] as KeptText))
        break
      case 'call.requested':
        calls.set(data['call'] as string, `${word(data['name'])}${targetOf(data['arguments'] as KeptText)}`)
        break
      case 'call.settled':
        for (const item of resultItems(data, calls.get(data['call'] as string) ?? '')) ledger.add(item)
        break
      case 'turn.received':
        ledger.hold(replyItem(data))
        break
      case 'checkpoint.saved':
        for (const item of noticeItems(data['frames'])) ledger.add(item)
        break
      case 'turn.requested':
      case 'summary.requested':
        if (wasSent(data)) ledger.send()
        break
      case 'model.changed':
        ledger.turnTo(providerIn(data, word(data['to'])), word(data['to']))
        if (wasSent(data)) ledger.send()
        break
      default:
        break
    }
  }
  return { ...ledger.read(), ...(redacted > 0 && { redacted }) }
}

// A request for which nothing could be reserved stayed here; older logs know of no reservations.
function wasSent(data: Event['data']): boolean {
  return data['reservation'] !== null
}

function createLedger() {
  const providers: Egress['providers'] = []
  const sent = new Map<string, SentFile | SentText>()
  let waiting: (Item | Text)[] = []
  /** What the model itself said: it goes out only to another one. */
  let held: Text[] = []
  let provider = ''
  let model = ''
  let lastReader = ''
  /** Whoever takes over gets the whole conversation. */
  const takeOver = (): void => {
    for (const item of sent.values()) if (!item.providers.includes(provider)) item.providers.push(provider)
    waiting.push(...held)
    held = []
  }
  const note = (item: Item | Text): void => {
    const key = 'file' in item ? `file ${item.file} ${item.sha256}` : `${item.kind} ${item.from} ${item.sha256}`
    const known = sent.get(key)
    if (known) {
      known.times++
      known.bytes += item.bytes
      if (!known.providers.includes(provider)) known.providers.push(provider)
      return
    }
    const common = { sha256: item.sha256, bytes: item.bytes, times: 1, providers: [provider] }
    sent.set(key, 'file' in item ? { path: item.file, ...common } : { kind: item.kind, from: item.from, ...common })
  }
  return {
    add: (item: Item | Text): void => void waiting.push(item),
    hold: (item: Text): void => void held.push(item),
    turnTo: (next: string, name: string): void => {
      provider = next
      model = name
    },
    send: (): void => {
      if (lastReader !== '' && lastReader !== provider) takeOver()
      lastReader = provider
      const known = providers.find(other => other.provider === provider && other.model === model)
      if (known) known.requests++
      else providers.push({ provider, model, requests: 1 })
      for (const item of waiting) note(item)
      waiting = []
    },
    read: (): Egress => {
      const all = [...sent.values()]
      const files = all.filter(item => 'path' in item)
      const other = all.filter(item => 'kind' in item)
      const paths = new Set(files.map(({ path }) => path))
      return { providers, files, other, totals: { files: paths.size, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) } }
    },
  }
}

function resultItems(data: Event['data'], from: string): (Item | Text)[] {
  const sources = fileItems(data['sources'])
  return sources.length === 0 ? [textItem('result', from, data['result'] as KeptText)] : sources
}

function fileItems(sources: Json | undefined): Item[] {
  return ((sources ?? []) as unknown as ({ path: string } & Measured)[]).map(({ path, sha256: digest, bytes }) => ({
    file: path,
    sha256: digest,
    bytes,
  }))
}

/** The instructions of the project are files of their own; the rest is QED's. */
function systemItems(system: KeptText, instructions: Item[]): (Item | Text)[] {
  const whole = textItem('system', '', system)
  const ours = instructions.reduce((left, { bytes }) => left - bytes, whole.bytes)
  return [{ ...whole, bytes: Math.max(0, ours) }, ...instructions]
}

function replyItem(data: Event['data']): Text {
  const calls = (data['calls'] ?? []) as unknown as { arguments: KeptText }[]
  const texts = [data['content'] as KeptText, ...calls.map(call => call.arguments)].map(measured)
  const bytes = texts.reduce((sum, text) => sum + text.bytes, 0)
  return { kind: 'reply', from: '', sha256: sha256(texts.map(text => text.sha256).join('\n')), bytes }
}

/** Texts of QED's own: a result that reached the model otherwise than it was written, a notice, what stands for folded turns. */
function noticeItems(frames: Json | undefined): Text[] {
  return ((frames ?? []) as unknown as { from: string; frame?: { role: string; content: KeptText } }[]).flatMap(({ from, frame }) =>
    from === 'text' && frame && frame.role !== 'tool' ? [textItem('notice', '', frame.content)] : [],
  )
}

/** By its address: two servers can speak the same protocol. */
function providerIn(data: Event['data'], model: string): string {
  return word(data['provider_host'] ?? data['provider'] ?? model)
}

function word(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function textItem(kind: Text['kind'], from: string, text: KeptText): Text {
  return { kind, from, ...measured(text) }
}

function measured(text: KeptText): Measured {
  return typeof text === 'string' ? { sha256: sha256(text), bytes: Buffer.byteLength(text) } : { sha256: text.blob, bytes: text.bytes }
}

function targetOf(args: KeptText): string {
  if (typeof args !== 'string') return ''
  const parsed = parseJson(args)
  if (!isPlainObject(parsed)) return ''
  const target = parsed['path'] ?? parsed['command'] ?? parsed['pattern']
  return typeof target === 'string' ? ` ${target.slice(0, 200)}` : ''
}
