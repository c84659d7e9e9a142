import { Buffer } from 'node:buffer'
import { createHash, type Hash } from 'node:crypto'
import { sha256 } from '../../kernel/sha256.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { readBlobs } from '../../sandbox/git/tree.ts'

// A tree is measured from the bytes of its objects: each id is computed again, and beside it in-toto's `dirHash`, so that a weak
// git hash is not the only bond. Paths are kept as latin1, one character a byte: they need not be UTF-8, and order is by bytes.

export type TreeMeasure =
  /** `dirHash` is null where a path holds a newline: its definition does not allow that. */
  | { kind: 'measured'; dirHash: string | null }
  /** An object does not have the content that its id says. */
  | { kind: 'unsound'; oid: string; path: string }
  | { kind: 'absent'; oid: string }

interface Entry {
  mode: string
  type: string
  oid: string
  path: string
}

/** Nothing that is missing is fetched: what is not here is said to be absent. */
export const OFFLINE = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

export async function measureTree(git: Git, tree: string): Promise<TreeMeasure> {
  const missing = await firstMissing(git, [tree])
  if (missing !== null) return { kind: 'absent', oid: missing }
  const listed = await listTree(git, tree)
  if (listed === null) return { kind: 'absent', oid: tree }
  // A submodule's commit is only named by the tree; it lives in another repository.
  const objects = [{ mode: '040000', type: 'tree', oid: tree, path: '' }, ...listed.filter(({ type }) => type !== 'commit')]
  const byOid = new Map(objects.map(object => [object.oid, object]))
  const absent = await firstMissing(git, [...byOid.keys()])
  if (absent !== null) return { kind: 'absent', oid: absent }
  const contents = new Map<string, string>()
  const wrong = await hashObjects(git, byOid, contents)
  if (wrong) return { kind: 'unsound', oid: wrong.oid, path: shown(wrong.path) }
  return { kind: 'measured', dirHash: directoryHash(listed, contents) }
}

/** The "h1" directory hash of in-toto's digest set, in hex: SHA-256 over one line for each regular file, sorted by name. */
function directoryHash(entries: readonly Entry[], contents: ReadonlyMap<string, string>): string | null {
  const files = entries.filter(({ mode }) => mode.startsWith('100')).sort((a, b) => (a.path < b.path ? -1 : 1))
  if (files.some(({ path }) => path.includes('\n'))) return null
  const lines = files.map(({ oid, path }) => `${contents.get(oid) ?? ''}  ${path}\n`)
  return sha256(Buffer.from(lines.join(''), 'latin1'))
}

async function hashObjects(git: Git, byOid: ReadonlyMap<string, Entry>, contents: Map<string, string>): Promise<Entry | null> {
  let wrong: Entry | null = null
  let now: { object: Entry; id: Hash; content: Hash } | null = null
  await readBlobs(git, [...byOid.keys()], {
    begin: (oid, size) => {
      const object = byOid.get(oid)
      if (!object) return
      now = { object, id: createHash(oid.length === 64 ? 'sha256' : 'sha1'), content: createHash('sha256') }
      now.id.update(`${object.type} ${size}\0`)
    },
    data: chunk => {
      now?.id.update(chunk)
      now?.content.update(chunk)
    },
    end: () => {
      if (!now) return
      const { object, id, content } = now
      if (id.digest('hex') !== object.oid) wrong ??= object
      contents.set(object.oid, content.digest('hex'))
      now = null
    },
  })
  return wrong
}

export type CommitMeasure = { kind: 'commit'; tree: string } | { kind: 'unsound' } | { kind: 'absent' }

/** The tree of a commit, from the commit's own bytes, whose id is computed again. */
export async function measureCommit(git: Git, oid: string): Promise<CommitMeasure> {
  const chunks: Buffer[] = []
  const { exit } = await git.call(['cat-file', 'commit', oid], {
    onBytes: chunk => void chunks.push(chunk),
    answers: [0, 1, 128],
    env: OFFLINE,
  })
  if (exit !== 0) return { kind: 'absent' }
  const bytes = Buffer.concat(chunks)
  const id = createHash(oid.length === 64 ? 'sha256' : 'sha1')
    .update(`commit ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')
  const tree = /^tree ([0-9a-f]+)\n/.exec(bytes.toString('latin1'))?.[1]
  return id === oid && tree !== undefined ? { kind: 'commit', tree } : { kind: 'unsound' }
}

async function listTree(git: Git, tree: string): Promise<Entry[] | null> {
  const chunks: Buffer[] = []
  const { exit } = await git.call(['ls-tree', '-r', '-t', '-z', '--full-tree', tree], {
    onBytes: chunk => void chunks.push(chunk),
    answers: [0, 128],
    env: OFFLINE,
  })
  if (exit !== 0) return null
  const lines = Buffer.concat(chunks).toString('latin1').split('\0')
  return lines.flatMap(line => {
    const match = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line)
    return match ? [{ mode: match[1] ?? '', type: match[2] ?? '', oid: match[3] ?? '', path: match[4] ?? '' }] : []
  })
}

async function firstMissing(git: Git, oids: readonly string[]): Promise<string | null> {
  const { text } = await git.call(['cat-file', '--batch-check'], { stdin: `${oids.join('\n')}\n`, env: OFFLINE })
  return /^(\S+) missing$/m.exec(text)?.[1] ?? null
}

function shown(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}
