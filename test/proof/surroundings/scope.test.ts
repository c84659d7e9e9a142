import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import type { Surroundings } from '../../../src/proof/facts.ts'
import { type Between, compareScopes } from '../../../src/proof/surroundings/compare-scopes.ts'
import { ScopeSnapshot } from '../../../src/proof/surroundings/scope-snapshot.ts'
import { takeScope } from '../../../src/proof/surroundings/take-scope.ts'
import { createGit } from '../../../src/sandbox/git/git.ts'
import { DEFAULT_OUTPUTS } from '../../../src/sandbox/scope/outputs.ts'
import { bench, git, repository, write } from '../../sandbox/support.ts'

const SILENCE: Surroundings = {
  sandboxed: false,
  commands: [],
  ignored: [],
  outside: [],
  sacred: [],
  hard_links: [],
  git: { hooks: [], config: [], replace: [], index_flags: [], refs: [] },
  ended: [],
  escaped: [],
  destructive: [],
}

const BETWEEN: Between = {
  sandboxed: false,
  commands: [],
  ended: [],
  escaped: [],
  destructive: [],
  own: { paths: [], refs: [] },
  isSacred: path => path.startsWith('auth/'),
}

interface World {
  root: string
  place: string
  home: string
}

/** A project, a place of it with an ignored file, and a home. Says what is different after the act. */
async function changedBy(
  act: (world: World) => void,
  more: Partial<Between> | ((world: World) => Partial<Between>) = {},
): Promise<Surroundings> {
  const { folder, processes } = bench()
  const root = repository({
    '.gitignore': 'dist/\nlocal.cfg\nnode_modules/\n*.tmp\n',
    'src/a.ts': 'a\n',
    'src/b.ts': 'b\n',
    'auth/login.ts': 'login\n',
    constructor: 'x\n',
  })
  const home = join(folder, 'home')
  const places = join(folder, 'places')
  const place = join(places, 'one')
  git(root, 'worktree', 'add', '--quiet', '--detach', place)
  write(place, { 'local.cfg': 'old\n', 'dist/out.js': '1\n', 'node_modules/x/index.js': '1\n' })
  write(home, { '.bashrc': 'PS1=x\n', '.ssh/config': 'Host a\n', '.watched/deep/rc': '1\n' })
  const world = { root, place, home }
  const taker = {
    git: createGit(processes, { root, gitFolder: join(root, '.git') }),
    clock: systemClock,
    place,
    checkout: root,
    places,
    base: git(root, 'rev-parse', 'HEAD'),
    outputs: DEFAULT_OUTPUTS,
    home,
    watch_outside: ['~/.watched'],
  }
  const before = await takeScope(taker)
  act(world)
  const after = await takeScope(taker)
  const kept = (snapshot: ScopeSnapshot): ScopeSnapshot => ScopeSnapshot().parse(JSON.parse(JSON.stringify(snapshot)))
  const between = { ...BETWEEN, ...(typeof more === 'function' ? more(world) : more) }
  return compareScopes(kept(before), kept(after), between)
}

test('F-5 nothing differs where nothing was done', async () => {
  expect(await changedBy(() => undefined)).toEqual(SILENCE)
})

test('F-5 changes of tracked and untracked files are left to the tree, and outputs mean nothing', async () => {
  const found = await changedBy(({ place }) => {
    write(place, {
      'src/a.ts': 'other\n',
      'src/new.ts': 'new\n',
      'dist/out.js': '2\n',
      'dist/more.js': '3\n',
      'node_modules/x/index.js': '2\n',
    })
    rmSync(join(place, 'src/b.ts'))
  })
  expect(found).toEqual(SILENCE)
})

