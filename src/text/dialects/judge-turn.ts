// When a loop goes on and when it ends. A verdict is made from the facts of its turns alone; what is counted here is never
// shown to the model, only the notices are.
import { canonicalJson } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { DECLINED, isFinal, type Signal } from './signals.ts'
import type { Effect } from './types.ts'

/** One call of a turn and how it went. Signals are not among them. */
export interface TurnCall {
  name: string
  arguments: Record<string, unknown>
  effect: Effect
  ok: boolean
}

export interface TurnFacts {
  text: string
  calls: TurnCall[]
  signals: Signal[]
}

export interface Limits {
  turns: number
  stalls: number
  repetitions: number
  updateRepeats: number
}

export const defaultLimits: Limits = { turns: 99, stalls: 3, repetitions: 3, updateRepeats: 3 }

type StopReason = 'max_turns' | 'loop_detected' | 'stalled'

export interface Verdict {
  verdict: 'continue' | 'claim' | 'stop'
  reason?: StopReason | 'declined'
  /** For the model, as a result in its next turn. */
  notice?: string
  /** A claim that was not made in words. */
  silent?: true
}

const MOST_PERIOD = 4
const LAST_TURNS = 3

type GivenLimits = Partial<{ [K in keyof Limits]: Limits[K] | undefined }>

/** Judges the last of a loop's turns. */
export function judgeTurn(turns: readonly TurnFacts[], limits: GivenLimits = {}): Verdict {
  return createTurnJudge(limits)(turns)
}

/** Judges one loop turn by turn. Asked with the turns so far each time, it looks only at those that are new and at the few that
 *  the rules compare with them, so that a long loop is judged as fast as a short one. */
export function createTurnJudge(limits: GivenLimits = {}): (turns: readonly TurnFacts[]) => Verdict {
  const within = withDefaults(limits)
  const progressOf = createProgress()
  return turns => {
    const last = turns.at(-1)
    if (!last) return { verdict: 'continue' }
    const progress = progressOf(turns)
    const said = saidByTurn(last)
    if (said.verdict === 'claim') return said
    for (const { reason, fits } of stops) if (fits(turns, progress, within)) return { verdict: 'stop', reason }
    return withNotice(said, turnsLeftNotice(within.turns - turns.length))
  }
}

/** A brief may only lower what is set for the project. */
export function lowerLimits(limits: Limits, brief: Partial<{ [K in keyof Limits]: Limits[K] | undefined }>): Limits {
  return {
    turns: Math.min(limits.turns, brief.turns ?? limits.turns),
    stalls: Math.min(limits.stalls, brief.stalls ?? limits.stalls),
    repetitions: Math.min(limits.repetitions, brief.repetitions ?? limits.repetitions),
    updateRepeats: Math.min(limits.updateRepeats, brief.updateRepeats ?? limits.updateRepeats),
  }
}

function withDefaults(limits: GivenLimits): Limits {
  return {
    turns: limits.turns ?? defaultLimits.turns,
    stalls: limits.stalls ?? defaultLimits.stalls,
    repetitions: limits.repetitions ?? defaultLimits.repetitions,
    updateRepeats: limits.updateRepeats ?? defaultLimits.updateRepeats,
  }
}

/** The first row that fits a turn says what it means. */
const meanings: { fits: (turn: TurnFacts) => boolean; says: (turn: TurnFacts) => Verdict }[] = [
  {
    fits: turn => turn.signals.some(isFinal) && turn.signals.some(signal => !isFinal(signal)),
    says: () => goOn('You said both that you are done and that you go on. Send one update with the status that holds.'),
  },
  {
    fits: turn => turn.signals.some(isFinal) && turn.calls.some(call => !call.ok),
    says: () => goOn('Your work does not count as done: a call of the same turn failed or did not run. Look at its result first.'),
  },
  {
    fits: turn => turn.signals.some(isFinal),
    says: turn => (turn.signals.findLast(isFinal)?.status === DECLINED ? { verdict: 'claim', reason: 'declined' } : { verdict: 'claim' }),
  },
  { fits: turn => turn.signals.length > 0, says: () => ({ verdict: 'continue' }) },
  { fits: turn => turn.calls.length > 0, says: () => goOn('Say where the work stands: send an update with each turn.') },
  { fits: turn => turn.text.trim() !== '', says: () => ({ verdict: 'claim', silent: true }) },
  { fits: () => true, says: () => goOn('Your reply was empty. Call a tool or give your answer.') },
]

