import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyIncluded } from '../../src/sandbox/place/include.ts'
import { listPlaces } from '../../src/sandbox/place/places.ts'
import { restoreInto } from '../../src/sandbox/snapshot/restore.ts'
import { temporaryFolder } from '../support/folders.ts'
import { contents, house } from './house.ts'
import { git, newRun, repository, write } from './support.ts'

const WALLS = { sandbox: { program: 'bwrap', require: 'bubblewrap' } } as const
const FILES = { 'src/a.ts': 'a\n', 'package.json': '{}', '.gitignore': 'node_modules/\nvendor/\ndist/\n' }

describe('S-13 the prepared layer of a place', () => {
  const layerIn = (state: string): string => {
    const folder = join(state, 'layers/key')
    write(folder, { 'node_modules/left/index.js': '42\n', 'vendor/lib/x': 'x\n' })
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
    symlinkSync('../left/index.js', join(folder, 'node_modules/.bin/left'))
    return folder
  }

  test('is shown read-only, and copied where builds write inside it', async () => {
    const b = house(FILES, WALLS)
    const folder = layerIn(b.state)
    const run = newRun()
    const place = await b.places.make({ run, base: b.base, layer: { folder, paths: ['node_modules', 'vendor', 'missing'] } })
    expect(place.outputs).toContain('node_modules/.cache')
    expect([place.layer, place.layers]).toEqual([['node_modules', 'missing'], [{ from: join(folder, 'vendor'), to: 'vendor' }]])
    const out = await b.run(
      'cat node_modules/.bin/left vendor/lib/x; echo bad > vendor/lib/x; echo bad > node_modules/left/index.js; echo c > node_modules/.cache/c && echo cached',
      {
        cwd: place.path,
        writable: { place: place.path, owned: ['src/**'], outputs: place.outputs },
        layers: place.layers,
      },
    )
    expect(out.stdout.text).toBe('42\nx\ncached\n')
    expect(readFileSync(join(folder, 'node_modules/left/index.js'), 'utf8')).toBe('42\n')
  })

  test('is copied whole where there are no walls to show it behind', async () => {
    const b = house(FILES)
    const place = await b.places.make({
      run: newRun(),
      base: b.base,
      layer: { folder: layerIn(b.state), paths: ['node_modules', 'vendor'] },
    })
    expect([place.layers, readFileSync(join(place.path, 'vendor/lib/x'), 'utf8')]).toEqual([[], 'x\n'])
  })

  test('is in no snapshot, and neither a restore nor a clean-up takes it for work', async () => {
    const b = house(FILES)
    const run = newRun()
    const place = await b.places.make({ run, base: b.base, layer: { folder: layerIn(b.state), paths: ['node_modules', 'vendor'] } })
    const { ref } = await b.snapshots.take({ run, root: place.path, base: b.base, layer: place.layer, reason: 'test' })
    expect([...(await b.snapshots.read(ref)).files.keys()].sort()).toEqual(Object.keys(FILES).sort())
    writeFileSync(join(place.path, 'src/a.ts'), 'changed\n')
    const { plan } = await restoreInto({ git: b.driver, snapshots: b.snapshots, ref, into: place.path, run })
    expect(plan.changes).toEqual([{ path: 'src/a.ts', kind: 'modified' }])
    b.places.end(run)
    expect(await b.places.clean(run)).toMatchObject({ attic: null, left_out: [] })
    expect(existsSync(place.path)).toBe(false)
  })
})

test('S-24 what a place saved takes nothing of the project’s own settings away, brought back into the checkout', async () => {
  const b = house(FILES)
  const run = newRun()
  const place = await b.places.make({ run, base: b.base })
  writeFileSync(join(place.path, 'src/a.ts'), 'changed\n')
  const { ref } = await b.snapshots.take({ run, root: place.path, base: b.base, reason: 'test' })
  mkdirSync(join(b.project, '.qed'), { recursive: true })
  writeFileSync(join(b.project, '.qed/project.json'), '{}\n')
  const at = { git: b.driver, snapshots: b.snapshots, ref, into: b.project, run }
  const { plan } = await restoreInto(at)
  expect(plan.changes).toEqual([{ path: 'src/a.ts', kind: 'modified' }])
  expect((await restoreInto({ ...at, agreed: plan.digest })).restored).toBe(true)
  expect(readFileSync(join(b.project, '.qed/project.json'), 'utf8')).toBe('{}\n')
})

