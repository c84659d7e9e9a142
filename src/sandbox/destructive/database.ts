import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseJson } from '../../kernel/json.ts'
import { readFileIfThere } from '../../store/files.ts'
import { digestOf } from '../snapshot/digest.ts'
import type { RunBackupCommand } from './commands.ts'
import { BackupUnproven } from './errors.ts'
import type { BackupClass, DatabaseTarget } from './types.ts'

const DUMP = 'dump'
const HOW = 'how.json'

/** A database behind its own tools: dumped by the command of the brief, proven by loading the dump into the scratch database of the
 *  brief and dumping that one. */
export function databaseClass(run: RunBackupCommand): BackupClass<DatabaseTarget> {
  return {
    async dryRun({ count, cwd, network }) {
      const lines = (await run({ shell: count, cwd, network })).split('\n').filter(Boolean)
      return { command: count, lines, amount: Number(/\d+/.exec(lines[0] ?? '')?.[0] ?? lines.length) }
    },
    async back(target, { id, folder }) {
      const { dump, cwd, network, source } = target
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      await run({ shell: intoFile(dump), cwd, network, folder }, { QED_BACKUP: join(folder, DUMP) })
      writeFileSync(join(folder, HOW), JSON.stringify(target), { mode: 0o600 })
      return {
        kind: 'dump',
        class: 'database',
        path: join(folder, DUMP),
        sha256: digestOf(folder, DUMP),
        restore_command: `qed backup restore ${id} --into <folder>`,
        source,
      }
    },
    async prove({ path, sha256, source }, scratch) {
      const { load, dump_scratch, cwd, network } = parseJson(readFileIfThere(join(dirname(path), HOW)) ?? '') as unknown as DatabaseTarget
      if (load === undefined || dump_scratch === undefined)
        throw new BackupUnproven(source, ['the brief names no scratch database to load the dump into: not proven'])
      if (!existsSync(path) || statSync(path).size === 0) throw new BackupUnproven(source, ['the dump is empty'])
      const copy = join(scratch, DUMP)
      copyFileSync(path, copy)
      await run({ shell: fromFile(load), cwd, network, folder: scratch }, { QED_BACKUP: copy })
      await run({ shell: intoFile(dump_scratch), cwd, network, folder: scratch }, { QED_BACKUP: join(scratch, 'again') })
      if (digestOf(scratch, 'again') !== sha256) throw new BackupUnproven(source, ['the dump of the scratch database'])
    },
    restore({ path }, into) {
      mkdirSync(into, { recursive: true, mode: 0o700 })
      copyFileSync(path, join(into, basename(path)))
      return Promise.resolve([basename(path)])
    },
  }
}

// Through a file and not through what QED reads: that is redacted, and a backup must hold every byte.
export function intoFile(command: string): string {
  return `{ ${command}\n} > "$QED_BACKUP"`
}

export function fromFile(command: string): string {
  return `{ ${command}\n} < "$QED_BACKUP"`
}
