import { isReadingKind } from '../engine/budgets.ts'
import type { EngineCommandKind } from '../engine/types.ts'
import type { JsonObject } from '../kernel/json.ts'
import { visibleLine } from '../kernel/visible.ts'
import type { Proof } from '../proof/proof.ts'
import { judgedForPerson } from '../proof/report/person.ts'
import type { Approval } from '../runs/approval.ts'
import type { RunEvent } from '../runs/follow.ts'
import { roundOf } from '../runs/history.ts'
import { answerCommands } from './approval-words.ts'
import { cut } from './fit-record.ts'
import type { Shown, View } from './operation.ts'
import type { Paint } from './paint.ts'
import { proofShown, type ShownProgress } from './proof-progress.ts'
import { argumentsOf, callLines, plainOutput, type ShownCall, targetOf, textOf } from './run-lines.ts'
import { emptyTally, modelName, type Tally, tallied, tallyLine } from './run-tally.ts'

// What a person sees of a run while it works, made from its events alone: text as it comes in, one line per call with what it
// changed or printed, the proof, and what is used of the budget.

/** Most characters of a call's output that are kept for its last lines. */
const KEPT_OUTPUT = 16 << 10

interface Screen {
  paint: Paint
  live: boolean
  tally: Tally
  /** What is going on. */
  label: string
  call: ShownCall | null
  /** What the model wrote in its last turn. */
  text: string
  thought: string
  /** A model that writes its calls as tags is shown when its reply was read; what comes in pieces is not meant for people. */
  isTagged: boolean
  /** Where there is no live line: text of the last turn, kept until it shows that it is not the answer, which stands on stdout. */
  held: string
}

export interface RunView {
  take: View['take']
  /** Whether a text is what the model wrote last and stands on the screen. */
  hasShown: (text: string) => boolean
}

export function createRunView(paint: Paint, { live }: { live: boolean }): RunView {
  const screen: Screen = { paint, live, tally: emptyTally, label: 'starting', call: null, text: '', thought: '', isTagged: false, held: '' }
  return {
    take: event => {
      const { type, data } = event as RunEvent
      screen.tally = tallied(screen.tally, type, data)
      const shown = TAKES[type]?.(screen, data) ?? {}
      return { live: { label: screen.label, detail: tallyLine(screen.tally) }, ...shown }
    },
    hasShown: text => live && text.trim() !== '' && screen.text.trim() === text.trim(),
  }
}

/** What the stored events of a run tell, as it was seen while it worked, and what it said in the end. */
export function timeline(events: readonly (RunEvent & { seq: number })[], paint: Paint): string[] {
  const { take } = createRunView(paint, { live: false })
  // An event of two kinds happened once.
  const shown = events.flatMap((event, i) => {
    if (event.seq === events[i - 1]?.seq) return []
    const { print = '', plain = '' } = take(event)
    return event.type === 'run.stopped' ? stopLines(event.data, paint) : [print, plain]
  })
  return shown.filter(text => text !== '')
}

function stopLines({ outcome, reason, text }: JsonObject, { dim }: Paint): string[] {
  return [text ? `\n${textOf(text)}` : '', dim(`ended: ${[outcome, reason].map(textOf).filter(Boolean).join(', ')}`)]
}

