import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NotesBusy } from '../../src/proof/attest/errors.ts'
import { addToNotes, readNote } from '../../src/proof/attest/notes.ts'
import { createGit, type Git } from '../../src/sandbox/git/git.ts'
import { bench, git, repository, write } from '../sandbox/support.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folders.ts'

interface Notebook {
  root: string
  repo: Git
  head: string
  tree: string
  add: (lines: string[], oids?: string[], options?: { through?: Git; attempts?: number }) => Promise<void>
  notes: (...args: string[]) => string
}

function notebook(root = repository({ 'a.txt': 'a' })): Notebook {
  const { processes, state } = bench()
  const repo = createGit(processes, { root, gitFolder: join(root, '.git') })
  const [head, tree] = [git(root, 'rev-parse', 'HEAD'), git(root, 'rev-parse', 'HEAD^{tree}')]
  return {
    root,
    repo,
    head,
    tree,
    add: (lines, oids = [head, tree], { through = repo, attempts } = {}) =>
      addToNotes(through, { oids, lines }, { clock: handClock(), state, ...(attempts && { attempts }) }),
    notes: (...args) => git(root, 'notes', '--ref=qed', ...args),
  }
}

const text = async (repo: Git, oid: string): Promise<string | null> => {
  const note = await readNote(repo, oid)
  return note.kind === 'note' ? note.text : null
}

test('F-33 a line is added to commit and tree in one step, and git notes shows it', async () => {
  const { root, repo, head, tree, add, notes } = notebook()
  expect(await readNote(repo, head)).toEqual({ kind: 'none' })
  await add(['{"one":1}'])
  expect(git(root, 'rev-list', '--count', 'refs/notes/qed')).toBe('1')
  expect([notes('show', head), notes('show', tree)]).toEqual(['{"one":1}', '{"one":1}'])
  expect(await text(repo, head)).toBe('{"one":1}\n')
})

test('lines that are there stay, and a line is never there twice', async () => {
  const { root, repo, head, tree, add } = notebook()
  await add(['one', 'two'])
  await add(['two', 'three'], [head])
  await add(['two', 'three'], [head])
  expect(await text(repo, head)).toBe('one\ntwo\nthree\n')
  expect(await text(repo, tree)).toBe('one\ntwo\n')
  expect(git(root, 'rev-list', '--count', 'refs/notes/qed')).toBe('2')
})

test('a note that git itself wrote is read and kept byte for byte, without a line end or UTF-8 too', async () => {
  const { root, repo, head, add } = notebook()
  const foreign = Buffer.from([0xff, 0xfe, 0x20, 0x41])
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: root,
    input: foreign,
    encoding: 'utf8',
    timeout: 10_000,
  }).trim()
  git(root, 'notes', '--ref=qed', 'add', '-C', blob, head)
  await add(['line'], [head])
  const chunks: Buffer[] = []
  const oid = git(root, 'notes', '--ref=qed', 'list', head)
  await repo.call(['cat-file', 'blob', oid], { onBytes: chunk => void chunks.push(chunk) })
  expect(Buffer.concat(chunks)).toEqual(Buffer.concat([foreign, Buffer.from('\nline\n')]))
})

// Git lays notes out in folders once there are many of them.
test('notes in folders, as git makes them when there are many, are found, added to and stay one', async () => {
  const root = repository({ 'a.txt': 'a' })
  const { repo, head, add, notes } = notebook(root)
  const many = Array.from({ length: 600 }, (_, i) => i + 1)
  const at = (second: number): string => `committer t <t@example.com> ${second} +0000\ndata 1\nx\n`
  const commits = many.map(i => `commit refs/heads/many-${i}\nmark :${i}\n${at(i)}`)
  const notesOfAll = many.map(i => `N inline :${i}\ndata 4\nnote\n`)
  const stream = [...commits, `commit refs/notes/qed\n${at(0)}`, ...notesOfAll, `N inline ${head}\ndata 4\nmine\n`].join('')
  execFileSync('git', ['fast-import', '--quiet'], { cwd: root, input: stream, timeout: 20_000 })
  const deep = git(root, 'ls-tree', '-r', '--name-only', 'refs/notes/qed').split('\n')
  expect(deep.filter(path => path.includes('/')).length).toBeGreaterThan(0)
  expect(await text(repo, head)).toBe('mine')
  await add(['more'], [head])
  expect(notes('show', head)).toBe('mine\nmore')
  expect(git(root, 'ls-tree', '-r', '--name-only', 'refs/notes/qed').split('\n')).toHaveLength(deep.length)
})

