import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { QedError } from '../../src/kernel/errors.ts'
import { createGit } from '../../src/sandbox/git/git.ts'
import { decodeNames, encodeNames } from '../../src/sandbox/names.ts'
import type { ProcessOutcome } from '../../src/sandbox/process/types.ts'
import { restoreInto, restoreNew } from '../../src/sandbox/snapshot/restore.ts'
import { planSweep, sweep } from '../../src/sandbox/snapshot/sweep.ts'
import { carryOut } from '../../src/sandbox/snapshot/write-files.ts'
import { temporaryFolder } from '../support/folders.ts'
import { house } from './house.ts'
import { bench, git, NODE, newRun, repository, write } from './support.ts'

// What a hostile or unlucky place can hold, and what happens when several are at it or one is killed.

const raw = (...bytes: (string | number[])[]): Buffer =>
  Buffer.concat(bytes.map(one => (typeof one === 'string' ? Buffer.from(one) : Buffer.from(one))))
const within = (root: string, name: Buffer): Buffer => raw(`${root}/`, [...name])

const ODD_NAMES = [
  raw('line\nbreak.txt'),
  raw('-rf'),
  raw('--help'),
  raw(' lead and trail '),
  raw('tab\tquote"back\\slash'),
  raw(':(glob)x'),
  raw('caf', [0xe9], '.txt'),
  raw([0xff, 0xfe]),
  raw('emoji-', [0xf0, 0x9f, 0x92], '-cut'),
  raw('real-\ufffd-sign'),
]

const sh = (command: string): void => void execFileSync('sh', ['-c', command], { timeout: 10_000 })

test('any bytes of a name come back, and text stays text', () => {
  const comesBack = (bytes: Uint8Array): boolean => encodeNames(decodeNames(Buffer.from(bytes))).equals(Buffer.from(bytes))
  const stays = (text: string): boolean => decodeNames(Buffer.from(text)) === text
  expect(() => fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), comesBack))).not.toThrow()
  expect(() => fc.assert(fc.property(fc.string({ unit: 'grapheme' }), stays))).not.toThrow()
})

test.each([
  [
    'error: unable to create temporary file: Read-only file system\nfatal: Unable to process path a',
    'unavailable',
    'Read-only file system',
  ],
  ['error: insufficient permission for adding an object to repository database', 'unavailable', 'insufficient permission'],
  ["fatal: cannot lock ref 'r': unable to create directory for /p/.git/refs/qed/r", 'unavailable', 'cannot lock ref'],
  ["fatal: sha1 file '/s/index.lock' write error. Out of diskspace", 'disk_full', '/s/index.lock'],
  ['error: file write error: No space left on device\nfatal: unable to write', 'disk_full', '/p/.git'],
  ['error: open("a"): Permission denied\nfatal: Unable to process path a', 'failed', 'open("a"): Permission denied'],
])('what git complains of first is told as what it is: %j', async (complaint, code, words) => {
  const none = { text: '', bytes: 0, sha256: '', cut: false }
  const outcome = { exit: 128, signal: null, reason: 'exited', duration_ms: 1, stdout: none, stderr: { ...none, text: complaint } }
  const { call } = createGit({ run: () => Promise.resolve(outcome as unknown as ProcessOutcome) }, { root: '/p', gitFolder: '/p/.git' })
  const thrown = await call(['update-index']).catch((error: unknown) => error as QedError)
  expect(thrown).toMatchObject({ code, message: expect.stringContaining(words) as string, next: { why: expect.any(String) as string } })
})

/** Every file of a folder by the bytes of its name. */
function byBytes(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  const open: Buffer[] = [Buffer.from(folder)]
  for (let at = open.pop(); at; at = open.pop()) {
    for (const name of readdirSync(at, { encoding: 'buffer' })) {
      const path = raw([...at], '/', [...name])
      const stat = lstatSync(path)
      const key = path.subarray(folder.length + 1).toString('latin1')
      if (key === '.git') continue
      if (stat.isDirectory()) open.push(path)
      else found[key] = stat.isSymbolicLink() ? `-> ${readlinkSync(path, 'latin1')}` : readFileSync(path, 'latin1')
    }
  }
  return found
}

