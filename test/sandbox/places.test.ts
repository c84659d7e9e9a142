import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Place } from '../../src/sandbox/place/place.ts'
import { createPlaces } from '../../src/sandbox/place/places.ts'
import { DEFAULT_OUTPUTS } from '../../src/sandbox/scope/outputs.ts'
import { restoreInto, restoreNew } from '../../src/sandbox/snapshot/restore.ts'
import type { Snapshots } from '../../src/sandbox/snapshot/snapshots.ts'
import { judgeSweeps, planSweep, sweep } from '../../src/sandbox/snapshot/sweep.ts'
import { contents, type House, house } from './house.ts'
import { carriers, git, NODE, newRun, until, write } from './support.ts'

describe('S-12 a place', () => {
  test('is a locked, detached worktree of the base outside the project, with hooks off', async () => {
    const { places, project, base, state } = house()
    writeFileSync(join(project, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${project}/hook-ran\n`, { mode: 0o755 })
    const run = newRun()
    const place = await places.make({ run, base: 'HEAD' })
    expect(place).toMatchObject({
      path: join(state, 'places/prj_x', run),
      scratch: join(state, 'scratch', run),
      base,
      kind: 'worktree',
      ended_at: null,
    })
    expect(readFileSync(join(place.path, 'src/a.ts'), 'utf8')).toBe('a\n')
    expect(git(project, 'worktree', 'list', '--porcelain')).toContain(`worktree ${place.path}\nHEAD ${base}\ndetached\nlocked qed ${run}`)
    expect(existsSync(join(project, 'hook-ran'))).toBe(false)
    expect((statSync(state).mode & 0o777).toString(8)).toBe('700')
  })

  test('S-15 knows which output folders git ignores', async () => {
    const { places } = house({ '.gitignore': 'dist/\ncoverage\n', 'package.json': '{}', 'build/kept': '', 'packages/a/package.json': '{}' })
    const { outputs } = await places.make({ run: newRun(), base: 'HEAD' })
    expect(outputs.sort()).toEqual(['coverage', 'dist', 'packages/a/coverage', 'packages/a/dist'])
  })

  test('S-13 gets a copy of the ignored files that are named, and never of a sensitive one', async () => {
    const { driver, snapshots, state, project } = house({ '.gitignore': 'local/\n*.pem\n', 'a.txt': 'a' })
    write(project, { 'local/settings.json': '{}', 'local/key.pem': 'secret', 'local/.env': 'secret' })
    const places = createPlaces({
      git: driver,
      snapshots,
      state,
      clock: systemClock,
      project: { id: 'prj_x', root: project },
      outputs: DEFAULT_OUTPUTS,
      include: ['local/**', '*.pem'],
    })
    const { path } = await places.make({ run: newRun(), base: 'HEAD' })
    expect(readdirSync(join(path, 'local'))).toEqual(['settings.json'])
  })

  test('S-16 as a private clone lets the worker commit, and has no remote, hook or config of the project', async () => {
    const { places, project, run } = house()
    git(project, 'config', 'alias.bad', '!touch bad')
    const place = await places.make({ run: newRun(), base: 'HEAD', kind: 'clone' })
    const outcome = await run(
      'git -c user.name=w -c user.email=w@x commit -qam change --allow-empty && git log --oneline | wc -l; git remote; git config --get alias.bad; git status --short',
      { cwd: place.path, writable: { place: place.path } },
    )
    expect([outcome.stdout.text, outcome.stderr.text]).toEqual(['2\n', ''])
    expect(git(project, 'rev-list', '--count', '--all')).toBe('1')
  })

  test('S-19 makes room by cleaning the oldest that has ended, and never a live one', async () => {
    const { places } = house(undefined, { limits2: { places: 2, bytes: 2 ** 40 } })
    const [first, second, third] = [newRun(), newRun(), newRun()]
    await places.make({ run: first, base: 'HEAD' })
    await places.make({ run: second, base: 'HEAD' })
    await expect(places.make({ run: third, base: 'HEAD' })).rejects.toMatchObject({ code: 'blocked' })
    await expect(places.clean(first)).rejects.toMatchObject({ code: 'conflict' })
    places.end(second)
    await places.make({ run: third, base: 'HEAD' })
    expect(places.list().map(place => place.run)).toEqual([first, third])
  })
})

describe('S-18 git', () => {
  test('runs no hook, fsmonitor, filter or alias that the repository names, and not with a worker’s index', async () => {
    const { driver, project, snapshots, base } = house()
    for (const key of ['core.fsmonitor', 'core.hooksPath', 'core.editor', 'core.pager'])
      git(project, 'config', key, `touch ${project}/ran; true`)
    git(project, 'config', 'filter.evil.clean', `touch ${project}/ran; cat`)
    write(project, { '.gitattributes': '* filter=evil text eol=crlf\n', 'new.txt': 'x\r\ny\n' })
    const before = readFileSync(join(project, '.git/index'))
    const snapshot = await snapshots.take({ run: newRun(), root: project, base, reason: 'test' })
    expect(existsSync(join(project, 'ran'))).toBe(false)
    expect(readFileSync(join(project, '.git/index'))).toEqual(before)
    expect((await driver.call(['cat-file', 'blob', `${snapshot.commit}:new.txt`])).text).toBe('x\r\ny\n')
  })

  test('that fails says what and why', async () => {
    await expect(house().driver.call(['rev-parse', '--verify', 'no-such-ref'])).rejects.toMatchObject({ code: 'failed', exit: 128 })
  })
})

describe('S-20 a snapshot', () => {
  test('holds tracked, untracked and ignored files, not output and layer, and changes nothing', async () => {
    const { places, snapshots, project } = house({ 'src/a.ts': 'a\n', 'gone.txt': 'x', '.gitignore': 'dist/\n*.log\nnode_modules/\n' })
    const place = await places.make({ run: newRun(), base: 'HEAD' })
    rmSync(join(place.path, 'gone.txt'))
    write(place.path, {
      'src/a.ts': 'changed',
      'new file\nwith line.txt': 'new',
      'ignored.log': 'log',
      'dist/out.js': 'out',
      'node_modules/p/i.js': 'dep',
      'nested/.git/config': 'x',
      'nested/file': 'inside',
    })
    const status = git(place.path, 'status', '--porcelain')
    const snapshot = await snapshots.take({ run: newRun(), root: place.path, base: place.base, reason: 'turn 1' })
    const { files } = await snapshots.read(snapshot.ref)
    expect([...files.keys()].sort()).toEqual(['.gitignore', 'ignored.log', 'nested/file', 'new file\nwith line.txt', 'src/a.ts'])
    expect(snapshot.left_out).toEqual([{ path: 'nested/.git/config', reason: 'git-data', size: 1 }])
    expect(git(place.path, 'status', '--porcelain')).toBe(status)
    expect(git(project, 'log', '-1', '--format=%s', snapshot.ref)).toMatch(/^QED snapshot 1 of run_.*: turn 1$/)
  })

  test('S-21 reads again only what changed, and sees a change that left size and time as they were', async () => {
    const { snapshots, project, base } = house({ 'a.txt': 'one', 'b.txt': 'two' })
    const first = await snapshots.take({ run: newRun(), root: project, base, reason: '1' })
    const { atimeMs, mtimeMs } = statSync(join(project, 'a.txt'))
    writeFileSync(join(project, 'a.txt'), 'eno')
    utimesSync(join(project, 'a.txt'), atimeMs / 1000, mtimeMs / 1000)
    const second = await snapshots.take({ run: newRun(), root: project, base, reason: '2' })
    expect(second.tree).not.toBe(first.tree)
  })

  test('S-22 leaves out what is too big, beyond the total, or sensitive; a tracked sensitive file that did not change stays', async () => {
    const { snapshots, project, base } = house({ '.env': 'old', 'a.txt': '' }, { limits: { fileBytes: 1000, totalBytes: 1500 } })
    write(project, { big: 'x'.repeat(1001), 'one.bin': 'y'.repeat(900), 'two.bin': 'z'.repeat(901), 'key.pem': 'secret' })
    const taken = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    expect(taken.left_out.map(({ path, reason }) => `${path} ${reason}`).sort()).toEqual([
      'big too-big',
      'key.pem sensitive',
      'two.bin over-total',
    ])
    writeFileSync(join(project, '.env'), 'new secret')
    const again = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    expect(again.left_out.map(({ path }) => path)).toContain('.env')
    const objects = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], { cwd: project, encoding: 'utf8' })
    expect(objects).not.toContain('new secret')
  })

  test('S-44 leaves out a changed file that holds a value of the vault, in its bytes, its name or where its link leads', async () => {
    const { snapshots, project, base } = house(undefined, { holdsSecret: async () => content => content.includes('hunter2hunter2') })
    write(project, { 'notes.txt': 'the password is hunter2hunter2', 'hunter2hunter2.txt': 'x', 'odd/hunter2hunter2/x': 'x' })
    chmodSync(join(project, 'hunter2hunter2.txt'), 0o600)
    mkdirSync(join(project, 'empty-hunter2hunter2'))
    symlinkSync('hunter2hunter2', join(project, 'link'))
    const { left_out } = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    expect(left_out.map(({ path, reason }) => `${reason} ${path}`).sort()).toEqual(
      ['hunter2hunter2.txt', 'link', 'notes.txt', 'odd/hunter2hunter2/x'].map(path => `secret ${path}`),
    )
    expect(execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], { cwd: project, encoding: 'utf8' })).not.toContain('hunter2')
  })

  test('S-20 never follows a link out of the place', async () => {
    const { snapshots, project, base, folder } = house()
    write(folder, { 'outside/secret.txt': 'outside content' })
    symlinkSync(join(folder, 'outside'), join(project, 'dir-link'))
    symlinkSync(join(folder, 'outside/secret.txt'), join(project, 'link'))
    const { ref } = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    const { files } = await snapshots.read(ref)
    expect([files.get('link')?.mode, files.get('dir-link')?.mode]).toEqual(['120000', '120000'])
    expect(execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], { cwd: project, encoding: 'utf8' })).not.toContain(
      'outside content',
    )
  })

  test('S-25 is kept for its time, the last three of a run for ever, and only our own refs can be dropped', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const { snapshots, project, base } = house(undefined, { clock: { now: () => now } })
    const run = newRun()
    for (let i = 0; i < 5; i++) await snapshots.take({ run, root: project, base, reason: `${i}` })
    now += 8 * 86_400_000
    expect(await snapshots.expire({ landed: () => false })).toEqual([])
    expect(await snapshots.expire({ landed: () => true })).toEqual([`refs/qed/snapshots/${run}/1`, `refs/qed/snapshots/${run}/2`])
    now += 300 * 86_400_000
    expect(await snapshots.expire({ landed: () => false })).toEqual([])
    await expect(snapshots.drop('refs/heads/main')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('S-23 clean-up', () => {
  async function worked(h: House): Promise<Place> {
    const place = await h.places.make({ run: newRun(), base: 'HEAD' })
    write(place.path, { 'src/a.ts': 'work', 'new.txt': 'new', 'key.pem': 'secret', 'dist/x': 'out' })
    write(place.scratch, { 'notes.md': 'notes', id_rsa: 'key' })
    return h.places.end(place.run)
  }

  test('saves everything, then removes the place and git’s note of it', async () => {
    const h = house()
    const place = await worked(h)
    const saved = await h.places.clean(place.run)
    expect(saved).toMatchObject({
      snapshot: `refs/qed/snapshots/${place.run}/1`,
      left_out: ['key.pem'],
      attic: join(h.state, 'attic', place.run),
    })
    expect([existsSync(place.path), existsSync(place.scratch), h.places.list()]).toEqual([false, false, []])
    expect(git(h.project, 'worktree', 'list').split('\n')).toHaveLength(1)
    const manifest = JSON.parse(readFileSync(join(h.state, 'attic', place.run, 'files.json'), 'utf8')) as object[]
    expect(manifest).toEqual([{ path: 'key.pem', mode: 0o644, size: 6, sha256: expect.stringMatching(/^2bb80d5/) }])
    const kept = join(h.state, 'attic', place.run, 'files/key.pem')
    expect([readFileSync(kept, 'utf8'), (statSync(kept).mode & 0o777).toString(8)]).toEqual(['secret', '600'])
    expect(readFileSync(join(h.state, 'attic', place.run, 'scratch/id_rsa'), 'utf8')).toBe('key')
    expect(git(h.project, 'show', `${saved.snapshot}^2:notes.md`)).toBe('notes')
  })

  test('removes nothing where a file is not covered', async () => {
    const h = house()
    const place = await worked(h)
    // A snapshot that lost something: the compare must see it, whatever was saved.
    const lossy: Snapshots = {
      ...h.snapshots,
      read: async ref => {
        const found = await h.snapshots.read(ref)
        found.files.delete('new.txt')
        return found
      },
    }
    const places = createPlaces({
      git: h.driver,
      snapshots: lossy,
      state: h.state,
      clock: systemClock,
      project: { id: 'prj_x', root: h.project },
      outputs: DEFAULT_OUTPUTS,
      limits: { places: 2, bytes: 2 ** 40 },
    })
    // Nor does one that stays keep another from being cleaned.
    const other = await h.places.make({ run: newRun(), base: h.base })
    h.places.end(other.run)
    await places.make({ run: newRun(), base: h.base })
    expect([existsSync(place.path), existsSync(other.path)]).toEqual([true, false])
    await expect(places.clean(place.run)).rejects.toMatchObject({ code: 'cleanup.unsaved', paths: ['new.txt'] })
    expect(readFileSync(join(place.path, 'new.txt'), 'utf8')).toBe('new')
    expect(existsSync(place.scratch)).toBe(true)
  })

  test('keeps the commits of a private clone in the attic', async () => {
    const h = house()
    const place = await h.places.make({ run: newRun(), base: 'HEAD', kind: 'clone' })
    h.places.end(place.run)
    await h.places.clean(place.run)
    expect(existsSync(join(h.state, 'attic', place.run, 'git/HEAD'))).toBe(true)
    expect(existsSync(place.path)).toBe(false)
  })
})

describe('S-24 restore', () => {
  test('brings files, permissions, links and deletions back exactly, into a new folder and into an old one', async () => {
    const h = house()
    const place = await h.places.make({ run: newRun(), base: 'HEAD' })
    rmSync(join(place.path, '.gitignore'))
    write(place.path, { 'bin/run': '#!/bin/sh\n', odd: 'odd', 'deep/er/file': Buffer.from([0, 255, 10, 13, 0]), crlf: 'a\r\nb' })
    chmodSync(join(place.path, 'bin/run'), 0o755)
    chmodSync(join(place.path, 'odd'), 0o640)
    symlinkSync('../src/a.ts', join(place.path, 'bin/link'))
    mkdirSync(join(place.path, 'empty'))
    const wanted = contents(place.path)
    const { ref } = await h.snapshots.take({ run: newRun(), root: place.path, base: place.base, reason: 't' })
    const into = join(h.folder, 'restored')
    await restoreNew({ git: h.driver, snapshots: h.snapshots, ref, into })
    expect([contents(into), existsSync(join(into, 'empty'))]).toEqual([wanted, true])

    write(place.path, { 'bin/run': 'spoilt', later: 'new', 'key.pem': 'not in git' })
    rmSync(join(place.path, 'deep'), { recursive: true })
    writeFileSync(join(place.path, 'deep'), 'now a file')
    chmodSync(join(place.path, 'odd'), 0o600)
    rmSync(join(place.path, 'bin/link'))
    const options = { git: h.driver, snapshots: h.snapshots, ref, into: place.path, run: newRun() }
    const shown = await restoreInto(options)
    expect(shown).toMatchObject({ restored: false, before: null })
    expect(shown.plan.changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'added bin/link',
      'modified bin/run',
      'deleted deep',
      'added deep/er/file',
      'deleted later',
      'mode odd',
    ])
    expect(readFileSync(join(place.path, 'bin/run'), 'utf8')).toBe('spoilt')
    await expect(restoreInto({ ...options, agreed: 'other' })).rejects.toMatchObject({ code: 'digest_mismatch' })
    const done = await restoreInto({ ...options, agreed: shown.plan.digest })
    expect(done.before?.ref).toMatch(/refs\/qed\/snapshots/)
    expect(contents(place.path)).toEqual({ ...wanted, 'key.pem': expect.any(String) })
    expect(git(h.project, 'show', `${done.before?.ref}:later`)).toBe('new')
  })

  test('of some paths leaves the others alone', async () => {
    const { snapshots, project, base, driver } = house({ 'a/x': '1', 'b/y': '1' })
    const { ref } = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    write(project, { 'a/x': '2', 'b/y': '2', 'a/new': '2' })
    const options = { git: driver, snapshots, ref, into: project, paths: ['a'], run: newRun() }
    const { plan } = await restoreInto(options)
    expect(plan.changes).toEqual([
      { path: 'a/new', kind: 'deleted' },
      { path: 'a/x', kind: 'modified' },
    ])
    await restoreInto({ ...options, agreed: plan.digest })
    expect([readFileSync(join(project, 'a/x'), 'utf8'), readFileSync(join(project, 'b/y'), 'utf8')]).toEqual(['1', '2'])
  })
})

describe('S-29 the sweep', () => {
  test('puts back what was changed outside the scope, keeps new files in the attic, and leaves the scope alone', async () => {
    const h = house({ 'src/a.ts': 'a', 'test/t.ts': 't', 'gone.txt': 'here', '.gitignore': 'dist/\n', 'mode.sh': 'x' })
    const place = await h.places.make({ run: newRun(), base: 'HEAD' })
    const watch = await h.snapshots.watch({ root: place.path, base: place.base })
    write(place.path, {
      'src/a.ts': 'mine',
      'src/new.ts': 'mine',
      'test/t.ts': 'weakened',
      'stray/deep.txt': 'stray',
      'dist/out': 'out',
      'leak.pem': 'k',
    })
    rmSync(join(place.path, 'gone.txt'))
    chmodSync(join(place.path, 'mode.sh'), 0o755)
    const at = { git: h.driver, state: h.state, run: place.run, place: place.path }
    const result = await sweep(
      planSweep(watch.held, await watch.look(), path => !path.startsWith('src/')),
      at,
    )
    expect(result.reverted.map(({ path, kind }) => `${kind} ${path}`).sort()).toEqual([
      'added leak.pem',
      'added stray/deep.txt',
      'deleted gone.txt',
      'mode mode.sh',
      'modified test/t.ts',
    ])
    expect(contents(place.path)).toMatchObject({
      'src/a.ts': `644 ${Buffer.from('mine').toString('base64')}`,
      'dist/out': expect.any(String),
    })
    expect([readFileSync(join(place.path, 'test/t.ts'), 'utf8'), readFileSync(join(place.path, 'gone.txt'), 'utf8')]).toEqual(['t', 'here'])
    expect([existsSync(join(place.path, 'stray')), existsSync(join(place.path, 'leak.pem'))]).toEqual([false, false])
    expect(readFileSync(join(result.kept ?? '', 'stray/deep.txt'), 'utf8')).toBe('stray')
    const again = await sweep(
      planSweep(watch.held, await watch.look(), path => !path.startsWith('src/')),
      at,
    )
    expect(again).toEqual({ reverted: [], kept: null })
  })

  test('ends the run at the third time', () => {
    expect([1, 2, 3].map(times => judgeSweeps(times).kind)).toEqual(['go-on', 'go-on', 'end'])
  })
})

const POINTS = process.env['QED_NIGHTLY'] ? 200 : 20

test(`S-26 killed at ${POINTS} random points, with git collecting at once, everything older than the last snapshot comes back`, async () => {
  const h = house({ 'src/a.ts': 'a\n', '.gitignore': '*.log\n' })
  const worker = join(import.meta.dirname, '../support/snapshot-worker.ts')
  const token = `QED_SNAPSHOT_TEST=${process.pid}-${h.run_id}`
  const [name, value] = token.split('=') as [string, string]
  onTestFinished(() => expect(carriers(token)).toEqual([]))
  const seen = new Map<string, Record<string, string>>()
  let range = 400
  for (let point = 0; point < POINTS; point++) {
    const journal = join(h.folder, `journal-${point}`)
    const child = spawn(NODE, [worker, h.project, join(h.folder, 'personal'), journal, String(point)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, [name]: value },
    })
    await once(child.stdout, 'data')
    const began = performance.now()
    // The first one shows how long a snapshot takes on this machine, as busy as it is now.
    if (point === 0) await until(() => existsSync(journal), 60_000)
    if (point === 0) range = Math.max(range, 3 * (performance.now() - began))
    else await new Promise(settle => setTimeout(settle, Math.random() * range))
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (existsSync(journal)) {
      for (const line of readFileSync(journal, 'utf8').split('\n').slice(0, -1)) {
        const { ref, files } = JSON.parse(line) as { ref: string; files: Record<string, string> }
        seen.set(ref, files)
      }
    }
    if (point % 5 === 4) git(h.project, 'gc', '--quiet', '--prune=now')
  }
  git(h.project, 'gc', '--quiet', '--prune=now')
  git(h.project, 'fsck', '--strict', '--no-dangling')
  expect(seen.size).toBeGreaterThan(POINTS / 4)
  const sample = [...seen].filter((_, i) => i % Math.max(1, Math.floor(seen.size / 25)) === 0 || i === seen.size - 1)
  for (const [i, [ref, files]] of sample.entries()) {
    const into = join(h.folder, `back-${i}`)
    await restoreNew({ git: h.driver, snapshots: h.snapshots, ref, into })
    expect(contents(into)).toEqual(files)
  }
}, 600_000)

test('S-22 a file of more than 50 MiB is not read into git', async () => {
  const { snapshots, project, base } = house()
  writeFileSync(join(project, 'huge.bin'), '')
  truncateSync(join(project, 'huge.bin'), (50 << 20) + 1)
  const { left_out } = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
  expect(left_out).toEqual([{ path: 'huge.bin', reason: 'too-big', size: (50 << 20) + 1 }])
})