test('F-5 ignored files that change, go or come are named', async () => {
  const changed = await changedBy(({ place }) => {
    // Same length, and the time of the content put back: the time of the change still tells.
    writeFileSync(join(place, 'local.cfg'), 'new\n')
    utimesSync(join(place, 'local.cfg'), 1, 1)
    write(place, { 'src/a.tmp': '' })
  })
  expect(changed.ignored).toEqual([
    { path: 'local.cfg', kind: 'changed' },
    { path: 'src/a.tmp', kind: 'added' },
  ])
  const gone = await changedBy(({ place }) => rmSync(join(place, 'local.cfg')))
  expect(gone.ignored).toEqual([{ path: 'local.cfg', kind: 'deleted' }])
})

test('F-5 names that every object has, magic words and line ends are names like others', async () => {
  const names = ['__proto__.tmp', ':(glob)x.tmp', 'a\nb.tmp', 'toString.tmp', ':!x.tmp', '-x.tmp', '*.tmp']
  const found = await changedBy(({ place }) => {
    for (const name of names) writeFileSync(join(place, name), '')
    mkdirSync(join(place, '__proto__'))
    writeFileSync(join(place, 'valueOf'), '')
    writeFileSync(join(place, '__proto__/x.tmp'), '')
    rmSync(join(place, 'constructor'))
  })
  expect(found).toEqual({ ...SILENCE, ignored: [...names, '__proto__/x.tmp'].sort().map(path => ({ path, kind: 'added' })) })
})

test('F-5 a sacred path in the place is named, whatever git thinks of it', async () => {
  const found = await changedBy(({ place }) => write(place, { 'auth/login.ts': 'open\n', 'auth/key.tmp': 'x' }))
  expect(found.sacred).toEqual(['auth/key.tmp', 'auth/login.ts'])
})

test('F-5 a second name for a file is named, inside and outside of the place', async () => {
  const found = await changedBy(({ place, home }) => {
    linkSync(join(place, 'src/a.ts'), join(home, 'stolen'))
    linkSync(join(home, '.bashrc'), join(place, 'src/rc'))
  })
  expect(found.hard_links).toEqual(['src/a.ts', 'src/rc'])
})

test('F-5 the main checkout and what is watched outside are named with their whole path', async () => {
  let at = { root: '', home: '' }
  const found = await changedBy(({ root, home }) => {
    at = { root, home }
    write(root, { 'src/a.ts': 'other\n', 'src/new.ts': 'new\n' })
    write(home, { '.bashrc': 'evil\n', '.ssh/authorized_keys': 'me\n', '.watched/deep/rc': '2\n', '.unwatched': '' })
  })
  const { root, home } = at
  expect(found).toEqual({
    ...SILENCE,
    outside: [
      { path: join(root, 'src/a.ts'), kind: 'changed' },
      { path: join(root, 'src/new.ts'), kind: 'added' },
      { path: join(home, '.bashrc'), kind: 'changed' },
      { path: join(home, '.ssh/authorized_keys'), kind: 'added' },
      { path: join(home, '.watched/deep/rc'), kind: 'changed' },
    ],
  })
})

test('F-5 a file written again with the same bytes is no change', async () => {
  const found = await changedBy(({ root, home }) => {
    write(root, { 'src/a.ts': 'a\n' })
    write(home, { '.bashrc': 'PS1=x\n' })
  })
  expect(found).toEqual(SILENCE)
})

test('F-5 a start file behind a link is watched as what it leads to', async () => {
  const found = await changedBy(({ home }) => {
    renameSync(join(home, '.bashrc'), join(home, 'dotfiles-bashrc'))
    symlinkSync('dotfiles-bashrc', join(home, '.bashrc'))
  })
  expect(found).toEqual(SILENCE)
  const evil = await changedBy(({ home }) => {
    write(home, { 'dotfiles-bashrc': 'evil\n' })
    rmSync(join(home, '.bashrc'))
    symlinkSync('dotfiles-bashrc', join(home, '.bashrc'))
  })
  expect(evil.outside.map(({ kind }) => kind)).toEqual(['changed'])
})

