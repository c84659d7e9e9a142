import type { Git } from './git.ts'

export interface TreeEntry {
  path: string
  /** As git writes it: 100644, 100755, 120000, 160000. */
  mode: string
  oid: string
}

/** Every file of a commit or tree, by path. */
export async function readTree(git: Git, tree: string): Promise<Map<string, TreeEntry>> {
  const { text } = await git.call(['ls-tree', '-r', '-z', '--full-tree', tree])
  const entries = text.split('\0').flatMap(line => {
    const match = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line)
    return match ? [{ mode: match[1] ?? '', oid: match[2] ?? '', path: match[3] ?? '' }] : []
  })
  return new Map(entries.map(entry => [entry.path, entry]))
}

/** Makes a tree through an index that exists for this alone. */
export async function writeTree(git: Git, entries: Iterable<TreeEntry>, index: string): Promise<string> {
  const lines = Array.from(entries, ({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`)
  await git.call(['update-index', '-z', '--index-info'], { index, stdin: lines.join('') })
  return git.line(['write-tree'], { index })
}

/** Hands out the contents of blobs, one after the other, in pieces as they come. */
export async function readBlobs(
  git: Git,
  oids: readonly string[],
  take: { begin(oid: string, size: number): void; data(chunk: Buffer): void; end(): void },
): Promise<void> {
  if (oids.length === 0) return
  let held: Buffer = Buffer.alloc(0)
  let left = -1
  const onBytes = (chunk: Buffer): void => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    for (;;) {
      if (left < 0) {
        const line = held.indexOf(10)
        if (line < 0) return
        const [oid = '', , size = '0'] = held.subarray(0, line).toString('utf8').split(' ')
        held = held.subarray(line + 1)
        left = Number(size)
        take.begin(oid, left)
      }
      const piece = held.subarray(0, left)
      if (piece.length > 0) take.data(piece)
      held = held.subarray(piece.length)
      left -= piece.length
      // Each content is followed by a line end of its own.
      if (left > 0 || held.length === 0) return
      held = held.subarray(1)
      left = -1
      take.end()
    }
  }
  await git.call(['cat-file', '--batch'], { stdin: `${oids.join('\n')}\n`, onBytes })
}
