import { encodeNames } from '../names.ts'
import type { TreeBuilder } from './objects.ts'

interface Folder {
  kind: 'folder'
  items: Map<string, Folder | File>
  /** Its name while nothing in it has changed. */
  oid: string | null
}

interface File {
  kind: 'file'
  mode: string
  oid: string
}

/** Names a tree's bytes, and stores them unless they are in the repository. */
type PutTree = (content: Buffer, isStored: boolean) => string

/** A tree by its folders: a change costs the folders that lead to it, whatever else there is. */
export function treeBuilder(put: PutTree, stored: ReadonlySet<string> = new Set()): TreeBuilder {
  const root: Folder = { kind: 'folder', items: new Map(), oid: null }
  return {
    set: (path, entry) => setIn(root, path.split('/'), entry && { kind: 'file', mode: entry.mode, oid: entry.oid }),
    store: () => Promise.resolve(storeFolder(root, put, stored)),
  }
}

function setIn(folder: Folder, [name = '', ...rest]: string[], file: File | null): void {
  folder.oid = null
  if (rest.length === 0) {
    if (file) folder.items.set(name, file)
    else if (folder.items.get(name)?.kind === 'file') folder.items.delete(name)
    return
  }
  const found = folder.items.get(name)
  if (found?.kind !== 'folder' && !file) return
  const below: Folder = found?.kind === 'folder' ? found : { kind: 'folder', items: new Map(), oid: null }
  folder.items.set(name, below)
  setIn(below, rest, file)
  if (below.items.size === 0) folder.items.delete(name)
}

function storeFolder(folder: Folder, put: PutTree, stored: ReadonlySet<string>): string {
  if (folder.oid !== null) return folder.oid
  const lines = Array.from(folder.items, ([name, item]) => {
    const oid = item.kind === 'folder' ? storeFolder(item, put, stored) : item.oid
    const bytes = encodeNames(name)
    return {
      // Git sorts by bytes, folders as if their name ended in a slash.
      key: item.kind === 'folder' ? Buffer.concat([bytes, SLASH]) : bytes,
      line: Buffer.concat([Buffer.from(item.kind === 'folder' ? '40000 ' : `${item.mode} `), bytes, ZERO, Buffer.from(oid, 'hex')]),
    }
  })
  const content = Buffer.concat(lines.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ line }) => line))
  const oid = put(content, true)
  folder.oid = stored.has(oid) ? oid : put(content, false)
  return folder.oid
}

const SLASH = Buffer.from('/')
const ZERO = Buffer.from([0])
