import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../kernel/clock.ts'
import { lstatIfThere } from './paths.ts'

const DAY_MS = 86_400_000

/** Folders of the state in which things have their time, and how long that is. */
const KEPT_DAYS: Record<string, number> = {
  // Indexes of git calls and homes of unsandboxed commands: what is there after a day belongs to a QED that was killed.
  tmp: 1,
  homes: 1,
  // Whole outputs of commands, which records point to.
  outputs: 30,
}

export function removeLeftBehind(state: string, clock: Clock): void {
  for (const [name, days] of Object.entries(KEPT_DAYS)) {
    for (const path of entriesOf(join(state, name))) {
      const changed = lstatIfThere(path)?.mtimeMs
      if (changed !== undefined && changed < clock.now() - days * DAY_MS) rmSync(path, { recursive: true, force: true })
    }
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map(name => join(folder, name))
  } catch {
    return []
  }
}
