import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../kernel/clock.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { GitFailed } from '../../sandbox/git/git.ts'
import { storeCommit } from '../../sandbox/snapshot/store-commit.ts'
import { makeFolder } from '../../store/files.ts'
import { NotesBusy } from './errors.ts'

// F-33: one envelope a line, on the commit and on its tree. Written with plumbing, because `git notes` moves its ref without
// looking whether it is still where it was, and would lose what another process added in between.

const NOTES_REF = 'refs/notes/qed'
/** The commands that make notes travel; QED itself never pushes. */
export const NOTES_PUSH = `git push <remote> ${NOTES_REF}`
export const NOTES_FETCH = `git fetch <remote> ${NOTES_REF}:${NOTES_REF}`

const MOST_ATTEMPTS = 30
const MOST_NOTE_BYTES = 64 << 20
const LINE_END = 10

export type Note = { kind: 'none' } | { kind: 'note'; text: string } | { kind: 'too-large'; bytes: number }

/** The note on an object, also one that `git notes` wrote, in whatever folders it lies. */
export async function readNote(git: Git, oid: string): Promise<Note> {
  const head = await notesHead(git)
  const blobs = head === null ? [] : await notesOn(git, head, oid)
  if (blobs.length === 0) return { kind: 'none' }
  const bytes = await totalBytes(git, blobs)
  if (bytes > MOST_NOTE_BYTES) return { kind: 'too-large', bytes }
  return { kind: 'note', text: (await contentOf(git, blobs)).toString('utf8') }
}

/** Adds lines to the notes of all these objects in one step. Lines that are there stay, a line is never there twice. Throws
 *  `NotesBusy` when the ref does not hold still. */
export async function addToNotes(
  git: Git,
  { oids, lines }: { oids: readonly string[]; lines: readonly string[] },
  { clock, state, attempts = MOST_ATTEMPTS }: { clock: Clock; state: string; attempts?: number },
): Promise<void> {
  let cause: unknown
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const head = await notesHead(git)
    const tree = await treeWith(git, head, { oids, lines, state })
    if (tree === null) return
    const commit = await storeCommit(git, clock, { tree, parents: head === null ? [] : [head], message: 'Notes added by QED\n' })
    try {
      await git.call(['update-ref', '-m', 'qed', NOTES_REF, commit, head ?? '0'.repeat(commit.length)])
      return
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error
      cause = error
      await wait(Math.random() * 20 * attempt)
    }
  }
  throw new NotesBusy(NOTES_REF, attempts, { cause })
}

/** The tree of notes with the lines added; null where they are all there. */
async function treeWith(
  git: Git,
  head: string | null,
  { oids, lines, state }: { oids: readonly string[]; lines: readonly string[]; state: string },
): Promise<string | null> {
  const folder = join(state, 'tmp')
  makeFolder(folder, { private: true })
  const index = join(folder, `notes-${randomBytes(8).toString('hex')}`)
  try {
    const entries: string[] = []
    for (const oid of oids) {
      const found = head === null ? [] : await notesOn(git, head, oid)
      const before = await contentOf(git, found)
      const after = withLines(before, lines)
      if (after.equals(before)) continue
      const blob = await git.line(['hash-object', '-w', '--stdin'], { stdin: after })
      const [first, ...others] = found
      // Where git itself put it, so that it is not there twice.
      entries.push(`100644 ${blob}\t${first?.path ?? `${oid.slice(0, 2)}/${oid.slice(2)}`}\0`)
      entries.push(...others.map(({ path }) => `0 ${'0'.repeat(oid.length)}\t${path}\0`))
    }
    if (entries.length === 0) return null
    if (head !== null) await git.call(['read-tree', head], { index })
    await git.call(['update-index', '-z', '--index-info'], { index, stdin: entries.join('') })
    return await git.line(['write-tree'], { index })
  } finally {
    rmSync(index, { force: true })
  }
}

// As bytes: what others wrote there need not be UTF-8, and is kept as it is.
function withLines(before: Buffer, lines: readonly string[]): Buffer {
  const present = new Set(before.toString('utf8').split('\n'))
  const missing = lines.filter(line => !present.has(line))
  if (missing.length === 0) return before
  const joint = before.length > 0 && before.at(-1) !== LINE_END ? '\n' : ''
  return Buffer.concat([before, Buffer.from(`${joint}${missing.join('\n')}\n`)])
}

interface NoteBlob {
  path: string
  oid: string
}

// Git spreads notes over folders named after the first digits, as deep as their number asks for.
async function notesOn(git: Git, head: string, oid: string): Promise<NoteBlob[]> {
  const depths = Array.from({ length: oid.length / 2 }, (_, depth) => depth)
  const paths = depths.map(depth => {
    const folders = Array.from({ length: depth }, (_, at) => `${oid.slice(at * 2, at * 2 + 2)}/`)
    return folders.join('') + oid.slice(depth * 2)
  })
  const { text } = await git.call(['ls-tree', '-z', '--full-tree', head, '--', ...paths])
  return text.split('\0').flatMap(line => {
    const match = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line)
    return match ? [{ oid: match[1] ?? '', path: match[2] ?? '' }] : []
  })
}

async function notesHead(git: Git): Promise<string | null> {
  const { exit, text } = await git.call(['rev-parse', '--verify', '--quiet', `${NOTES_REF}^{commit}`], { answers: [0, 1] })
  return exit === 0 ? text.trim() : null
}

async function totalBytes(git: Git, blobs: readonly NoteBlob[]): Promise<number> {
  const sizes = await Promise.all(blobs.map(({ oid }) => git.line(['cat-file', '-s', oid])))
  return sizes.reduce((sum, size) => sum + Number(size), 0)
}

// Several notes on one object are one, as they are to git; what others wrote is taken byte by byte.
async function contentOf(git: Git, blobs: readonly NoteBlob[]): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (const { oid } of blobs) {
    if (chunks.length > 0 && chunks.at(-1)?.at(-1) !== LINE_END) chunks.push(Buffer.of(LINE_END))
    await git.call(['cat-file', 'blob', oid], { onBytes: chunk => void chunks.push(chunk) })
  }
  return Buffer.concat(chunks)
}
