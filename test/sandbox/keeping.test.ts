import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { redactText } from '../../src/policy/secrets/redact.ts'
import { isSensitiveName } from '../../src/sandbox/isolation/sensitive.ts'
import { createKeeping, type KeepingOptions, type Tidied } from '../../src/sandbox/keeping.ts'
import { type Artefact, takeEvidence } from '../../src/sandbox/place/evidence.ts'
import { temporaryFolder } from '../support/folders.ts'
import { bench, git, newRun, repository, write } from './support.ts'

const DAY = 86_400_000

function keepingAt(more: Partial<KeepingOptions> = {}) {
  const root = repository({ 'a.txt': 'a\n', '.gitignore': 'dist/\n' })
  const sandbox = bench()
  const clock = { time: Date.now(), now: () => clock.time }
  const told: Tidied[] = []
  const project = { id: 'prj_x', root, gitFolder: join(root, '.git') }
  const record = (removed: Tidied): Promise<void> => Promise.resolve(void told.push(removed))
  return {
    ...createKeeping({ sandbox, project, clock, outputs: [], record, ...more }),
    root,
    clock,
    told,
    state: sandbox.state,
    base: git(root, 'rev-parse', 'HEAD'),
  }
}

describe('S-25 the clock', () => {
  test('removes what is older than its time at the start of a run, and tells what', async () => {
    const b = keepingAt({ keepDays: { days: 5, landedDays: 2, backups: 10 } })
    const run = newRun()
    for (let n = 0; n < 5; n++) await b.snapshots.take({ run, root: b.root, base: b.base, reason: 'turn' })
    const backup = await b.backups.make({ class: 'files', root: b.root, paths: ['a.txt'] })
    b.clock.time += 6 * DAY
    await b.places.make({ run: newRun(), base: b.base })
    expect(b.told).toEqual([{ snapshots: [1, 2].map(n => `refs/qed/snapshots/${run}/${n}`), backups: [] }])
    b.clock.time += 6 * DAY
    expect(await b.tidy()).toEqual({ snapshots: [], backups: [backup.id] })
    expect(b.told).toHaveLength(2)
  })

  test('keeps what a backup still needs, and less of what has landed', async () => {
    const landed = newRun()
    const b = keepingAt({ keepDays: { days: 5, landedDays: 2, backups: 100 }, landed: run => run === landed })
    writeFileSync(join(b.root, 'a.txt'), 'uncommitted')
    const backups = []
    for (let n = 0; n < 5; n++) backups.push(await b.backups.make({ class: 'git', refs: ['refs/heads/'], root: b.root }))
    for (let n = 0; n < 5; n++) await b.snapshots.take({ run: landed, root: b.root, base: b.base, reason: 'turn' })
    b.clock.time += 3 * DAY
    expect((await b.tidy()).snapshots).toEqual([1, 2].map(n => `refs/qed/snapshots/${landed}/${n}`))
    b.clock.time += 30 * DAY
    await b.tidy()
    const into = join(temporaryFolder(), 'back')
    await b.backups.restore(backups[0]?.id ?? '', into)
    expect(readFileSync(join(into, 'a.txt'), 'utf8')).toBe('uncommitted')
  })

  test('removes what a killed QED left behind, and no more than that', async () => {
    const b = keepingAt()
    write(b.state, {
      'tmp/index-1': '',
      'tmp/index-2': '',
      'homes/x/home/f': '',
      'outputs/old': '',
      'outputs/new': '',
      'backups/bak_HALF/files/a': '',
      'attic/r/f': '',
    })
    const old = new Date(b.clock.time - 31 * DAY)
    for (const name of ['tmp/index-1', 'homes/x', 'outputs/old', 'backups/bak_HALF', 'attic/r']) utimesSync(join(b.state, name), old, old)
    await b.tidy()
    const left = ['tmp/index-1', 'tmp/index-2', 'homes/x', 'outputs/old', 'outputs/new', 'backups/bak_HALF', 'attic/r/f'].filter(name =>
      existsSync(join(b.state, name)),
    )
    expect(left).toEqual(['tmp/index-2', 'outputs/new', 'attic/r/f'])
  })
})