describe('odd names', () => {
  const oddPlace = async () => {
    const h = house()
    const place = await h.places.make({ run: newRun(), base: h.base })
    for (const [i, name] of ODD_NAMES.entries()) writeFileSync(within(place.path, name), `content ${i}`)
    const folder = within(place.path, raw('dir-', [0xe9]))
    mkdirSync(folder)
    writeFileSync(raw([...folder], '/in\nside'), 'inside')
    symlinkSync(raw('to-', [0xe9]), join(place.path, 'odd-link'))
    return { ...h, place }
  }

  test('S-20 S-24 are saved and come back byte for byte, into a new folder and over changes', async () => {
    const { place, snapshots, driver, base } = await oddPlace()
    const before = byBytes(place.path)
    expect(Object.keys(before)).toHaveLength(ODD_NAMES.length + 4)
    const { ref, left_out } = await snapshots.take({ run: newRun(), root: place.path, base, reason: 't' })
    expect(left_out).toEqual([])
    const into = join(temporaryFolder(), 'back')
    await restoreNew({ git: driver, snapshots, ref, into })
    expect(byBytes(into)).toEqual(before)

    for (const name of ODD_NAMES) rmSync(within(place.path, name))
    writeFileSync(within(place.path, raw('new-', [0xfc])), 'new')
    const at = { git: driver, snapshots, ref, into: place.path, run: newRun() }
    const { plan } = await restoreInto(at)
    expect(plan.changes).toHaveLength(ODD_NAMES.length + 1)
    await restoreInto({ ...at, agreed: plan.digest })
    expect(byBytes(place.path)).toEqual(before)
  })

  test('S-23 a clean-up loses none of them', async () => {
    const { place, places, snapshots, driver } = await oddPlace()
    const before = byBytes(place.path)
    places.end(place.run)
    const saved = await places.clean(place.run)
    const into = join(temporaryFolder(), 'back')
    await restoreNew({ git: driver, snapshots, ref: saved.snapshot ?? '', into })
    expect(byBytes(into)).toEqual(before)
  })

  test('S-29 outside the scope go to the attic', async () => {
    const { place, snapshots, driver, base, state } = await oddPlace()
    const watch = await snapshots.watch({ root: place.path, base })
    writeFileSync(within(place.path, raw('late-', [0xe9])), 'late')
    const before = byBytes(place.path)
    const swept = await sweep(
      planSweep(watch.held, await watch.look(), path => !path.startsWith('src/')),
      { git: driver, state, run: place.run, place: place.path },
    )
    expect(swept.reverted).toEqual([{ path: 'late-\udce9', kind: 'added' }])
    expect(byBytes(swept.kept ?? '')).toEqual({ 'late-\u00e9': 'late' })
    expect(Object.keys(byBytes(place.path)).length).toBe(Object.keys(before).length - 1)
  })
})

test('S-20 S-23 pipes, sockets and devices hang nothing, are named, and are kept', async () => {
  const h = house()
  const place = await h.places.make({ run: newRun(), base: h.base })
  sh(`mkfifo ${place.path}/pipe ${place.scratch}/pipe`)
  const server = createServer()
  await new Promise<void>(settle => void server.listen({ path: join(place.path, 's') }, settle))
  onTestFinished(() => void server.close())
  const { left_out } = await h.snapshots.take({
    run: place.run as never,
    root: place.path,
    base: h.base,
    scratch: place.scratch,
    reason: 't',
  })
  expect(left_out.map(({ path, reason }) => `${path} ${reason}`).sort()).toEqual(['pipe not-a-file', 's not-a-file'])
  h.places.end(place.run)
  const saved = await h.places.clean(place.run)
  expect([existsSync(place.path), lstatSync(join(saved.attic ?? '', 'files/pipe')).isFIFO()]).toEqual([false, true])
})

