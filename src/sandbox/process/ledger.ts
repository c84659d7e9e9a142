import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, readFileIfThere } from '../../store/files.ts'
import type { ProcTable } from './proc-table.ts'

/** Remembers the marks of processes that would outlive QED if it were killed, so that the next start finds them. */
export interface Ledger {
  add(mark: string): void
  /** Marks whose QED is gone. `forget` is called once they are dealt with. */
  orphaned(): { marks: string[]; forget: () => void }
  close(): void
}

/** One file per QED process, named after its pid and start time, one mark per line. */
export function createLedger(folder: string, table: ProcTable): Ledger {
  const self = table.facts(process.pid)
  const own = `${process.pid}-${self?.start ?? '0'}`
  let open = false
  return {
    add(mark) {
      if (!open) makeFolder(folder, { private: true })
      open = true
      appendFileSync(join(folder, own), `${mark}\n`, { mode: 0o600 })
    },
    orphaned() {
      const files = names(folder).filter(name => isDead(name, table))
      return {
        marks: files.flatMap(name => (readFileIfThere(join(folder, name)) ?? '').split('\n').filter(Boolean)),
        forget: () => {
          for (const name of files) rmSync(join(folder, name), { force: true })
        },
      }
    },
    close() {
      if (open) rmSync(join(folder, own), { force: true })
    },
  }
}

function isDead(name: string, table: ProcTable): boolean {
  const match = /^(\d+)-(\d+)$/.exec(name)
  return match !== null && table.facts(Number(match[1]))?.start !== match[2]
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