test('F-5 what QED itself did is left out', async () => {
  const found = await changedBy(
    ({ root, home }) => {
      write(root, { '.qed/policy.json': '{}' })
      write(home, { '.bashrc': 'x' })
      git(root, 'branch', 'qed-mission')
      git(root, 'update-ref', 'refs/qed/proofs/x', 'HEAD')
      git(root, 'notes', '--ref', 'qed', 'add', '-m', 'x')
    },
    ({ root, home }) => ({ own: { paths: [join(root, '.qed'), join(home, '.bashrc')], refs: ['refs/heads/qed-mission'] } }),
  )
  expect(found).toEqual(SILENCE)
})

test('F-5 the state that QED keeps in a project is its own, its settings are watched', async () => {
  let at = ''
  const found = await changedBy(({ root }) => {
    at = root
    write(root, { '.qed/.gitignore': 'qed.db*\nblobs/\npolicy.local.json\n' })
    write(root, { '.qed/qed.db-wal': 'x', '.qed/blobs/a': 'x', '.qed/policy.local.json': '{}' })
  })
  expect(found.outside).toEqual([
    { path: join(at, '.qed/.gitignore'), kind: 'added' },
    { path: join(at, '.qed/policy.local.json'), kind: 'added' },
  ])
})

test('F-5 hooks, config, replace refs, refs and worktrees of the project are named', async () => {
  const found = await changedBy(({ root, home }) => {
    write(root, {
      '.git/hooks/pre-commit': '#!/bin/sh\n',
      '.git/info/exclude': 'src/\n',
      '.git/info/attributes': '* filter=x\n',
      '.git/info/grafts': '',
    })
    chmodSync(join(root, '.git/hooks/pre-commit'), 0o755)
    git(root, 'config', 'alias.st', '!evil')
    git(root, 'commit', '--quiet', '--allow-empty', '-m', 'moved')
    git(root, 'replace', 'HEAD', 'HEAD~1')
    git(root, 'tag', 'v1')
    git(root, 'pack-refs', '--all')
    git(root, 'worktree', 'add', '--quiet', '--detach', join(home, 'elsewhere'))
    writeFileSync(join(root, '.git/shallow'), `${git(root, 'rev-parse', 'HEAD')}\n`)
  })
  expect(found.git).toEqual({
    hooks: ['hooks/pre-commit'],
    config: ['config', 'info/attributes', 'info/exclude'],
    replace: ['info/grafts', 'shallow', expect.stringMatching(/^refs\/replace\//)],
    index_flags: [],
    refs: ['refs/heads/main', 'refs/tags/v1', 'worktrees/elsewhere'],
  })
})

test('F-5 a hook whose mode alone changed is a changed hook', async () => {
  const found = await changedBy(({ root }) => chmodSync(join(root, '.git/hooks/pre-push.sample'), 0o600))
  expect(found.git.hooks).toEqual(['hooks/pre-push.sample'])
})

test('F-5 packing refs moves none', async () => {
  expect(await changedBy(({ root }) => git(root, 'pack-refs', '--all'))).toEqual(SILENCE)
})

test('F-5 flags that hide files from git are named, and so is an index that cannot be read', async () => {
  const found = await changedBy(({ place }) => {
    git(place, 'update-index', '--skip-worktree', 'src/a.ts')
    git(place, 'update-index', '--assume-unchanged', 'src/b.ts')
  })
  expect(found.git.index_flags).toEqual(['src/a.ts', 'src/b.ts'])
  const broken = await changedBy(({ place }) => {
    const folder = /^gitdir: (.+)$/m.exec(readFileSync(join(place, '.git'), 'utf8'))![1]!
    writeFileSync(join(folder, 'index'), 'DIRC nonsense')
  })
  expect(broken.git.index_flags).toEqual(['the index cannot be read'])
})

test('F-5 a place that points to another git folder is named', async () => {
  const found = await changedBy(({ place, home }) => {
    git(home, 'init', '--quiet', 'own')
    writeFileSync(join(place, '.git'), `gitdir: ${join(home, 'own/.git')}\n`)
  })
  expect(found.git.config).toEqual(['the pointer of the place to its git folder'])
})
