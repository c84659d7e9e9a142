import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { createBases } from '../../src/sandbox/git/base.ts'
import { createGit } from '../../src/sandbox/git/git.ts'
import { gitObjects } from '../../src/sandbox/objects/git-objects.ts'
import { isPlainRepository } from '../../src/sandbox/objects/loose-objects.ts'
import { indexHints } from '../../src/sandbox/snapshot/index-hints.ts'
import { createSnapshots } from '../../src/sandbox/snapshot/snapshots.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type House, house } from './house.ts'
import { bench, git, newRun, write } from './support.ts'

const FILES = {
  'src/a.ts': 'a\n',
  'src/deep/er/b.ts': 'b\n',
  'src-x': 'sorts before src/ by bytes\n',
  'gone.txt': 'x',
  'run.sh': '#!/bin/sh\n',
  '.gitignore': 'dist/\n*.log\nnode_modules/\n',
  'z/tracked.log': 'ignored, and tracked all the same',
}

// Names that sort otherwise by characters than by bytes, that need care, or that the rules of ignoring know.
const NAMES = [
  'a.ts',
  'b',
  'new\nline',
  'ü',
  '\u{1f600}',
  '\uffe6',
  '-x',
  'x.log',
  ' ',
  'dist',
  'node_modules',
  'A',
  'src',
  'deep',
  '"q"',
  'key.pem',
]
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'))
const known = fc.constantFrom(...Object.keys(FILES))
const step = fc.oneof(
  fc.record({ act: fc.constant('write' as const), path: fc.oneof(path, known), text: fc.string({ maxLength: 30 }) }),
  fc.record({ act: fc.constant('remove' as const), path: fc.oneof(path, known) }),
  fc.record({ act: fc.constant('chmod' as const), path: known, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o640) }),
  fc.record({ act: fc.constant('link' as const), path, to: fc.constantFrom('src/a.ts', 'nowhere', '..') }),
  fc.record({ act: fc.constant('folder' as const), path }),
  fc.record({ act: fc.constant('move' as const), path: known, to: path }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Does one step if the folder lets it be done; the others are none. Says which files it touched. */
function carryOut(root: string, one: Step): string[] {
  const at = join(root, one.path)
  try {
    if (one.act !== 'remove') mkdirSync(dirname(at), { recursive: true })
    if (one.act === 'write') writeFileSync(at, one.text)
    else if (one.act === 'remove') rmSync(at, { recursive: true, force: true })
    else if (one.act === 'chmod') chmodSync(at, one.mode)
    else if (one.act === 'link') symlinkSync(one.to, at)
    else if (one.act === 'folder') mkdirSync(at, { recursive: true })
    else renameSync(at, join(root, one.to))
  } catch {
    return []
  }
  return one.act === 'move' ? [one.path, one.to] : [one.path]
}

/** The same snapshots by git's own processes. */
function byGit(h: House) {
  const objects = gitObjects(h.driver, { state: h.state, clock: systemClock })
  return createSnapshots({
    git: h.driver,
    state: h.state,
    clock: systemClock,
    isSensitive: name => name.endsWith('.pem'),
    skip: SKIP,
    objects,
  })
}
const SKIP = ['**/dist/**', '**/node_modules/**', '**/*.tsbuildinfo']
const OWN = { isSensitive: (name: string) => name.endsWith('.pem'), skip: SKIP }

async function stateOf({ read }: House['snapshots'], ref: string) {
  const { tree, manifest, files } = await read(ref)
  return { tree, files: files.size, modes: manifest.modes, empty: [...manifest.empty_folders].sort(), out: names(manifest.left_out) }
}
const names = (leftOut: { path: string; reason: string }[]): string[] => leftOut.map(one => `${one.reason} ${one.path}`).sort()

describe('S-20 a snapshot made in this process', () => {
  test('is the one that git would make, whatever is in the folder, at the first look and at every further one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }), async turns => {
        const h = house(FILES, OWN)
        const watch = await h.snapshots.watch({ root: h.project, base: h.base, trustIndex: true })
        for (const turn of turns) {
          for (const one of turn) carryOut(h.project, one)
          ;(await watch.look()).take()
          const { ref } = await watch.save({ run: newRun(), reason: 'turn' })
          const wanted = await byGit(h).take({ run: newRun(), root: h.project, base: h.base, reason: 'turn' })
          expect(await stateOf(h.snapshots, ref)).toEqual(await stateOf(h.snapshots, wanted.ref))
        }
        expect(git(h.project, 'fsck', '--strict', '--no-dangling')).toBe('')
      }),
      { numRuns: process.env['QED_NIGHTLY'] ? 200 : 15 },
    )
  }, 120_000)

  test('S-21 after a look at the changed paths alone is the same as after a look at everything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
        const h = house(FILES, OWN)
        const watch = await h.snapshots.watch({ root: h.project, base: h.base })
        for (const one of steps) (await watch.look(carryOut(h.project, one))).take()
        const { ref } = await watch.save({ run: newRun(), reason: 'turn' })
        const whole = await h.snapshots.take({ run: newRun(), root: h.project, base: h.base, reason: 'turn' })
        expect(await stateOf(h.snapshots, ref)).toEqual(await stateOf(h.snapshots, whole.ref))
      }),
      { numRuns: process.env['QED_NIGHTLY'] ? 300 : 40 },
    )
  }, 120_000)

  test('S-22 near the total the same files are left out as at a first look', async () => {
    const h = house({ 'a.txt': '' }, { limits: { fileBytes: 1000, totalBytes: 1000 } })
    const watch = await h.snapshots.watch({ root: h.project, base: h.base })
    write(h.project, { 'big.bin': 'x'.repeat(800) })
    ;(await watch.look(['big.bin'])).take()
    expect([...watch.held.entries.keys()]).toContain('big.bin')
    write(h.project, { 'small.bin': 'y'.repeat(300) })
    ;(await watch.look(['small.bin'])).take()
    expect([...watch.held.leftOut.values()]).toEqual([{ path: 'big.bin', reason: 'over-total', size: 800 }])
    rmSync(join(h.project, 'small.bin'))
    ;(await watch.look(['small.bin'])).take()
    expect([[...watch.held.leftOut], watch.held.entries.has('big.bin')]).toEqual([[], true])
  })

  test('what QED keeps in a project is never part of it, and what the project tracks there is', async () => {
    const h = house({ '.qed/config.json': '{}', '.qed/.gitignore': 'qed.db*\nblobs/\n', 'a.txt': '' })
    write(h.project, { '.qed/qed.db': 'store', '.qed/qed.db-wal': 'w', '.qed/blobs/ab': 'b', '.qed/policy.json': '{}' })
    const { ref } = await h.snapshots.take({ run: newRun(), root: h.project, base: h.base, reason: 't' })
    expect([...(await h.snapshots.read(ref)).files.keys()].sort()).toEqual([
      '.qed/.gitignore',
      '.qed/config.json',
      '.qed/policy.json',
      'a.txt',
    ])
  })

  test('a rule of ignoring that changes between two looks is seen', async () => {
    const h = house(FILES)
    write(h.project, { 'dist/out.js': 'out' })
    const watch = await h.snapshots.watch({ root: h.project, base: h.base })
    expect(watch.held.entries.has('dist/out.js')).toBe(false)
    write(h.project, { '.gitignore': '*.log\n' })
    const { changes } = await watch.look(['.gitignore'])
    expect(changes).toEqual([
      { path: '.gitignore', kind: 'modified' },
      { path: 'dist/out.js', kind: 'added' },
    ])
  })

  test('a number that another has, a lock left behind, and refs that git has packed cost no snapshot', async () => {
    const h = house(FILES)
    const run = newRun()
    const folder = join(h.project, '.git/refs/qed/snapshots', run)
    const watch = await h.snapshots.watch({ root: h.project, base: h.base })
    const one = await watch.save({ run, reason: '1' })
    git(h.project, 'pack-refs', '--all', '--prune')
    expect(existsSync(folder)).toBe(false)
    const two = await watch.save({ run, reason: '2' })
    writeFileSync(join(folder, '3.lock'), '')
    git(h.project, 'update-ref', `refs/qed/snapshots/${run}/4`, h.base)
    const five = await watch.save({ run, reason: '5' })
    const other = await createSnapshots({ git: h.driver, state: h.state, clock: systemClock, ...OWN }).take({
      run,
      root: h.project,
      base: h.base,
      reason: '6',
    })
    expect([one.n, two.n, five.n, other.n]).toEqual([1, 2, 5, 6])
  })

  test('that cannot be written says so, and leaves no ref and no half object', async () => {
    const h = house(FILES)
    const watch = await h.snapshots.watch({ root: h.project, base: h.base })
    write(h.project, { 'new.txt': 'new' })
    const objects = join(h.project, '.git/objects')
    const refs = join(h.project, '.git/refs')
    renameSync(objects, `${objects}.away`)
    writeFileSync(objects, '')
    await expect(watch.look().then(() => watch.save({ run: newRun(), reason: 't' }))).rejects.toMatchObject({ code: expect.any(String) })
    expect(existsSync(join(refs, 'qed'))).toBe(false)
  })
})