describe('S-17 submodules', () => {
  const withSubmodules = () => {
    const inner = repository({ 'inner.txt': 'inner\n' })
    const outer = repository({ 'lib.txt': 'lib\n' })
    const allow = ['-c', 'protocol.file.allow=always']
    git(outer, ...allow, 'submodule', '--quiet', 'add', inner, 'deep/inner')
    git(outer, 'commit', '-qm', 'nested')
    const b = house({ 'a.txt': 'a\n' })
    git(b.project, ...allow, 'submodule', '--quiet', 'add', '--name', 'the lib', outer, 'lib')
    git(b.project, ...allow, 'submodule', '--quiet', 'update', '--init', '--recursive')
    git(b.project, 'commit', '-qm', 'with a submodule')
    return { ...b, inner, outer, base: git(b.project, 'rev-parse', 'HEAD') }
  }

  test.each(['worktree', 'clone'] as const)('are checked out from what is on the machine, nested ones too, into a %s', async kind => {
    const b = withSubmodules()
    for (const gone of [b.inner, b.outer]) rmSync(gone, { recursive: true })
    const run = newRun()
    const place = await b.places.make({ run, base: b.base, kind })
    expect(place.empty_submodules).toEqual([])
    expect(Object.keys(contents(place.path)).sort()).toEqual([
      '.gitmodules',
      'a.txt',
      'lib/.gitmodules',
      'lib/deep/inner/inner.txt',
      'lib/lib.txt',
    ])
    expect(git(place.path, 'status', '--porcelain')).toBe('')
    writeFileSync(join(place.path, 'lib/lib.txt'), 'changed\n')
    b.places.end(run)
    const saved = await b.places.clean(run)
    const { files } = await b.snapshots.read(saved.snapshot ?? '')
    expect(git(b.project, 'cat-file', 'blob', files.get('lib/lib.txt')?.oid ?? '')).toBe('changed')
  })

  test('whose commits are not here stay empty and are named, whole or nested', async () => {
    const b = withSubmodules()
    const nested = join(b.project, '.git/modules/the lib/modules/deep/inner')
    rmSync(join(nested, 'objects'), { recursive: true })
    mkdirSync(join(nested, 'objects'))
    const place = await b.places.make({ run: newRun(), base: b.base })
    expect([place.empty_submodules, readdirSync(join(place.path, 'lib/deep/inner'))]).toEqual([['lib/deep/inner'], []])
    rmSync(join(b.project, '.git/modules'), { recursive: true })
    const bare = await b.places.make({ run: newRun(), base: b.base })
    expect([bare.empty_submodules, readdirSync(join(bare.path, 'lib'))]).toEqual([['lib'], []])
  })

  test('run nothing that a checkout or a name could bring: no program, no fetch, no folder outside', async () => {
    const b = withSubmodules()
    const module = join(b.project, '.git/modules/the lib')
    const ran = join(b.folder, 'ran')
    git(module, '--git-dir', module, 'config', 'core.fsmonitor', `touch ${ran}; false`)
    write(join(module, 'hooks'), { 'post-checkout': `#!/bin/sh\ntouch ${ran}\n` })
    writeFileSync(join(b.project, '.gitmodules'), '[submodule "../../escape"]\n\tpath = lib\n\turl = ext::touch %s\n')
    git(b.project, 'commit', '-qam', 'an odd name')
    rmSync(ran, { force: true })
    expect((await b.places.make({ run: newRun(), base: b.base })).empty_submodules).toEqual([])
    const place = await b.places.make({ run: newRun(), base: git(b.project, 'rev-parse', 'HEAD') })
    expect([place.empty_submodules, existsSync(ran)]).toEqual([['lib'], false])
  })
})

test('S-13 a file that a place gets a copy of is not written through a link of the base, nor over one of its files', async () => {
  const b = house({ 'cfg/x': 'x', '.gitignore': 'local*\n' })
  const victim = temporaryFolder()
  rmSync(join(b.project, 'cfg'), { recursive: true })
  symlinkSync(victim, join(b.project, 'cfg'))
  write(b.project, { 'sub/local.txt': 'tracked' })
  git(b.project, 'add', '-fA')
  git(b.project, 'commit', '-qm', 'a link')
  const base = git(b.project, 'rev-parse', 'HEAD')
  rmSync(join(b.project, 'cfg'))
  git(b.project, 'rm', '-q', '--cached', 'sub/local.txt')
  write(b.project, { 'cfg/local.txt': 'planted', 'sub/local.txt': 'planted', 'local.cfg': 'wanted' })
  const place = temporaryFolder()
  git(b.project, 'worktree', 'add', '-q', '--detach', join(place, 'p'), base)
  const copied = await copyIncluded(join(place, 'p'), { git: b.driver, root: b.project, include: ['**/local*'] })
  expect([copied, readdirSync(victim), readFileSync(join(place, 'p/sub/local.txt'), 'utf8')]).toEqual([['local.cfg'], [], 'tracked'])
})

test('the places of any project on this machine can be listed, and nothing else', async () => {
  const b = house()
  const place = await b.places.make({ run: newRun(), base: b.base })
  expect(listPlaces(b.state, 'prj_x').map(({ run }) => run)).toEqual([place.run])
  for (const odd of ['prj_y', '../places/prj_x', '', '.', '/']) expect(listPlaces(b.state, odd)).toEqual([])
})
