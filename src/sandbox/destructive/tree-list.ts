import { readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import { itemsIn, onDisk } from '../names.ts'
import { lstatIfThere } from '../paths.ts'
import { digestOf } from '../snapshot/digest.ts'

export interface ListedFile {
  path: string
  type: 'file' | 'folder' | 'link' | 'other'
  mode: string
  size: number
  sha256: string | null
}

/** Everything below the given paths of a root, themselves included, with what it takes to see whether two are equal. */
export function listTree(root: string, paths: readonly string[]): ListedFile[] {
  const found: ListedFile[] = []
  const open = [...paths]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const stat = lstatIfThere(join(root, path))
    if (!stat) continue
    found.push(describe(root, path, stat))
    if (stat.isDirectory()) for (const { name } of itemsIn(join(root, path))) open.push(join(path, name))
  }
  return [...new Map(found.map(file => [file.path, file])).values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function describe(root: string, path: string, stat: Stats): ListedFile {
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'other'
  const content = type === 'file' ? digestOf(root, path) : type === 'link' ? sha256(readlinkSync(onDisk(join(root, path)), 'buffer')) : null
  return { path, type, mode: (stat.mode & 0o7777).toString(8), size: type === 'file' ? stat.size : 0, sha256: content }
}

export function listDigest(list: readonly ListedFile[]): string {
  return sha256(list.map(({ path, type, mode, sha256: digest }) => `${path}\0${type}\0${mode}\0${digest ?? ''}\n`).join(''))
}

/** Paths in which two lists differ. */
export function differences(a: readonly ListedFile[], b: readonly ListedFile[]): string[] {
  const keys = (list: readonly ListedFile[]): Map<string, string> =>
    new Map(list.map(({ path, type, mode, sha256: digest }) => [path, `${type} ${type === 'link' ? '' : mode} ${digest ?? ''}`]))
  const [left, right] = [keys(a), keys(b)]
  return [...new Set([...left.keys(), ...right.keys()])].filter(path => left.get(path) !== right.get(path))
}
