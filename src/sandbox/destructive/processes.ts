import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseJson } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { ProcTable } from '../process/proc-table.ts'
import type { RunBackupCommand } from './commands.ts'
import { fromFile, intoFile } from './database.ts'
import { BackupUnproven } from './errors.ts'
import type { BackupClass, ProcessesTarget } from './types.ts'

const LIST = 'processes.json'
const SETTINGS = 'settings'

interface Listed {
  pid: number
  start: string
  command: string
}

/** Processes and audit settings: what would stop is listed, settings are exported. The state of a process is not promised. */
export function processesClass(run: RunBackupCommand, table: ProcTable): BackupClass<ProcessesTarget> {
  const listed = (pids: readonly number[]): Listed[] =>
    pids.flatMap(pid => {
      const facts = table.facts(pid)
      return facts ? [{ pid, start: facts.start, command: table.command(pid) }] : []
    })
  return {
    dryRun({ pids }) {
      const found = listed(pids)
      return Promise.resolve({
        command: 'list processes',
        lines: found.map(({ pid, command }) => `${pid} ${command}`),
        amount: found.length,
      })
    },
    async back({ pids, settings, cwd }, { id, folder }) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const text = JSON.stringify({ processes: listed(pids), check: settings?.check ?? null, cwd })
      writeFileAtomically(join(folder, LIST), text, { private: true })
      if (settings) await run({ shell: intoFile(settings.export), cwd, network: 'off', folder }, { QED_BACKUP: join(folder, SETTINGS) })
      return {
        kind: 'copy',
        class: 'processes',
        path: join(folder, settings ? SETTINGS : LIST),
        sha256: sha256(readFileIfThere(join(folder, settings ? SETTINGS : LIST)) ?? ''),
        restore_command: `qed backup restore ${id} --into <folder>`,
        source: `${pids.length} processes`,
      }
    },
    async prove({ path, source, sha256: digest }, scratch) {
      const kept = parseJson(readFileIfThere(join(dirname(path), LIST)) ?? '') as { check: string | null; cwd: string } | undefined
      const text = readFileIfThere(path)
      if (!kept || text === null || text === '' || sha256(text) !== digest) throw new BackupUnproven(source, [basename(path)])
      if (kept.check === null) return
      const copy = join(scratch, SETTINGS)
      copyFileSync(path, copy)
      await run({ shell: fromFile(kept.check), cwd: kept.cwd, network: 'off', folder: scratch }, { QED_BACKUP: copy })
    },
    restore({ path }, into) {
      mkdirSync(into, { recursive: true, mode: 0o700 })
      const names = [...new Set([LIST, basename(path)])]
      for (const name of names) copyFileSync(join(dirname(path), name), join(into, name))
      return Promise.resolve(names)
    },
  }
}
