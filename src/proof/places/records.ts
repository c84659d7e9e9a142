import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isId, type ProofId } from '../../kernel/ids.ts'
import { isInside } from '../../sandbox/paths.ts'
import { type ProcTable, systemProcTable } from '../../sandbox/process/proc-table.ts'
import { makeFolder, readFileIfThere } from '../../store/files.ts'
import { removeFolder } from './remove-folder.ts'

/** What a proof under way has on the disk, noted before it is made. F-41: whoever starts after it was killed finds it here. */
export interface ProofRecord {
  /** Notes a folder that is about to be made. */
  note: (path: string) => void
  /** Everything is settled and removed. */
  close: () => void
}

/** One file per proof, named after it and the process that makes it: the repository's git folder, then one folder per line. */
export function openRecord(state: string, { proof, git }: { proof: ProofId; git: string }, table = systemProcTable()): ProofRecord {
  const file = join(folderIn(state), `${proof}.${process.pid}-${table.facts(process.pid)?.start ?? '0'}`)
  makeFolder(folderIn(state), { private: true })
  appendFileSync(file, `${git}\n`, { mode: 0o600 })
  return {
    note: path => appendFileSync(file, `${path}\n`),
    close: () => rmSync(file, { force: true }),
  }
}

/** Settles proofs of one repository whose process is gone: their folders are removed and `interrupted` is told, before the record
 *  goes. Those of other repositories wait for a start there, because only there is the log that must tell it. */
export async function settleInterrupted(
  { state, git }: { state: string; git: string },
  interrupted: (proof: ProofId) => Promise<void>,
  table = systemProcTable(),
): Promise<ProofId[]> {
  const settled: ProofId[] = []
  for (const name of names(folderIn(state))) {
    const [proof, owner = ''] = name.split('.')
    if (!isId('prf', proof) || isAlive(owner, table)) continue
    const [of, ...paths] = (readFileIfThere(join(folderIn(state), name)) ?? '').split('\n').filter(Boolean)
    if (of !== git) continue
    for (const path of paths) if (path !== state && isInside(state, path)) removeFolder(path)
    await interrupted(proof)
    rmSync(join(folderIn(state), name), { force: true })
    settled.push(proof)
  }
  return settled
}

function folderIn(state: string): string {
  return join(state, 'proofs')
}

function isAlive(owner: string, table: ProcTable): boolean {
  const [pid = '', start = ''] = owner.split('-')
  if (table.facts(process.pid) !== null) return table.facts(Number(pid))?.start === start
  // Without a table of processes a number that was given out again cannot be told from the old one.
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