function saidByTurn(turn: TurnFacts): Verdict {
  return meanings.find(({ fits }) => fits(turn))?.says(turn) ?? { verdict: 'continue' }
}

function goOn(notice: string): Verdict {
  return { verdict: 'continue', notice }
}

type StopRule = (turns: readonly TurnFacts[], progress: readonly boolean[], limits: Limits) => boolean

/** In the order in which they are asked. */
const stops: { reason: StopReason; fits: StopRule }[] = [
  { reason: 'max_turns', fits: (turns, _progress, limits) => turns.length >= limits.turns },
  { reason: 'loop_detected', fits: (turns, _progress, limits) => repeatsItself(turns, limits.repetitions) },
  { reason: 'stalled', fits: (turns, progress, limits) => repeatsUpdate(turns, progress, limits.updateRepeats) },
  {
    reason: 'stalled',
    fits: (turns, progress, limits) =>
      lastAll(turns, limits.stalls, (turn, index) => turn.signals.length === 0 && progress[index] === false),
  },
]

/** Which turns brought the work on: something was changed or run, or something was read that had not been read before. What is
 *  known of the turns of the last call is kept as long as the list goes on from them. */
function createProgress(): (turns: readonly TurnFacts[]) => readonly boolean[] {
  let before = new Set<string>()
  let progress: boolean[] = []
  let newest: TurnFacts | undefined
  return turns => {
    if (turns[progress.length - 1] !== newest) {
      before = new Set()
      progress = []
    }
    for (const turn of turns.slice(progress.length)) progress.push(bringsOn(turn, before))
    newest = turns.at(-1)
    return progress
  }
}

function bringsOn(turn: TurnFacts, before: Set<string>): boolean {
  let progress = false
  for (const call of turn.calls) {
    const key = callKey(call)
    if (call.ok && (call.effect !== 'read' || !before.has(key))) progress = true
    before.add(key)
  }
  return progress
}

// Each turn is compared with those after it.
const fingerprints = new WeakMap<TurnFacts, string>()

/** Equal for turns that made the same calls, in any order; undefined for a turn without calls. */
export function turnFingerprint(turn: TurnFacts): string | undefined {
  if (turn.calls.length === 0) return undefined
  const known = fingerprints.get(turn)
  if (known !== undefined) return known
  const fingerprint = sha256(turn.calls.map(callKey).sort().join('\n'))
  fingerprints.set(turn, fingerprint)
  return fingerprint
}

function callKey(call: TurnCall): string {
  return `${call.name} ${canonicalJson(call.arguments)}`
}

function repeatsItself(turns: readonly TurnFacts[], repetitions: number): boolean {
  const made = turns.slice(-MOST_PERIOD * repetitions).map(turnFingerprint)
  for (let period = 1; period <= MOST_PERIOD; period++) {
    const recent = made.slice(-period * repetitions)
    if (recent.length < period * repetitions || recent.includes(undefined)) continue
    if (recent.every((fingerprint, index) => fingerprint === recent[index % period])) return true
  }
  return false
}

function repeatsUpdate(turns: readonly TurnFacts[], progress: readonly boolean[], repeats: number): boolean {
  const last = turns.at(-1)
  return (last ? updateTexts(last) : []).some(text =>
    lastAll(turns, repeats, (turn, index) => progress[index] === false && updateTexts(turn).includes(text)),
  )
}

/** A final signal that does not lead to a claim counts as an update too; one that does is none. */
function updateTexts(turn: TurnFacts): string[] {
  if (saidByTurn(turn).verdict === 'claim') return []
  return turn.signals.map(signal => signal.text.replace(/\s+/g, ' ').trim())
}

function lastAll(turns: readonly TurnFacts[], count: number, holds: (turn: TurnFacts, index: number) => boolean): boolean {
  const first = turns.length - count
  return first >= 0 && turns.slice(first).every((turn, offset) => holds(turn, first + offset))
}

function turnsLeftNotice(left: number): string | undefined {
  if (left > LAST_TURNS) return undefined
  return left === 1 ? 'One turn is left. Finish in it.' : `${left} turns are left. Finish within them.`
}

function withNotice(verdict: Verdict, more: string | undefined): Verdict {
  if (more === undefined) return verdict
  return { ...verdict, notice: verdict.notice === undefined ? more : `${verdict.notice} ${more}` }
}
