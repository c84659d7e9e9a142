import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Surface } from '../kernel/caller.ts'
import type { Owner } from './run.ts'

/** This process, told apart from every other one, also from a later one with the same number. */
export function thisProcess(surface: Surface): Owner {
  return { machine: hostname(), boot: bootId(), pid: process.pid, pid_started_at: startOf(process.pid) ?? '', surface }
}

/** Whether the process that drives a run is gone for sure; one on another machine cannot be looked at. */
export function isGone(owner: Owner): boolean {
  if (owner.machine !== hostname()) return false
  if (owner.boot !== bootId()) return true
  const started = startOf(owner.pid)
  return started === undefined || started !== owner.pid_started_at
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** In clock ticks since boot, as the kernel tells it; undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold spaces and brackets; everything after the last bracket is fields.
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : fields[18]
  } catch {
    return isAlive(pid) ? '' : undefined
  }
}

// Where there is no /proc: whether someone has this number is all that can be known.
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux'
  } catch {
    return false
  }
}