test('what git notes adds after us is read, and ours stays', async () => {
  const { root, repo, head, add, notes } = notebook()
  await add(['ours'])
  notes('append', '-m', 'theirs', head)
  write(root, { 'b.txt': 'b' })
  git(root, 'add', '-A')
  git(root, 'commit', '--quiet', '-m', 'b')
  notes('add', '-m', 'other', 'HEAD')
  expect(await text(repo, head)).toBe('ours\n\ntheirs\n')
  expect(await text(repo, git(root, 'rev-parse', 'HEAD'))).toBe('other\n')
})

test('two notes on one object, in different folders, are read as one and become one', async () => {
  const { root, repo, head, add, notes } = notebook()
  const blob = (content: string): string =>
    execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: root, input: content, encoding: 'utf8', timeout: 10_000 }).trim()
  const inner = execFileSync('git', ['mktree'], {
    cwd: root,
    input: `100644 blob ${blob('deep')}\t${head.slice(2)}\n`,
    encoding: 'utf8',
  }).trim()
  const entries = `040000 tree ${inner}\t${head.slice(0, 2)}\n100644 blob ${blob('flat')}\t${head}\n`
  const tree = execFileSync('git', ['mktree'], { cwd: root, input: entries, encoding: 'utf8' }).trim()
  git(root, 'update-ref', 'refs/notes/qed', git(root, 'commit-tree', '-m', 'x', tree))
  expect((await text(repo, head))?.split('\n').sort()).toEqual(['deep', 'flat'])
  await add(['line'], [head])
  expect(notes('show', head).split('\n').sort()).toEqual(['deep', 'flat', 'line'])
  expect(git(root, 'ls-tree', '-r', '--name-only', 'refs/notes/qed').split('\n')).toHaveLength(1)
})

test('of many that write at once none is lost', async () => {
  const { repo, head, add } = notebook()
  const lines = Array.from({ length: 8 }, (_, i) => `line ${i}`)
  await Promise.all(lines.map(line => add([line], [head])))
  expect((await text(repo, head))?.trimEnd().split('\n').sort()).toEqual(lines)
})

test('a ref that moves between reading and writing is read again', async () => {
  const { root, repo, head, add } = notebook()
  await add(['first'], [head])
  let moved = false
  const meddled: Git = {
    ...repo,
    call: async (args, options) => {
      if (args[0] === 'update-ref' && !moved) {
        moved = true
        git(root, 'notes', '--ref=qed', 'append', '-m', 'in between', head)
      }
      return repo.call(args, options)
    },
  }
  await add(['mine'], [head], { through: meddled })
  expect(await text(repo, head)).toBe('first\n\nin between\nmine\n')
})

test('a ref that never holds still is given up with a reason, and nothing is lost', async () => {
  const { root, repo, head, add } = notebook()
  await add(['first'], [head])
  let n = 0
  const meddled: Git = {
    ...repo,
    call: (args, options) => {
      if (args[0] === 'update-ref') git(root, 'notes', '--ref=qed', 'add', '-f', '-m', `${++n}`, head)
      return repo.call(args, options)
    },
  }
  await expect(add(['mine'], [head], { through: meddled, attempts: 3 })).rejects.toThrow(NotesBusy)
  expect(await text(repo, head)).toBe(`${n}\n`)
})

test('a note is as well kept in a repository whose ids are SHA-256', async () => {
  const root = temporaryFolder()
  git(root, 'init', '--quiet', '--object-format=sha256')
  write(root, { 'a.txt': 'a' })
  git(root, 'add', '-A')
  git(root, 'commit', '--quiet', '-m', 'a')
  const { repo, head, add, notes } = notebook(root)
  await add(['line'])
  expect(await text(repo, head)).toBe('line\n')
  expect(notes('show', head)).toBe('line')
})