describe('a link that a live process swaps in', () => {
  const stage = () => {
    const h = house({ 'dir/a.txt': 'a\n', 'dir/sub/b.txt': 'b\n', 'x.sh': '#!/bin/sh\n' })
    const victim = temporaryFolder()
    write(victim, { 'a.txt': 'victim', 'sub/b.txt': 'victim' })
    return { ...h, victim }
  }
  const untouched = (victim: string): void => {
    expect(byBytes(victim)).toEqual({ 'a.txt': 'victim', 'sub/b.txt': 'victim' })
    expect(lstatSync(join(victim, 'a.txt')).mode & 0o777).toBe(0o644)
  }

  test('S-24 is not written, removed or changed through', async () => {
    const { project, snapshots, driver, base, victim } = stage()
    const { ref } = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    const { files } = await snapshots.read(ref)
    // The change was worked out while `dir` was a folder; now it leads elsewhere.
    rmSync(join(project, 'dir'), { recursive: true })
    symlinkSync(victim, join(project, 'dir'))
    const to = { files, modes: {} }
    await carryOut(driver, project, [{ path: 'dir/sub/b.txt', kind: 'deleted' }], to)
    await carryOut(driver, project, [{ path: 'dir/a.txt', kind: 'mode' }], { ...to, modes: { 'dir/a.txt': '777' } }).catch(() => undefined)
    untouched(victim)
    await carryOut(driver, project, [{ path: 'dir/a.txt', kind: 'added' }], to)
    untouched(victim)
    expect([lstatSync(join(project, 'dir')).isDirectory(), readFileSync(join(project, 'dir/a.txt'), 'utf8')]).toEqual([true, 'a\n'])
  })

  test('S-24 while a restore goes on, again and again, lets nothing out', async () => {
    const { project, snapshots, driver, base, victim } = stage()
    const { ref } = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    const swap = `while :; do mv dir dir.real 2>/dev/null; ln -s ${victim} dir 2>/dev/null; rm -f dir 2>/dev/null; mv dir.real dir 2>/dev/null; done`
    const swapper = spawn('sh', ['-c', swap], { cwd: project, stdio: 'ignore', timeout: 60_000 })
    onTestFinished(() => void swapper.kill('SIGKILL'))
    for (let n = 0; n < 15; n++) {
      const at = { git: driver, snapshots, ref, into: project, run: newRun() }
      const { plan } = await restoreInto(at).catch(() => ({ plan: null }))
      if (plan) await restoreInto({ ...at, agreed: plan.digest }).catch(() => undefined)
      expect(byBytes(victim)).toEqual({ 'a.txt': 'victim', 'sub/b.txt': 'victim' })
    }
    swapper.kill('SIGKILL')
    await once(swapper, 'exit')
  })

  test('S-24 does not have empty folders made behind it', async () => {
    const { project, snapshots, driver, base, victim } = stage()
    mkdirSync(join(project, 'dir/empty/deep'), { recursive: true })
    const { ref } = await snapshots.take({ run: newRun(), root: project, base, reason: 't' })
    rmSync(join(project, 'dir'), { recursive: true })
    symlinkSync(victim, join(project, 'dir'))
    const at = { git: driver, snapshots, ref, into: project, run: newRun() }
    const { plan } = await restoreInto(at)
    await restoreInto({ ...at, agreed: plan.digest })
    expect([existsSync(join(victim, 'empty')), existsSync(join(project, 'dir/empty/deep'))]).toEqual([false, true])
    untouched(victim)
  })
})

describe('S-23 a clean-up that was killed', () => {
  test('after all was found saved only removes: half a place is never taken for the newest state', async () => {
    const h = house()
    const place = await h.places.make({ run: newRun(), base: h.base })
    write(place.path, { 'new.txt': 'work' })
    h.places.end(place.run)
    const { ref } = await h.snapshots.take({
      run: place.run as never,
      root: place.path,
      base: h.base,
      scratch: place.scratch,
      reason: 'clean-up',
    })
    renameSync(place.path, `${place.path}.saved`)
    rmSync(join(`${place.path}.saved`, 'new.txt'))
    expect(await h.places.clean(place.run)).toMatchObject({ snapshot: ref, files: 3 })
    expect([(await h.snapshots.list(place.run)).length, existsSync(`${place.path}.saved`), existsSync(place.scratch)]).toEqual([
      1,
      false,
      false,
    ])
  })

  test('at any moment loses nothing, and the next one ends it', async () => {
    const h = house()
    const place = await h.places.make({ run: newRun(), base: h.base })
    write(place.path, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`work/f${i}.txt`, `content ${i}`])))
    write(place.path, { 'key.pem': 'secret' })
    h.places.end(place.run)
    for (let round = 1; ; round++) {
      const worker = spawn(NODE, [join(import.meta.dirname, '../support/keeping-worker.ts'), 'clean', h.project, h.state, place.run], {
        stdio: 'ignore',
        timeout: 60_000,
      })
      const timer = setTimeout(() => worker.kill('SIGKILL'), 150 * round)
      const [code] = (await once(worker, 'exit')) as [number | null]
      clearTimeout(timer)
      if (code === 0) break
      expect(round).toBeLessThan(40)
    }
    expect([existsSync(place.path), h.places.list()]).toEqual([false, []])
    const all = await h.snapshots.list(place.run)
    const { files } = await h.snapshots.read(all.at(-1)?.ref ?? '')
    expect([...files.keys()].filter(path => path.startsWith('work/'))).toHaveLength(300)
    expect(readFileSync(join(h.state, 'attic', place.run, 'files/key.pem'), 'utf8')).toBe('secret')
  }, 60_000)
})

