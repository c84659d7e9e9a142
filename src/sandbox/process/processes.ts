import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { Redaction } from '../redaction/text-redactor.ts'
import { endMarked, killNow } from './endings.ts'
import type { Isolate } from './isolate.ts'
import type { Ledger } from './ledger.ts'
import { entriesOfRun, entryOf, newMark, type RunMarks } from './mark.ts'
import { type ProcTable, systemProcTable } from './proc-table.ts'
import { createSlots, NO_WAITING, type Slots } from './slots.ts'
import { type Live, notStarted, supervise } from './supervise.ts'
import { LIMITS, type Processes, type ProcessOutcome, type ProcessSpec } from './types.ts'
import { createWaitingRoom, type WaitingRoom } from './waiting.ts'

export interface ProcessesOptions {
  /** Turns a spec into what is really started, or says why it cannot be. */
  isolate: Isolate
  redaction: Redaction
  clock?: Clock
  /** Where whole outputs are kept that do not fit; without it they are not. */
  outputs?: string | undefined
  ledger?: Ledger | undefined
  /** How many may run at the same time. */
  atOnce?: number
  table?: ProcTable
}

const ENDED_BY_ITSELF: ReadonlySet<ProcessOutcome['reason']> = new Set(['exited', 'signalled', 'not-started'])

/** Live processes of every instance, ended when this process ends in an orderly way. */
const everyLive = new Set<Live>()

export function createProcesses(options: ProcessesOptions): Processes {
  const { isolate, redaction, outputs, ledger, clock = systemClock, table = systemProcTable() } = options
  const slots = createSlots(options.atOnce ?? LIMITS.atOnce)
  // Their own: eight servers left running must not keep every other command waiting for ever.
  const backgroundSlots = createSlots(options.atOnce ?? LIMITS.atOnce)
  // QED's own tools are short, and what holds a slot may be waiting for one of them.
  const slotsFor = ({ profile, background }: ProcessSpec): Slots => (profile === 'own' ? NO_WAITING : background ? backgroundSlots : slots)
  const live = new Set<Live>()
  const marks: RunMarks = new Map()
  /** Runs that had a process which could leave its group: only those have to be looked for by their mark. */
  const unwalled = new Set<RunId>()
  const waitingRoom = createWaitingRoom(table)

  const start = async (spec: ProcessSpec, takeSeat: ReturnType<WaitingRoom['enter']> | null): Promise<ProcessOutcome> => {
    const mark = newMark(spec.run_id, marks)
    const launch = await isolate(spec, mark)
    if (launch.kind === 'refused') return notStarted({ clock, isolation: launch.isolation, error: launch.error })
    if (!launch.namespaced && spec.profile !== 'own') {
      ledger?.add(mark.value)
      unwalled.add(spec.run_id)
    }
    endWithThisProcess(table)
    const track = (one: Live): (() => void) => {
      for (const set of [live, everyLive]) set.add(one)
      return () => [live, everyLive].forEach(set => set.delete(one))
    }
    const job = { spec, launch, mark, table, clock, redaction, outputs, track }
    const seat = takeSeat?.(job)
    if (!seat) return supervise(job)
    const outcome = await supervise({ ...job, seat })
    await seat.leave(outcome)
    // The shell in there was gone before it read its command.
    return ENDED_BY_ITSELF.has(outcome.reason) && !seat.wasTaken() ? supervise(job) : outcome
  }

  return {
    async run(spec) {
      const takeSeat = spec.series ? waitingRoom.enter(spec.run_id) : null
      const release = await slotsFor(spec).take(spec.signal)
      const calledOff = { code: 'cancelled', message: 'It was called off before it started.' }
      if (release === null) return notStarted({ clock, isolation: null, error: calledOff, reason: 'aborted' })
      try {
        return await start(spec, takeSeat)
      } catch (error) {
        // Whatever went wrong on the way is told as an outcome, so that a caller has one place to look.
        const message = redaction.text(error instanceof Error ? error.message : String(error))
        return notStarted({ clock, isolation: null, error: { code: codeOf(error), message } })
      } finally {
        release()
      }
    },
    // What goes wrong here goes wrong again for the command itself, and is told there.
    expect: spec => waitingRoom.expect(spec, isolate(spec, newMark(spec.run_id, marks))).catch(() => undefined),
    running: () => [...live].map(({ facts }) => facts),
    async endRun(run) {
      await waitingRoom.end(run)
      const ended = await Promise.all([...live].filter(({ facts }) => facts.run_id === run).map(one => one.abort()))
      const part = marks.get(run)
      const rest = part === undefined || !unwalled.has(run) ? { ended: [], escaped: [] } : await endMarked([entriesOfRun(part)], table)
      return { ended: [...ended.flatMap(one => one.ended), ...rest.ended], escaped: rest.escaped }
    },
    async endLeftovers() {
      const found = ledger?.orphaned()
      if (!found || found.marks.length === 0) return { ended: [], escaped: [] }
      const result = await endMarked(found.marks.map(entryOf), table)
      if (result.escaped.length === 0) found.forget()
      return result
    },
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'internal'
}

let listening = false

function endWithThisProcess(table: ProcTable): void {
  if (listening) return
  listening = true
  process.once('exit', () => {
    for (const { target } of everyLive) killNow(target, table)
  })
}