describe('what git noted of the files', () => {
  const contentOf = async (h: House, path: string): Promise<string> => {
    const watch = await h.snapshots.watch({ root: h.project, base: git(h.project, 'rev-parse', 'HEAD'), trustIndex: true })
    const { ref } = await watch.save({ run: newRun(), reason: 't' })
    return (await h.driver.call(['cat-file', 'blob', `${ref}:${path}`])).text
  }
  const hintsOf = async (h: House) =>
    indexHints(h.project, await createBases(h.driver)(git(h.project, 'rev-parse', 'HEAD')), h.driver.folder)
  const commit = (root: string): void => {
    git(root, 'add', '-A')
    git(root, 'commit', '--quiet', '-m', 'more')
  }

  test('saves reading them, and a change that left size and time as they were is seen none the less', async () => {
    const h = house({ 'a.txt': 'one' })
    expect([...(await hintsOf(h)).keys()]).toEqual(['a.txt'])
    const { atime, mtime } = statSync(join(h.project, 'a.txt'))
    writeFileSync(join(h.project, 'a.txt'), 'eno')
    utimesSync(join(h.project, 'a.txt'), atime, mtime)
    expect(await contentOf(h, 'a.txt')).toBe('eno')
  })

  test('is not believed where git holds other line ends than the disk', async () => {
    const h = house({ 'a.txt': 'one' })
    git(h.project, 'config', 'core.autocrlf', 'true')
    writeFileSync(join(h.project, 'b.txt'), 'x\r\ny\r\n')
    commit(h.project)
    expect(git(h.project, 'cat-file', '-s', 'HEAD:b.txt')).toBe('4')
    expect(await contentOf(h, 'b.txt')).toBe('x\r\ny\r\n')
  })

  test('is not believed where a filter stands between, whatever it leaves of the size', async () => {
    const h = house({ '.gitattributes': '*.txt filter=rot\n' })
    git(h.project, 'config', 'filter.rot.clean', 'tr a-z b-za')
    writeFileSync(join(h.project, 'a.txt'), 'abc')
    commit(h.project)
    expect(git(h.project, 'show', 'HEAD:a.txt')).toBe('bcd')
    expect([(await hintsOf(h)).size, await contentOf(h, 'a.txt')]).toEqual([0, 'abc'])
  })

  test('is not believed of an index outside the project’s own git folder, nor of one that is none', async () => {
    const h = house({ 'a.txt': 'one' })
    const base = await createBases(h.driver)(h.base)
    expect(indexHints(h.project, base, join(temporaryFolder(), '.git'))).toEqual(new Map())
    writeFileSync(join(h.project, '.git/index'), 'DIRC and nonsense')
    expect(await hintsOf(h)).toEqual(new Map())
  })
})

