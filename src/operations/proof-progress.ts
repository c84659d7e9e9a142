import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { TreeRef } from '../proof/facts.ts'
import type { Proof } from '../proof/proof.ts'
import type { ProveProgress } from '../proof/prove.ts'
import { underHome, viewRuns } from '../proof/report/summary.ts'
import type { LiveText, Shown } from './operation.ts'
import type { Paint } from './paint.ts'

/** Progress of a proof as surfaces send it. */
export type ShownProgress =
  | { type: 'proof.captured'; data: { base: TreeRef; result: TreeRef; changed: number } }
  | { type: 'proof.planned'; data: { runs: string[] } }
  | { type: 'proof.preparing'; data: { command: string } }
  | { type: 'proof.prepared'; data: { command: string | null; outcome: string } }
  | { type: 'run.started'; data: { name: string; n: number } }
  | { type: 'run.output'; data: { name: string; n: number; text: string } }
  | { type: 'run.ended'; data: { name: string; n: number; exit: number | null; reason: string; duration_ms: number; reused: boolean } }
  | { type: 'run.tail'; data: { name: string; n: number; lines: string[]; file?: string } }

export function shown(event: ProveProgress): ShownProgress {
  switch (event.kind) {
    case 'captured':
      return { type: 'proof.captured', data: { base: event.subject.base, result: event.subject.result, changed: event.changed } }
    case 'planned':
      return { type: 'proof.planned', data: { runs: event.plan.required } }
    case 'preparing':
      return { type: 'proof.preparing', data: { command: event.command } }
    case 'prepared':
      return { type: 'proof.prepared', data: { command: event.prepare.command, outcome: event.prepare.outcome } }
    case 'run.started':
      return { type: 'run.started', data: { name: event.name, n: event.n } }
    case 'run.output':
      return { type: 'run.output', data: { name: event.name, n: event.n, text: event.text } }
    case 'run.ended': {
      const { name, n, exit, reason, duration_ms, reused = false } = event.run
      return { type: 'run.ended', data: { name, n, exit, reason, duration_ms, reused } }
    }
  }
}

const RUNS: Record<string, string> = {
  base: 'before the work',
  half: 'only the new tests',
  broken: 'code emptied',
  result: 'the result',
  vary: 'another time and place',
}

const nameOf = (name: string, n = 1): string => `${RUNS[name] ?? name}${n > 1 ? `, ${n}` : ''}`

const DEPENDENCIES: Record<string, string> = { made: 'made', reused: 'known from before', failed: 'could not be made' }

/** What a person sees of a proof that is being made: lines, or on a terminal what is going on. A tail of output stays on both. */
export function proofShown(event: ShownProgress, paint: Paint): Shown {
  const live = liveProgress(event)
  return live ? { plain: progressLine(event, paint), live } : { print: progressLine(event, paint) }
}

/** One line of progress while a proof is made; empty where there is nothing to say. */
function progressLine({ type, data }: ShownProgress, paint: Paint): string {
  const { dim } = paint
  switch (type) {
    case 'proof.captured':
      return dim(`captured: ${data.changed} ${data.changed === 1 ? 'path' : 'paths'} changed since ${data.base.commit.slice(0, 8)}`)
    case 'proof.preparing':
      return dim(`dependencies: ${data.command}`)
    case 'proof.prepared':
      return data.command === null ? '' : dim(`dependencies: ${DEPENDENCIES[data.outcome] ?? data.outcome}`)
    case 'run.started':
      return dim(`running: ${nameOf(data.name, data.n)}`)
    case 'run.ended': {
      const how = data.exit === null ? data.reason : `exit ${data.exit}`
      return dim(
        data.reused
          ? `${nameOf(data.name)}: ${how}, known from an earlier proof`
          : `  ended with ${how} after ${(data.duration_ms / 1000).toFixed(1)} s`,
      )
    }
    case 'run.tail':
      return [
        paint.bold(`Last lines of ${data.name}`),
        ...data.lines.map(line => `  ${line}`),
        ...(data.file === undefined ? [] : [dim(`  all of it: ${underHome(data.file, paint.home)}`)]),
        '',
      ].join('\n')
    default:
      return ''
  }
}

/** What is going on after an event; a tail of output is no such thing and stays on the screen. */
function liveProgress({ type, data }: ShownProgress): LiveText | undefined {
  switch (type) {
    case 'proof.captured':
    case 'proof.planned':
      return { label: 'looking at the change' }
    case 'proof.preparing':
      return { label: 'dependencies', detail: data.command }
    case 'proof.prepared':
      return { label: 'making a clean checkout' }
    case 'run.started':
      return { label: nameOf(data.name, data.n) }
    case 'run.output':
      return { label: nameOf(data.name, data.n), detail: lastLine(data.text) }
    case 'run.ended':
      return { label: 'judging' }
    case 'run.tail':
      return undefined
  }
}

const lastLine = (text: string): string => linesOf(text).at(-1)?.trim() ?? ''

const linesOf = (text: string): string[] =>
  stripVTControlCharacters(text)
    .split(/\r?\n|\r/)
    .filter(line => line.trim() !== '')

/** As many last lines tell what went wrong without pushing the verdict off the screen. */
const TAIL_LINES = 20
const TAIL_CHARS = 16 << 10

/** The last lines that each run printed: a proof keeps its outputs as files, and a person wants to see why at once. */
export class Tails {
  readonly #texts = new Map<string, string>()

  take(event: ProveProgress): void {
    if (event.kind === 'run.output') this.#add(event, event.text)
    // What never started has printed nothing; why is all there is to tell.
    if (event.kind === 'run.ended' && event.run.reason === 'not-started') this.#add(event.run, event.run.stderr.text)
  }

  #add({ name, n }: { name: string; n: number }, text: string): void {
    const key = `${name} ${n}`
    this.#texts.set(key, `${this.#texts.get(key) ?? ''}${text}`.slice(-TAIL_CHARS))
  }

  /** The tail of the first run that failed and should not have; undefined where there is none, or it printed nothing. */
  worst(proof: Proof): ShownProgress | undefined {
    const wrong = viewRuns(proof).find(({ asWanted, colour }) => !asWanted && colour !== 'green')
    if (!wrong) return undefined
    const { name, n } = wrong.run
    const lines = linesOf(this.#texts.get(`${name} ${n}`) ?? '').slice(-TAIL_LINES)
    if (lines.length === 0) return undefined
    const file = proof.bundle === '' ? {} : { file: join(proof.bundle, 'runs', `${name}-${n}.*`) }
    return { type: 'run.tail', data: { name, n, lines, ...file } }
  }
}
