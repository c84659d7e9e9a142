import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf, type ProcessFacts, type ProcTable } from './proc-table.ts'
import { LIMITS, type ProcessRef } from './types.ts'

// The ending: ask the group → wait → kill the group, everything that was seen below it, everything that carries its mark → look
// again until nothing is left. A pid is signalled only while its start time is the one we saw, so a reused number is never hit.

/** A pid alone may be another process's by now. */
export interface NamedProcess {
  pid: number
  start: string
}

export interface Target {
  /** Leader of its own session and group. */
  pid: number
  start: string
  /** The entry that its environment holds. */
  mark: string
  /** Descendants seen while it ran, by pid. */
  seen: Map<number, string>
  /** First process of its pid namespace, as seen from here: its end is the end of all. */
  readonly init: NamedProcess | null
  /** QED's own tool, which leaves nothing outside its group. */
  trusted: boolean
}

export interface Ending {
  ended: ProcessRef[]
  escaped: ProcessRef[]
}

/** Ends what is left of a process. The leader itself is not listed: the outcome tells about it. */
export async function endProcess(target: Target, table: ProcTable): Promise<Ending> {
  // Without a table to look in only the group can be ended.
  if (table.facts(process.pid) === null) killNow(target, table)
  const { ended, escaped } = await climb(table, {
    look: () => survivors(target, table),
    // Bubblewrap itself is not asked: with its end the whole namespace would be gone before anyone inside could tidy up.
    ask: left => askAll(target.init ? descendantsOf(table, target.init.pid) : left, table),
    kill: left => {
      killNow(target, table)
      killAll(left, table)
    },
  })
  const others = ({ pid }: ProcessRef): boolean => pid !== target.pid && pid !== target.init?.pid
  return { ended: ended.filter(others), escaped: escaped.filter(others) }
}

/** Ends every process whose environment holds one of these texts. */
export function endMarked(marks: readonly string[], table: ProcTable): Promise<Ending> {
  return climb(table, {
    look: () => findMarked(marks, table),
    ask: left => askAll(left, table),
    kill: left => killAll(left, table),
  })
}

/** Kills at once and without waiting: for when this process itself ends. */
export function killNow(target: Target, table: ProcTable): void {
  if (isOurs(target, table)) signal(-target.pid, 'SIGKILL')
  if (target.init) killAll([target.init], table)
}

interface Rungs {
  look: () => ProcessFacts[]
  ask: (left: ProcessFacts[]) => void
  kill: (left: ProcessFacts[]) => void
}

async function climb(table: ProcTable, { look, ask, kill }: Rungs): Promise<Ending> {
  const refs = new Map<number, ProcessRef>()
  const noted = (): ProcessFacts[] => {
    const left = look()
    for (const { pid } of left) if (!refs.has(pid)) refs.set(pid, { pid, command: table.command(pid) })
    return left
  }
  const first = noted()
  if (first.length === 0) return { ended: [], escaped: [] }
  ask(first)
  await gone(noted, LIMITS.graceMs)
  const left = await gone(() => {
    const still = noted()
    if (still.length > 0) kill(still)
    return still
  }, LIMITS.lookMs)
  const escaped = new Set(left.map(({ pid }) => pid))
  const all = [...refs.values()]
  return { ended: all.filter(({ pid }) => !escaped.has(pid)), escaped: all.filter(({ pid }) => escaped.has(pid)) }
}

/** Looks until nothing is left or the time is over; gives what is left. */
export async function gone(look: () => ProcessFacts[], mostMs: number): Promise<ProcessFacts[]> {
  const began = performance.now()
  for (let pause = 1; ; ) {
    const left = look()
    const waited = performance.now() - began
    if (left.length === 0 || waited >= mostMs) return left
    // The first process of a namespace is usually gone within a millisecond, less than any timer waits.
    if (waited < 2) await nextRound()
    else {
      await sleep(pause)
      pause = Math.min(pause * 2, 100)
    }
  }
}

function survivors(target: Target, table: ProcTable): ProcessFacts[] {
  const named = [target, ...(target.init ? [target.init] : [])].flatMap(one => sameProcess(table, one))
  if (target.init) return named
  const found = new Map(named.map(facts => [facts.pid, facts]))
  for (const [pid, start] of target.seen) for (const facts of sameProcess(table, { pid, start })) found.set(pid, facts)
  if (target.trusted && found.size === 0 && !signal(-target.pid, 0)) return []
  const groupIsOurs = isOurs(target, table)
  for (const pid of table.pids()) {
    const facts = pid === process.pid ? null : table.facts(pid)
    if (facts && ((groupIsOurs && facts.group === target.pid) || table.carries(pid, target.mark))) found.set(pid, facts)
  }
  // A child of one that is found belongs to it, whatever it did to its environment.
  const below = [...found.keys()].flatMap(pid => descendantsOf(table, pid))
  for (const facts of below) found.set(facts.pid, facts)
  return [...found.values()]
}

function findMarked(marks: readonly string[], table: ProcTable): ProcessFacts[] {
  return table
    .pids()
    .filter(pid => pid !== process.pid && marks.some(mark => table.carries(pid, mark)))
    .map(pid => table.facts(pid))
    .filter(facts => facts !== null)
}

function askAll(processes: ProcessFacts[], table: ProcTable): void {
  // One that is stopped could not act on the first signal alone.
  for (const one of processes) for (const name of ['SIGTERM', 'SIGCONT'] as const) signalSame(one, name, table)
}

function killAll(processes: NamedProcess[], table: ProcTable): void {
  for (const one of processes) signalSame(one, 'SIGKILL', table)
}

// While a group has members its number is not given to a new process; so the group is ours unless a stranger leads it.
function isOurs(target: Target, table: ProcTable): boolean {
  const leader = table.facts(target.pid)
  return leader === null || leader.start === target.start
}

/** A process, as long as it is there. */
export function sameProcess(table: ProcTable, { pid, start }: NamedProcess): ProcessFacts[] {
  const facts = table.facts(pid)
  return facts?.start === start ? [facts] : []
}

export function signalSame({ pid, start }: NamedProcess, name: NodeJS.Signals, table: ProcTable): void {
  if (table.facts(pid)?.start === start) signal(pid, name)
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    // Gone meanwhile, which is what was wanted.
    return false
  }
}
