import { execFileSync } from 'node:child_process'
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
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { exitCodeOf } from '../../src/kernel/exit-codes.ts'
import { captureTree } from '../../src/proof/capture/capture-tree.ts'
import { defaultBranches } from '../../src/proof/capture/choose.ts'
import { compareTrees } from '../../src/proof/capture/compare.ts'
import { openRepository, seemChanged } from '../../src/proof/capture/repository.ts'
import { forgetProduced, proofRef, subjectOfCheckout, subjectOfPlace } from '../../src/proof/capture/subject.ts'
import { bench, git, repository, write } from '../sandbox/support.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folders.ts'
import { house, newProof } from './support.ts'

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']

/** Paths and modes of a tree. */
function listed(root: string, tree: string): string[] {
  return git(root, '-c', 'core.quotePath=false', 'ls-tree', '-r', tree)
    .split('\n')
    .filter(Boolean)
    .map(line => line.replace(/^(\d+) \w+ [0-9a-f]+\t/, '$1 '))
}

describe('F-1 a capture', () => {
  test('holds tracked, untracked, linked and executable files, whatever their names, and nothing that is ignored', async () => {
    const { root, subject } = house({ 'a.txt': 'a\n', 'gone.txt': 'x', '.gitignore': '*.log\n', 'kept/b.txt': 'b' })
    rmSync(join(root, 'gone.txt'))
    write(root, { 'new\nline': '1', 'q"uote\\': '2', 'a blank ': '3', ümlaut: '4', 'x.log': 'no', '-dash': '5', ':(top)': '6' })
    chmodSync(join(root, 'a.txt'), 0o755)
    symlinkSync('/etc/passwd', join(root, 'link'))
    const { result, left_out } = await subject()
    const names = git(root, 'ls-tree', '-r', '-z', '--name-only', result.tree).split('\0').filter(Boolean).sort()
    expect(names).toEqual(
      ['.gitignore', 'a.txt', 'kept/b.txt', 'new\nline', 'q"uote\\', 'a blank ', 'ümlaut', '-dash', ':(top)', 'link'].sort(),
    )
    expect(listed(root, result.tree)).toEqual(expect.arrayContaining(['100755 a.txt', '120000 link']))
    expect(left_out).toEqual([])
  })

  test('F-38 changes neither files nor index nor HEAD nor config nor branches', async () => {
    const { root, subject } = house({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    write(root, { 'a.txt': 'changed', 'new.txt': 'n' })
    git(root, 'add', 'new.txt')
    const look = (): unknown => [
      readFileSync(join(root, '.git/index')).toString('hex'),
      readFileSync(join(root, '.git/HEAD'), 'utf8'),
      readFileSync(join(root, '.git/config'), 'utf8'),
      git(root, 'for-each-ref', 'refs/heads', 'refs/tags', 'refs/remotes'),
      readdirSync(root).map(name => [name, statSync(join(root, name)).mtimeMs]),
      readdirSync(join(root, '.git')).filter(name => name !== 'refs'),
    ]
    const before = look()
    const { result } = await subject()
    expect(look()).toEqual(before)
    expect(listed(root, result.tree)).toEqual(['100644 a.txt', '100644 b.txt', '100644 new.txt'])
  })

  test('index flags hide nothing', async () => {
    const { root, subject } = house({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    git(root, 'update-index', '--assume-unchanged', 'a.txt')
    git(root, 'update-index', '--skip-worktree', 'b.txt')
    write(root, { 'a.txt': 'A', 'b.txt': 'B' })
    const { result } = await subject()
    expect([git(root, 'show', `${result.tree}:a.txt`), git(root, 'show', `${result.tree}:b.txt`)]).toEqual(['A', 'B'])
  })

  test('sees a change of the same size with its old time put back, although it knows the file from before', async () => {
    const { root, subject } = house({ 'a.txt': 'one\n' })
    const old = new Date(Date.now() - 60_000)
    write(root, { 'b.txt': 'b' })
    utimesSync(join(root, 'a.txt'), old, old)
    await subject()
    writeFileSync(join(root, 'a.txt'), 'two\n')
    utimesSync(join(root, 'a.txt'), old, old)
    const { result } = await subject()
    expect(git(root, 'show', `${result.tree}:a.txt`)).toBe('two')
  })

  test('of a clean checkout is the tree of HEAD, with a file in it that was added although it is ignored', async () => {
    const { root, subject } = house({ 'a.txt': 'a', '.gitignore': '*.log\n' })
    write(root, { 'kept.log': 'k', 'other.log': 'o' })
    git(root, 'add', '-f', 'kept.log')
    git(root, 'commit', '-qm', 'second')
    const { result, base } = await subject()
    expect([result.tree, base.commit]).toEqual([git(root, 'rev-parse', 'HEAD^{tree}'), git(root, 'rev-parse', 'HEAD~1')])
  })

  test('a file that became a folder, a folder that became a file or a link: what is there is what counts', async () => {
    const { root, subject } = house({ file: 'f', 'folder/x': 'x', 'linked/y': 'y', 'other/y': 'not y', keep: 'k' })
    rmSync(join(root, 'file'))
    rmSync(join(root, 'folder'), { recursive: true })
    rmSync(join(root, 'linked'), { recursive: true })
    write(root, { 'file/inside': '1', folder: '2' })
    symlinkSync('other', join(root, 'linked'))
    const { result } = await subject()
    expect(listed(root, result.tree)).toEqual(['100644 file/inside', '100644 folder', '100644 keep', '120000 linked', '100644 other/y'])
  })

  test('a repository inside is a gitlink, one without a commit is told, and what its config says is never run', async () => {
    const { root, subject, folder } = house()
    const ran = join(folder, 'ran')
    for (const name of ['inside', 'empty']) git(root, 'init', '-q', name)
    write(root, { 'inside/f': '1', 'inside/.gitattributes': '* filter=bad\n', 'empty/f': '1' })
    git(join(root, 'inside'), 'add', '-A')
    git(join(root, 'inside'), 'commit', '-qm', 'x')
    git(join(root, 'inside'), 'config', 'filter.bad.clean', `touch ${ran}; cat`)
    git(join(root, 'inside'), 'config', 'core.fsmonitor', `touch ${ran}`)
    await subject()
    write(root, { 'inside/f': '2' })
    const { result, left_out } = await subject()
    expect(listed(root, result.tree)).toEqual(['100644 a.txt', '160000 inside'])
    expect([left_out, existsSync(ran)]).toEqual([['empty'], false])
  })

  test('submodules keep their pointer, also where they are not checked out', async () => {
    const library = repository({ 'l.txt': 'l' })
    const { root, subject } = house()
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
    git(root, 'commit', '-qm', 'submodule')
    const tree = git(root, 'rev-parse', 'HEAD^{tree}')
    expect((await subject()).result.tree).toBe(tree)
    rmSync(join(root, 'lib'), { recursive: true })
    mkdirSync(join(root, 'lib'))
    expect((await subject()).result.tree).toBe(tree)
  })

  test('settings of the repository that hide changes or refuse them have no say', async () => {
    const { root, subject } = house({ 'a.txt': 'a\n', '.gitattributes': '*.txt text\n' })
    for (const setting of ['core.safecrlf=true', 'core.autocrlf=input', 'core.splitIndex=true', 'core.trustctime=false'])
      git(root, 'config', ...(setting.split('=') as [string, string]))
    writeFileSync(join(root, 'a.txt'), 'a\r\nb\n')
    const { result } = await subject()
    expect(git(root, 'show', `${result.tree}:a.txt`)).toBe('a\nb')
    expect(readdirSync(join(root, '.git')).filter(name => name.startsWith('sharedindex'))).toEqual([])
  })

  test('keeps what a sparse checkout does not show, and takes what is there although it is not shown', async () => {
    const { root, subject } = house({ 'in/a': 'a', 'out/b': 'b', 'out/c': 'c' })
    git(root, 'sparse-checkout', 'set', 'in')
    write(root, { 'in/a': 'changed', 'out/c': 'changed' })
    const { result } = await subject()
    expect(git(root, 'diff', '--name-only', 'HEAD', result.commit)).toBe('in/a\nout/c')
  })

  test('F-44 what git-lfs keeps is captured as its pointer, although only the person’s own config names the filter', async () => {
    const tools = temporaryFolder()
    write(tools, { 'git-lfs': '#!/bin/sh\ncat > /dev/null\necho pointer\n' })
    chmodSync(join(tools, 'git-lfs'), 0o755)
    const path = `${tools}:${process.env['PATH'] ?? ''}`
    const { root, subject } = house({ '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'pointer\n' }, { env: { PATH: path } })
    write(root, { 'x.bin': 'the large content', other: 'o' })
    const { result } = await subject()
    expect(git(root, 'diff', '--name-only', 'HEAD', result.commit)).toBe('other')
  })

  test('the memory of captures that nobody made for a week is forgotten, and what a killed one left after an hour', async () => {
    const { root, state, subject } = house()
    write(root, { 'b.txt': 'b' })
    const hours = { old: 8 * 24, new: 2, 'killed.a1': 2, 'now.a1': 0 }
    for (const [name, age] of Object.entries(hours)) {
      write(state, { [`indexes/${name}`]: 'x' })
      const at = new Date(Date.now() - age * 3_600_000)
      utimesSync(join(state, 'indexes', name), at, at)
    }
    await subject()
    expect(readdirSync(join(state, 'indexes')).filter(name => name.length < 10)).toEqual(['new', 'now.a1'])
  })

  test('the person’s own ignore file counts in their checkout and nowhere else', async () => {
    const { root, repository, state, folder, subject } = house()
    write(folder, { ignore: '*.swp\n' })
    write(root, { 'x.swp': '1', 'a.txt': 'b' })
    const { result } = await subject({ excludes: join(folder, 'ignore') })
    expect(listed(root, result.tree)).toEqual(['100644 a.txt'])
    const { tree } = await captureTree({ git: repository.git, root, tracked: 'HEAD', state })
    expect(listed(root, tree)).toEqual(['100644 a.txt', '100644 x.swp'])
  })

  test('QED’s own folder is the person’s set-up where none of it is tracked, and part of the tree where some of it is', async () => {
    const fresh = house()
    write(fresh.root, { '.qed/config.json': '{}', 'a.txt': 'b' })
    expect(listed(fresh.root, (await fresh.subject()).result.tree)).toEqual(['100644 a.txt'])
    const kept = house({ '.qed/project.json': '{}', 'a.txt': 'a' })
    write(kept.root, { '.qed/config.json': '{}' })
    expect(listed(kept.root, (await kept.subject()).result.tree)).toEqual([
      '100644 .qed/config.json',
      '100644 .qed/project.json',
      '100644 a.txt',
    ])
  })

  test('a damaged memory of the last capture, or a lock beside it, costs time and nothing else', async () => {
    const { root, state, subject } = house()
    write(root, { 'a.txt': 'changed' })
    const first = await subject()
    const [name = ''] = readdirSync(join(state, 'indexes'))
    writeFileSync(join(state, 'indexes', name), 'DIRC nonsense')
    writeFileSync(join(state, 'indexes', `${name}.lock`), '')
    expect((await subject()).result.tree).toBe(first.result.tree)
    write(root, { 'b.txt': 'b' })
    expect(listed(root, (await subject()).result.tree)).toEqual(['100644 a.txt', '100644 b.txt'])
  })

  test('works in a worktree of a repository that has no files of its own', async () => {
    const bare = join(temporaryFolder(), 'bare.git')
    execFileSync('git', ['clone', '-q', '--bare', repository({ 'a.txt': 'a\n' }), bare])
    const root = join(temporaryFolder(), 'work')
    git(bare, 'worktree', 'add', '-q', root)
    write(root, { 'b.txt': 'b' })
    const { result } = await house(root, { project: null }).subject()
    expect(listed(root, result.tree)).toEqual(['100644 a.txt', '100644 b.txt'])
  })

  test.each(['sha1', 'sha256'])('works in a repository of %s, in a worktree of it, and from a sub-folder', async format => {
    const root = temporaryFolder()
    git(root, 'init', '-q', '-b', 'main', `--object-format=${format}`)
    write(root, { 'src/a.txt': 'a' })
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'base')
    const linked = join(temporaryFolder(), 'linked')
    git(root, 'worktree', 'add', '-q', '-b', 'other', linked)
    write(linked, { 'src/b.txt': 'b' })
    git(linked, 'add', '-A')
    git(linked, 'commit', '-qm', 'second')
    write(linked, { 'c.txt': 'c' })
    const b = bench()
    const opened = openRepository(join(linked, 'src'), b.processes)
    const { result, base } = await subjectOfCheckout(opened, {}, { clock: systemClock, state: b.state, proof: newProof() })
    expect([opened.root, base.commit]).toEqual([linked, git(linked, 'rev-parse', 'HEAD')])
    expect(listed(root, result.tree)).toEqual(['100644 c.txt', '100644 src/a.txt', '100644 src/b.txt'])
  })

  test('of a place starts from the base of the brief, whatever HEAD and branches say by then', async () => {
    const { root, state, processes } = house({ 'a.txt': 'a\n' })
    const base = { commit: git(root, 'rev-parse', 'HEAD'), tree: git(root, 'rev-parse', 'HEAD^{tree}') }
    write(root, { 'a.txt': 'b\n' })
    git(root, 'commit', '-qam', 'moved by the worker')
    const options = { git: openRepository(root, processes).git, clock: systemClock, state, proof: newProof() }
    const { result } = await subjectOfPlace({ root, base }, options)
    expect([git(root, 'log', '-1', '--format=%P', result.commit), git(root, 'show', `${result.tree}:a.txt`)]).toEqual([base.commit, 'b'])
  })
})

test('F-2 the produced commit: one parent, fixed author, the time of the clock, kept by its ref through a collection', async () => {
  const { root, repository, state } = house()
  write(root, { 'b.txt': 'b' })
  const proof = newProof()
  const clock = handClock()
  const { result, base } = await subjectOfCheckout(repository, {}, { clock, state, proof })
  const format = '%P|%an <%ae>|%cn <%ce>|%aI|%cI'
  const who = 'QED <qed@localhost>'
  const at = '2026-01-31T12:00:00+00:00'
  expect(git(root, 'log', '-1', `--format=${format}`, result.commit)).toBe([base.commit, who, who, at, at].join('|'))
  git(root, 'gc', '--quiet', '--prune=now')
  expect(git(root, 'rev-parse', proofRef(proof))).toBe(result.commit)
})

test('a ref that cannot be removed is an error, one that is not there is none', async () => {
  const { root, repository } = house()
  const [kept, absent] = [newProof(), newProof()]
  git(root, 'update-ref', proofRef(kept), 'HEAD')
  for (const proof of [kept, absent]) write(root, { [`.git/${proofRef(proof)}.lock`]: '' })
  await expect(forgetProduced(repository.git, kept)).rejects.toMatchObject({ code: 'failed' })
  await expect(forgetProduced(repository.git, absent)).resolves.toBeUndefined()
})

test('files that are as they were committed are proven as that commit, so that others find the proof on it', async () => {
  const { root, repository, state } = house()
  write(root, { 'b.txt': 'b' })
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', 'work')
  const head = git(root, 'rev-parse', 'HEAD')
  const proof = newProof()
  const { result, now } = await subjectOfCheckout(repository, {}, { clock: systemClock, state, proof })
  expect([result.commit, git(root, 'rev-parse', proofRef(proof)), await now()]).toEqual([head, head, result.tree])
  write(root, { 'b.txt': 'edited' })
  expect(await now()).not.toBe(result.tree)
})

describe('§11 the base, where nobody names it', () => {
  /** A clone of a repository with two commits on main, HEAD of the remote being main. */
  function clone(): { root: string; upstream: string; commit: (message: string) => string } {
    const upstream = repository({ 'a.txt': 'a' })
    const root = join(temporaryFolder(), 'clone')
    execFileSync('git', ['clone', '-q', upstream, root])
    return {
      root,
      upstream,
      commit: message => (git(root, 'commit', '-q', '--allow-empty', '-m', message), git(root, 'rev-parse', 'HEAD')),
    }
  }

  test('is where the branch left its upstream', async () => {
    const { root, commit } = clone()
    const start = git(root, 'rev-parse', 'HEAD')
    commit('one')
    commit('two')
    expect((await house(root).subject()).base.commit).toBe(start)
  })

  test('is where the branch left the remote’s default branch, if it follows none', async () => {
    const { root, commit } = clone()
    const start = git(root, 'rev-parse', 'HEAD')
    git(root, 'checkout', '-q', '--no-track', '-b', 'feature')
    commit('one')
    expect((await house(root).subject()).base.commit).toBe(start)
    git(root, 'checkout', '-q', '--detach')
    expect((await house(root).subject()).base.commit).toBe(start)
  })

  test('is HEAD where only the files have changed, and the commit before it where nothing has', async () => {
    const { root } = clone()
    write(root, { 'b.txt': 'b' })
    expect((await house(root).subject()).base.commit).toBe(git(root, 'rev-parse', 'HEAD'))
    const alone = repository({ 'a.txt': 'a' })
    git(alone, ...IDENTITY, 'commit', '-q', '--allow-empty', '-m', 'second')
    expect((await house(alone).subject()).base.commit).toBe(git(alone, 'rev-parse', 'HEAD~1'))
    write(alone, { 'b.txt': 'b' })
    expect((await house(alone).subject()).base.commit).toBe(git(alone, 'rev-parse', 'HEAD'))
  })

  test('is the revision that was named, and so is the result, which then cannot go stale', async () => {
    const { root, commit } = clone()
    const first = commit('one')
    const second = commit('two')
    write(root, { 'b.txt': 'not part of it' })
    const found = await house(root).subject({ base: first, result: second })
    expect([found.base.commit, found.result.commit, await found.now()]).toEqual([first, second, null])
  })

  test.each([
    ['without any commit', (root: string) => (rmSync(join(root, '.git'), { recursive: true }), git(root, 'init', '-q')), {}, 'usage'],
    ['on a first commit that nothing was done to', () => undefined, {}, 'usage'],
    ['a base that is not there', () => undefined, { base: 'nowhere' }, 'invalid_input'],
    ['a result that is not there', () => undefined, { result: 'nowhere' }, 'invalid_input'],
    ['a base that looks like an option', () => undefined, { base: '--all' }, 'invalid_input'],
    ['a range', () => undefined, { base: 'HEAD..HEAD' }, 'invalid_input'],
  ])('is refused as wrong use %s', async (_what, prepare, asked, code) => {
    const root = repository({ 'a.txt': 'a' })
    prepare(root)
    const refused: unknown = await house(root)
      .subject(asked)
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code, next: { why: expect.any(String) as string } })
    expect(exitCodeOf(code)).toBe(2)
  })

  test('a shallow clone is told how to get the commit before', async () => {
    const { root, upstream } = clone()
    git(root, 'commit', '-q', '--allow-empty', '-m', 'second')
    git(root, 'push', '-q', upstream, 'HEAD:refs/heads/deep')
    const shallow = join(temporaryFolder(), 'shallow')
    execFileSync('git', ['clone', '-q', '--depth', '1', '--branch', 'deep', `file://${upstream}`, shallow])
    const refused: unknown = await house(shallow)
      .subject()
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'usage', details: { why: 'shallow' }, next: { command: 'git fetch --deepen=1' } })
    git(shallow, 'fetch', '-q', '--deepen=1')
    expect((await house(shallow).subject()).base.commit).toBe(git(shallow, 'rev-parse', 'HEAD~1'))
  })

  test('outside a repository it is wrong use too', () => {
    expect(() => openRepository(temporaryFolder(), bench().processes)).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  test('the default branch is that of origin or of the only remote, by HEAD or by its usual name', () => {
    expect(defaultBranches(['origin/HEAD', 'origin/main', 'fork/HEAD'])).toEqual(['origin/HEAD', 'origin/main'])
    expect(defaultBranches(['upstream/master', 'upstream/x'])).toEqual(['upstream/master'])
    expect(defaultBranches(['one/main', 'two/main'])).toEqual([])
  })
})

describe('the changes between two trees', () => {
  test('both sides with mode, size and text; binaries and long files without', async () => {
    const long = 'x'.repeat((1 << 20) + 1)
    const {
      root,
      repository: { git: driver },
      subject,
    } = house({ 'a.txt': 'a\n', 'mode.sh': 'm', 'del.txt': 'gone', type: 't' })
    write(root, { 'a.txt': 'b\n', 'bin.dat': Buffer.from([1, 0, 2]), 'long.txt': long, 'empty.txt': '' })
    rmSync(join(root, 'del.txt'))
    rmSync(join(root, 'type'))
    symlinkSync('a.txt', join(root, 'type'))
    chmodSync(join(root, 'mode.sh'), 0o755)
    const { base, result } = await subject()
    const { changes } = await compareTrees(driver, { base: base.tree, result: result.tree })
    const short = changes.map(({ path, kind, before, after }) => [
      path,
      kind,
      before && `${before.mode} ${before.size} ${before.text}`,
      after && `${after.mode} ${after.size} ${after.binary} ${after.text}`,
    ])
    expect(short).toEqual([
      ['a.txt', 'changed', '100644 2 a\n', '100644 2 false b\n'],
      ['bin.dat', 'added', null, '100644 3 true null'],
      ['del.txt', 'deleted', '100644 4 gone', null],
      ['empty.txt', 'added', null, '100644 0 false '],
      ['long.txt', 'added', null, `100644 ${long.length} false null`],
      ['mode.sh', 'changed', '100644 1 m', '100755 1 false m'],
      ['type', 'changed', '100644 1 t', '120000 5 false a.txt'],
    ])
  })

  test('a move is two changes that name each other, exact or similar', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join('')
    const {
      root,
      repository: { git: driver },
      subject,
    } = house({ 'old name.txt': lines, 'b.txt': `b\n${lines}` })
    renameSync(join(root, 'old name.txt'), join(root, 'new\tname.txt'))
    rmSync(join(root, 'b.txt'))
    write(root, { 'c.txt': `c\n${lines}more\n` })
    const { base, result } = await subject()
    const { changes } = await compareTrees(driver, { base: base.tree, result: result.tree })
    expect(changes.map(({ path, kind, moved_from, moved_to }) => [path, kind, moved_from, moved_to])).toEqual([
      ['b.txt', 'deleted', undefined, 'c.txt'],
      ['c.txt', 'added', 'b.txt', undefined],
      ['new\tname.txt', 'added', 'old name.txt', undefined],
      ['old name.txt', 'deleted', undefined, 'new\tname.txt'],
    ])
  })

  test('texts of chosen files of the result come along', async () => {
    const {
      repository: { git: driver },
    } = house({ 'a.test.js': 'test', 'b.js': 'b', 'img.test.png': Buffer.from([0]) })
    const { texts, changes } = await compareTrees(driver, { base: 'HEAD', result: 'HEAD' }, path => path.includes('.test.'))
    expect([[...texts], changes]).toEqual([[['a.test.js', 'test']], []])
  })
})

test('F-38 a quick look names what is otherwise than HEAD, whatever its name, and changes nothing', async () => {
  const { root, processes } = house({ 'a.txt': 'a\n', 'staged.txt': 's\n', 'gone.txt': 'g\n', 'kept.txt': 'k\n', '.gitignore': '*.log\n' })
  const opened = openRepository(root, processes)
  expect(await seemChanged(opened)).toEqual([])
  write(root, { 'a.txt': 'changed', 'staged.txt': 'too', 'x.log': 'no', 'new\nline': '1', 'ü/deep': '2', '.qed/project.json': '{}' })
  git(root, 'add', 'staged.txt')
  rmSync(join(root, 'gone.txt'))
  const index = readFileSync(join(root, '.git/index')).toString('hex')
  expect((await seemChanged(opened)).sort()).toEqual(['a.txt', 'gone.txt', 'new\nline', 'staged.txt', 'ü/deep'])
  expect(readFileSync(join(root, '.git/index')).toString('hex')).toBe(index)
})