/** One row per kind of event; what is not here is not shown. */
const TAKES: Readonly<Record<string, (screen: Screen, data: JsonObject) => Shown>> = {
  'run.started': (screen, data) => {
    screen.isTagged = data['dialect'] === 'tags'
    return { print: screen.paint.dim(whatHolds(data)) }
  },
  'run.resumed': (screen, data) => {
    screen.isTagged = data['dialect'] === 'tags'
    const why = `The run goes on ${data['says'] === true ? 'with what more was said' : 'where it was broken off'}`
    return { print: screen.paint.dim(data['kind'] === undefined ? `${why}.` : `${why}: ${whatHolds(data)}`) }
  },
  // What was held back is the answer, which is told with the end.
  'run.stopped': screen => {
    screen.held = ''
    return {}
  },
  'loop.started': (screen, data) =>
    roundOf(data) > 1
      ? lines(screen, screen.paint.careful(`${screen.paint.glyph.arrow} The findings go back to the model: round ${roundOf(data)}`))
      : {},
  'turn.requested': screen => {
    Object.assign(screen, { label: 'waiting for the model', text: '', thought: '' })
    return lines(screen)
  },
  'model.delta': takeDelta,
  'turn.received': takeReply,
  'model.retry': (screen, { status, kind, waitMs }) => {
    const why = status === null ? textOf(kind) : `${textOf(kind)}, ${textOf(status)}`
    return lines(
      screen,
      screen.paint.careful(`${screen.paint.glyph.warn} The model provider did not answer (${why}). Again in ${seconds(waitMs)}.`),
    )
  },
  'isolation.degraded': (screen, { what }) =>
    lines(
      screen,
      screen.paint.careful(`${screen.paint.glyph.warn} Commands do not have the walls they should: ${visibleLine(textOf(what))}`),
    ),
  'model.changed': (screen, { from, to, why, scripted }) => {
    const next = modelName(textOf(to), scripted === true)
    return lines(screen, screen.paint.careful(visibleLine(`${textOf(from)} failed (${textOf(why)}); going on with ${next}`)))
  },
  'turn.failed': (screen, { message }) => lines(screen, `${screen.paint.careful(screen.paint.glyph.warn)} ${visibleLine(textOf(message))}`),
  'call.requested': (screen, { name, arguments: kept }) => {
    screen.call = { name: textOf(name), arguments: argumentsOf(kept), asked: null, denied: null, changes: [], output: '' }
    screen.label = `${textOf(name)} ${cut(targetOf(screen.call), 40)}`.trim()
    return lines(screen)
  },
  'call.decided': ({ call }, { verdict, rule, reason }) => {
    if (call && verdict === 'deny') call.denied = { rule: textOf(rule), reason: textOf(reason) }
    if (call && verdict === 'ask') call.asked = textOf(rule)
    return {}
  },
  'approval.resolved': ({ call }, { resolution, reason }) => {
    if (!call?.asked || resolution === 'approved') return {}
    const said = resolution === 'rejected' ? 'The person said no' : 'The question was taken back'
    call.denied = { rule: call.asked, reason: `${said}${reason ? `: ${textOf(reason)}` : '.'}` }
    return {}
  },
  // Nobody is asked here: it is said how to answer elsewhere.
  'approval.waiting': (screen, data) => {
    const approval = data as unknown as Approval
    return lines(screen, screen.paint.careful(`${screen.paint.glyph.warn} waits for an answer: ${answerCommands(approval)}`))
  },
  'call.changed': ({ call }, change) => {
    call?.changes.push(change)
    return {}
  },
  'call.output': (screen, { text }) => {
    if (!screen.call) return {}
    screen.call.output = `${screen.call.output}${textOf(text)}`.slice(-KEPT_OUTPUT)
    const last = plainOutput(screen.call.output).trimEnd().split('\n').at(-1) ?? ''
    return { live: { label: screen.label, detail: last } }
  },
  'call.settled': (screen, data) => {
    const { call, paint } = screen
    if (!call) return {}
    Object.assign(screen, { call: null, label: 'working' })
    return { print: call.name === 'update' ? said(call, paint) : callLines(call, data, paint) }
  },
  'proof.progress': (screen, { step, ...data }) => {
    const { live, ...shown } = proofShown({ type: step, data } as unknown as ShownProgress, screen.paint)
    if (live) screen.label = `proof: ${live.label}`
    const before = lines(screen)
    return { ...shown, ...before, live: { label: screen.label, detail: live?.detail ?? '' } }
  },
  'proof.judged': (screen, data) => lines(screen, judgedForPerson(data as unknown as Proof, screen.paint)),
}

function whatHolds({ kind, model, scripted, scope }: JsonObject): string {
  const may = isReadingKind(kind as EngineCommandKind)
    ? 'reads only'
    : Array.isArray(scope)
      ? `may write ${scope.map(textOf).join(', ')}`
      : 'asks first'
  return `${textOf(kind)} with ${modelName(textOf(model), scripted === true)}, ${may}`
}

const seconds = (ms: unknown): string => `${(Number(ms) / 1000).toFixed(1)} s`

/** Lines that stay, after what was held back. */
function lines(screen: Screen, ...more: string[]): Shown {
  const all = [screen.held, ...more].filter(line => line !== '')
  screen.held = ''
  return all.length === 0 ? {} : { print: all.join('\n') }
}

function takeDelta(screen: Screen, { kind, text }: JsonObject): Shown {
  if (kind === 'thinking') {
    screen.thought += textOf(text)
    screen.label = 'the model thinks'
    return {}
  }
  if (kind !== 'text' || screen.isTagged) return {}
  const thought = thoughtLine(screen)
  const isFirst = screen.text === ''
  screen.text += textOf(text)
  screen.label = 'the model answers'
  if (!screen.live) return thought
  return { ...thought, piece: isFirst ? `\n${textOf(text).trimStart()}` : textOf(text) }
}

/** What the model thought, in one line. */
function thoughtLine(screen: Screen): Shown {
  const { thought, paint } = screen
  screen.thought = ''
  return thought.trim() === ''
    ? {}
    : { print: paint.dim(cut(visibleLine(`thinking: ${thought.trim().replace(/\s+/g, ' ')}`), paint.width - 2)) }
}

function takeReply(screen: Screen, { calls, content }: JsonObject): Shown {
  const { live, isTagged, paint, tally } = screen
  const thought = thoughtLine(screen)
  screen.text = textOf(content)
  const text = screen.text.trim() === '' ? '' : `\n${screen.text.trim()}`
  if (live) return { ...thought, ...(isTagged && { piece: text }) }
  screen.held = text
  const goesOn = Array.isArray(calls) && calls.length > 0 ? lines(screen) : {}
  const print = [thought.print, goesOn.print].filter(part => part !== undefined).join('\n')
  return { print, plain: paint.dim(tallyLine(tally)) }
}

/** The model's own word on where it stands is a claim, and shown as one. */
function said({ arguments: given }: ShownCall, { accent, glyph }: Paint): string {
  const { status, body } = (given ?? {}) as { status?: number; body?: string }
  const claim = status === undefined || status === 102 ? 'says' : status === 422 ? 'says it cannot' : 'says it is done'
  return `${accent(glyph.bullet)} the model ${claim}: ${visibleLine(body ?? '')}`
}
