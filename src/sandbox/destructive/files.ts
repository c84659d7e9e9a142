import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import { onDisk } from '../names.ts'
import { BackupUnproven } from './errors.ts'
import { differences, type ListedFile, listDigest, listTree } from './tree-list.ts'
import type { BackupClass, Target } from './types.ts'

type FilesTarget = Target & { class: 'files' }

/** Files and folders: copied with permissions, times and links, and a list beside them. */
export const filesClass: BackupClass<FilesTarget> = {
  dryRun({ root, paths }) {
    const list = listTree(root, paths)
    return Promise.resolve({
      command: `list ${paths.join(' ')}`,
      lines: list.map(({ path, type, size }) => `${type} ${size} ${path}`),
      amount: list.reduce((sum, { size }) => sum + size, 0),
    })
  },
  back({ root, paths }, { id, folder }) {
    const list = listTree(root, paths)
    for (const path of paths) copy(join(root, path), join(folder, 'files', path))
    writeFileAtomically(join(folder, 'list.json'), `${JSON.stringify(list)}\n`, { private: true })
    const restore_command = `qed backup restore ${id} --into <folder>`
    return Promise.resolve({ kind: 'copy', class: 'files', path: folder, sha256: listDigest(list), restore_command, source: root })
  },
  async prove(record, scratch) {
    await filesClass.restore(record, scratch)
    const wanted = listOf(record.path)
    const differs = differences(wanted, listTree(scratch, tops(wanted)))
    if (differs.length > 0 || listDigest(wanted) !== record.sha256) throw new BackupUnproven(record.source, differs)
  },
  restore({ path }, into) {
    const list = listOf(path)
    for (const top of tops(list)) copy(join(path, 'files', top), join(into, top))
    // Copying a folder does not bring its permissions along. The innermost first: a closed folder lets nobody in any more.
    for (const file of list.filter(({ type }) => type === 'file' || type === 'folder').toReversed()) {
      chmodSync(onDisk(join(into, file.path)), Number.parseInt(file.mode, 8))
    }
    return Promise.resolve(list.map(file => file.path))
  },
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, errorOnExist: true, force: false })
}

function listOf(folder: string): ListedFile[] {
  return JSON.parse(readFileIfThere(join(folder, 'list.json')) ?? '[]') as ListedFile[]
}

function tops(list: readonly ListedFile[]): string[] {
  const paths = new Set(list.map(({ path }) => path))
  return [...paths].filter(path => !paths.has(dirname(path)))
}