test('S-12 S-20 several QED at once make places and snapshots of one project, and none disturbs another', async () => {
  const h = house()
  const run = newRun()
  const workers = Array.from({ length: 4 }, () =>
    spawn(NODE, [join(import.meta.dirname, '../support/keeping-worker.ts'), 'busy', h.project, h.state, run], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 60_000,
    }),
  )
  const exits = await Promise.all(workers.map(worker => once(worker, 'exit')))
  expect(exits.map(([code]) => code as number)).toEqual([0, 0, 0, 0])
  const numbers = (await h.snapshots.list(run)).map(({ n }) => n)
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
  expect(h.places.list()).toHaveLength(4)
  expect(git(h.project, 'fsck', '--no-dangling', '--no-progress')).toBe('')
}, 60_000)

test('S-18 a git that the project or a dependency brings is never taken for git', async () => {
  const project = repository({ 'a.txt': 'a' })
  const ran = join(temporaryFolder(), 'ran')
  const bins = ['node_modules/.bin', 'tools'].map(name => join(project, name))
  const above = join(temporaryFolder(), 'node_modules/.bin')
  for (const folder of [...bins, above]) {
    write(folder, { git: `#!/bin/sh\ntouch ${ran}\nexec /usr/bin/git "$@"\n` })
    chmodSync(join(folder, 'git'), 0o755)
  }
  const path = ['.', 'tools', ...bins, above, process.env['PATH']].join(':')
  const b = bench({ env: { PATH: path }, project: { root: project, gitFolder: join(project, '.git') } })
  const driver = createGit(b.processes, { root: project, gitFolder: join(project, '.git') })
  expect([await driver.line(['rev-parse', '--is-bare-repository'], { workTree: project }), existsSync(ran)]).toEqual(['false', false])
})

test.runIf(process.getuid?.() === 0)(
  'I-10 on a full disk nothing is half saved, the place stays, and it works once there is room',
  async () => {
    const h = house({ 'a.txt': 'a\n' })
    const small = join(h.folder, 'small')
    mkdirSync(small)
    sh(`mount -t tmpfs -o size=1m none ${small}`)
    onTestFinished(() => sh(`umount -l ${small}`))
    const place = await h.places.make({ run: newRun(), base: h.base })
    write(place.path, { 'big.bin': randomBytes(600_000), 'key.pem': 'secret' })
    h.places.end(place.run)
    // The objects of the repository are on the full disk.
    renameSync(join(h.project, '.git/objects'), join(h.folder, 'objects'))
    sh(`cp -a ${h.folder}/objects ${small}/objects`)
    symlinkSync(join(small, 'objects'), join(h.project, '.git/objects'))
    writeFileSync(join(small, 'filler'), Buffer.alloc(700_000))
    await expect(h.places.clean(place.run)).rejects.toMatchObject({ code: 'disk_full' })
    expect([readFileSync(join(place.path, 'key.pem'), 'utf8'), await h.snapshots.list()]).toEqual(['secret', []])
    rmSync(join(small, 'filler'))
    expect(await h.places.clean(place.run)).toMatchObject({ snapshot: `refs/qed/snapshots/${place.run}/1`, left_out: ['key.pem'] })
  },
)

test.runIf(process.getuid?.() === 0)('S-22 files and folders that may not be read are named, and a clean-up keeps them', async () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  const script = join(import.meta.dirname, '../support/unreadable-worker.ts')
  const { stdout, stderr } = spawnSync(NODE, [script, folder], {
    encoding: 'utf8',
    timeout: 60_000,
    uid: 65534,
    gid: 65534,
    env: { ...process.env, HOME: folder },
  })
  expect([stderr, JSON.parse(stdout || 'null')]).toEqual([
    '',
    {
      left_out: ['unreadable closed', 'unreadable secret.txt'],
      kept: ['closed/in.txt', 'secret.txt'],
      place: false,
    },
  ])
})