test('S-19 the limits are settings: the oldest that has ended is cleaned, counted by what all projects hold', async () => {
  const b = keepingAt({ limits: { places: 2, bytes: 2 ** 30 } })
  const runs = [newRun(), newRun(), newRun()]
  for (const run of runs) {
    await b.places.make({ run, base: b.base })
    b.clock.time += 1000
    b.places.end(run)
  }
  expect(b.places.list().map(({ run }) => run)).toEqual(runs.slice(1))
  const other = { ...b.places.get(runs[1] ?? ''), run: newRun(), bytes: 2 ** 31 }
  const { path: _path, scratch: _scratch, ...file } = other
  write(b.state, { [`places/prj_other/${other.run}.json`]: JSON.stringify(file) })
  await expect(b.places.make({ run: newRun(), base: b.base })).rejects.toMatchObject({ code: 'blocked', details: { most: 2 ** 30 } })
})

describe('S-14 evidence', () => {
  const collect = async (scratch: string, more = {}) => {
    const taken: Artefact[] = []
    const redact = (text: string): string => redactText(text).replaceAll('vault-value', '***REDACTED***')
    const left = await takeEvidence(scratch, { redact, isSensitive: isSensitiveName, ...more }, artefact => void taken.push(artefact))
    return { taken: taken.map(({ path, content, redacted }) => [path, content.toString('latin1'), redacted]), left }
  }

  test('is handed over redacted, text and bytes alike', async () => {
    const scratch = temporaryFolder()
    write(scratch, {
      'evidence/log.txt': 'all is well\n',
      'evidence/deep/out.txt': 'got vault-value here\n',
      'evidence/shot.bin': Buffer.concat([Buffer.from([0xff, 0xfe, 0]), Buffer.from('vault-value'), Buffer.from([0x80])]),
      'evidence/raw.bin': Buffer.from([0xff, 0, 0x80]),
      'other/not-evidence': 'x',
    })
    expect(await collect(scratch)).toEqual({
      taken: [
        ['deep/out.txt', 'got ***REDACTED*** here\n', true],
        ['log.txt', 'all is well\n', false],
        ['raw.bin', '\u00ff\u0000\u0080', false],
        ['shot.bin', '\u00ff\u00fe\u0000***REDACTED***\u0080', true],
      ],
      left: [],
    })
  })

  test('never comes from elsewhere, is bounded, and what was not taken is named', async () => {
    const scratch = temporaryFolder()
    const outside = temporaryFolder()
    write(outside, { secret: 'from elsewhere', 'folder/f': 'from elsewhere' })
    write(scratch, {
      'evidence/.env': 'KEY=1',
      'evidence/big': 'x'.repeat(50),
      'evidence/a': 'x'.repeat(15),
      'evidence/b': 'y'.repeat(15),
      'evidence/c': 'z',
    })
    symlinkSync(join(outside, 'secret'), join(scratch, 'evidence/link'))
    symlinkSync(join(outside, 'folder'), join(scratch, 'evidence/linked'))
    execFileSync('sh', ['-c', `mkfifo ${join(scratch, 'evidence/pipe')}`])
    const { taken, left } = await collect(scratch, { limits: { files: 3, fileBytes: 20, totalBytes: 25 } })
    expect(taken).toEqual([
      ['a', 'x'.repeat(15), false],
      ['c', 'z', false],
    ])
    expect(left.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      '.env sensitive',
      'b over-total',
      'big too-big',
      'link not-a-file',
      'linked not-a-file',
      'pipe not-a-file',
    ])
  })

  test('behind a folder that is a link is no evidence, and none is no error', async () => {
    const scratch = temporaryFolder()
    expect(await collect(scratch)).toEqual({ taken: [], left: [] })
    symlinkSync('/etc', join(scratch, 'evidence'))
    expect(await collect(scratch)).toEqual({ taken: [], left: [] })
  })
})
