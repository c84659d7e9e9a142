import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessFacts {
  pid: number
  parent: number
  group: number
  session: number
  /** Ticks since boot at which it started: with the pid it names one process for good. */
  start: string
}

/** The processes of this machine. Everything is as it was a moment ago; what is gone or only waits to be reaped is null. */
export interface ProcTable {
  facts(pid: number): ProcessFacts | null
  pids(): number[]
  children(pid: number): number[]
  /** Whether the environment it was started with holds this text. */
  carries(pid: number, text: string): boolean
  command(pid: number): string
}

const MOST_COMMAND = 200

export const linuxProcTable: ProcTable = {
  facts(pid) {
    const stat = read(`/proc/${pid}/stat`)
    if (!stat) return null
    // The name stands in brackets and may itself hold brackets and spaces.
    const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X' || parent === undefined) return null
    return { pid, parent: Number(parent), group: Number(group), session: Number(session), start: rest[15] ?? '' }
  },
  pids: () => list('/proc').filter(isNumber).map(Number),
  children: pid =>
    list(`/proc/${pid}/task`).flatMap(thread => read(`/proc/${pid}/task/${thread}/children`)?.split(' ').filter(Boolean).map(Number) ?? []),
  carries: (pid, text) => read(`/proc/${pid}/environ`)?.includes(text) ?? false,
  command: pid => (read(`/proc/${pid}/cmdline`) || read(`/proc/${pid}/comm`) || '').replaceAll('\0', ' ').trim().slice(0, MOST_COMMAND),
}

/** For systems without /proc: nothing can be looked up, so only the process group is ended. */
const emptyProcTable: ProcTable = { facts: () => null, pids: () => [], children: () => [], carries: () => false, command: () => '' }

export function systemProcTable(): ProcTable {
  return process.platform === 'linux' ? linuxProcTable : emptyProcTable
}

/** All descendants of a process, without itself. */
export function descendantsOf(table: ProcTable, pid: number): ProcessFacts[] {
  const found = new Map<number, ProcessFacts>()
  const open = [pid]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of table.children(next)) {
      const facts = found.has(child) ? null : table.facts(child)
      if (!facts) continue
      found.set(child, facts)
      open.push(child)
    }
  }
  return [...found.values()]
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Gone, or someone else's: in both cases not ours to end.
    return null
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}