describe('a repository of another form', () => {
  test.each([
    ['SHA-256 names', ['--object-format=sha256']],
    ['several people write', ['--shared=group']],
  ])('in which %s is saved by git itself', async (_, how) => {
    const root = temporaryFolder()
    git(root, 'init', '--quiet', ...how)
    write(root, FILES)
    git(root, 'add', '-A')
    git(root, 'commit', '--quiet', '-m', 'base')
    expect(isPlainRepository(join(root, '.git'))).toBe(false)
    const { processes, state } = bench()
    const driver = createGit(processes, { root, gitFolder: join(root, '.git') })
    const snapshots = createSnapshots({ git: driver, state, clock: systemClock, ...OWN })
    const watch = await snapshots.watch({ root, base: git(root, 'rev-parse', 'HEAD') })
    write(root, { 'new.txt': 'new' })
    ;(await watch.look(['new.txt'])).take()
    const { ref } = await watch.save({ run: newRun(), reason: 't' })
    expect(git(root, 'show', `${ref}:new.txt`)).toBe('new')
    expect(git(root, 'fsck', '--no-dangling')).toBe('')
    expect(readdirSync(join(state, 'tmp'))).toEqual([])
    expect(readFileSync(join(root, 'new.txt'), 'utf8')).toBe('new')
  })
})
