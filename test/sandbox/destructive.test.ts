import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { type BackupClasses, type Backups, createBackups } from '../../src/sandbox/destructive/backups.ts'
import { createBackupCommands } from '../../src/sandbox/destructive/commands.ts'
import { databaseClass } from '../../src/sandbox/destructive/database.ts'
import { filesClass } from '../../src/sandbox/destructive/files.ts'
import { gitClass } from '../../src/sandbox/destructive/git-refs.ts'
import { carryOutDestructive, type PreflightPorts } from '../../src/sandbox/destructive/preflight.ts'
import { processesClass } from '../../src/sandbox/destructive/processes.ts'
import { sqliteClass } from '../../src/sandbox/destructive/sqlite.ts'
import { differences, listTree } from '../../src/sandbox/destructive/tree-list.ts'
import { STEPS, type Step } from '../../src/sandbox/destructive/types.ts'
import { createGit } from '../../src/sandbox/git/git.ts'
import { linuxProcTable } from '../../src/sandbox/process/proc-table.ts'
import { createSnapshots } from '../../src/sandbox/snapshot/snapshots.ts'
import { type Bench, bench, git, NODE, newRun, repository, write } from './support.ts'

function stage(now = () => Date.now(), program?: string): Bench & { project: string; backups: Backups; classes: BackupClasses } {
  const project = repository({ 'a.txt': 'one' })
  const b = bench({ project: { root: project, gitFolder: join(project, '.git') }, ...(program !== undefined && { program }) })
  const driver = createGit(b.processes, { root: project, gitFolder: join(project, '.git') })
  const clock = { now }
  const snapshots = createSnapshots({ git: driver, state: b.state, clock, isSensitive: () => false, skip: [] })
  const command = createBackupCommands(b.processes, newRun())
  const classes = {
    database: databaseClass(command),
    processes: processesClass(command, linuxProcTable),
    files: filesClass,
    sqlite: sqliteClass,
    git: gitClass({ git: driver, snapshots, run: newRun() }),
  }
  return { ...b, project, classes, backups: createBackups({ state: b.state, clock, classes, project: 'prj_one' }) }
}

describe('a backup', () => {
  test('S-52 of files comes back equal in type, permission, link and bytes, after they are gone', async () => {
    const { backups, project, folder } = stage()
    write(project, { 'data/x.bin': Buffer.from([0, 1, 255]), 'data/deep/run.sh': '#!/bin/sh', 'other.txt': 'other' })
    chmodSync(join(project, 'data/deep/run.sh'), 0o750)
    chmodSync(join(project, 'data/deep'), 0o700)
    symlinkSync('../nowhere', join(project, 'data/link'))
    const before = listTree(project, ['data', 'other.txt'])
    expect(await backups.dryRun({ class: 'files', root: project, paths: ['data'] })).toMatchObject({
      amount: 12,
      lines: expect.arrayContaining(['file 3 data/x.bin']),
    })
    const record = await backups.make({ class: 'files', root: project, paths: ['data', 'other.txt'] })
    rmSync(join(project, 'data'), { recursive: true })
    const { files } = await backups.restore(record.id, join(folder, 'back'))
    expect(files).toHaveLength(before.length)
    expect(differences(before, listTree(join(folder, 'back'), ['data', 'other.txt']))).toEqual([])
    expect(backups.list()).toEqual([record])
    await expect(backups.restore(record.id, join(folder, 'back'))).rejects.toMatchObject({ code: 'conflict' })
    await expect(backups.restore('bak_NONE', join(folder, 'other'))).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of git refs keeps branches, stash entries and uncommitted files, through reset, delete and collection', async () => {
    const { backups, project, folder } = stage()
    git(project, 'branch', 'feature')
    write(project, { 'a.txt': 'stashed' })
    git(project, 'stash')
    write(project, { 'a.txt': 'uncommitted', 'new.txt': 'untracked' })
    const stash = git(project, 'rev-parse', 'refs/stash')
    const feature = git(project, 'rev-parse', 'feature')
    const target = { class: 'git' as const, refs: ['refs/heads/'], root: project }
    const { lines } = await backups.dryRun(target)
    expect(lines).toEqual(expect.arrayContaining([`refs/heads/feature ${feature}`, 'modified a.txt', 'added new.txt']))
    const record = await backups.make(target)
    git(project, 'reset', '--quiet', '--hard')
    git(project, 'clean', '-fdq')
    git(project, 'branch', '-D', 'feature')
    git(project, 'stash', 'clear')
    git(project, 'reflog', 'expire', '--expire=now', '--all')
    git(project, 'gc', '--quiet', '--prune=now')
    expect(git(project, 'rev-parse', `refs/qed/backups/${record.id}/heads/feature`)).toBe(feature)
    expect(git(project, 'rev-parse', `refs/qed/backups/${record.id}/stash-entries/0`)).toBe(stash)
    await backups.restore(record.id, join(folder, 'back'))
    expect([readFileSync(join(folder, 'back/a.txt'), 'utf8'), readFileSync(join(folder, 'back/new.txt'), 'utf8')]).toEqual([
      'uncommitted',
      'untracked',
    ])
  })

  test('of a SQLite file holds what was committed, journal included', async () => {
    const { backups, folder } = stage()
    const file = join(folder, 'shop.db')
    const db = new DatabaseSync(file)
    db.exec(
      `PRAGMA journal_mode = WAL; CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY, data BLOB, text TEXT); INSERT INTO "odd ""name" VALUES (1, x'00ff', 'ü'), (2, NULL, '')`,
    )
    expect(await backups.dryRun({ class: 'sqlite', file, count: 'SELECT count(*) FROM "odd ""name" WHERE id > 1' })).toMatchObject({
      amount: 1,
    })
    const record = await backups.make({ class: 'sqlite', file })
    db.exec('DELETE FROM "odd ""name"')
    db.close()
    await backups.restore(record.id, join(folder, 'back'))
    const back = new DatabaseSync(join(folder, 'back/shop.db'), { readOnly: true })
    expect(back.prepare('SELECT count(*) AS n FROM "odd ""name"').get()).toEqual({ n: 2 })
    back.close()
  })

  test('that does not come back equal is thrown away and counts for nothing', async () => {
    const { state, project, classes } = stage()
    const lossy = {
      ...filesClass,
      restore: (record: Parameters<typeof filesClass.restore>[0], into: string) => filesClass.restore(record, into),
    }
    lossy.prove = async (record, scratch) => {
      rmSync(join(record.path, 'files/a.txt'))
      write(record.path, { 'files/a.txt': 'changed' })
      await filesClass.prove(record, scratch)
    }
    const backups = createBackups({ state, clock: systemClock, classes: { ...classes, files: lossy } })
    await expect(backups.make({ class: 'files', root: project, paths: ['a.txt'] })).rejects.toMatchObject({ code: 'backup-unproven' })
    expect([backups.list(), readdirSync(join(state, 'backups'))]).toEqual([[], []])
  })

  test('§8 of a database behind its own tools is dumped byte for byte, and proven by loading it into the scratch one', async () => {
    const { backups, project, folder, state } = stage(undefined, 'bwrap')
    // A database of the test: a file that only its “tools” read. The value would be redacted in any output.
    const rows = `1\tsecret_token=${'x7Kq9'.repeat(8)}\n2\t\u0000\n`
    write(project, { 'db/main': rows })
    const target = {
      class: 'database' as const,
      source: 'orders',
      cwd: project,
      count: 'wc -l < db/main',
      dump: 'cat db/main',
      load: 'cat > "$(dirname "$QED_BACKUP")/scratch-db"',
      dump_scratch: 'cat "$(dirname "$QED_BACKUP")/scratch-db"',
      network: 'off' as const,
    }
    expect(await backups.dryRun(target)).toEqual({ command: target.count, lines: ['2'], amount: 2 })
    const record = await backups.make(target, { mission: 'mis_1' })
    expect([backups.list({ mission: 'mis_1' }), backups.list({ mission: 'mis_2' })]).toEqual([[record], []])
    rmSync(join(project, 'db'), { recursive: true })
    await backups.restore(record.id, join(folder, 'back'))
    expect(readFileSync(join(folder, 'back/dump'), 'utf8')).toBe(rows)

    write(project, { 'db/main': rows })
    const { load: _load, ...unproven } = target
    for (const [wrong, code] of [
      [unproven, 'backup-unproven'],
      [{ ...target, dump: 'true' }, 'backup-unproven'],
      [{ ...target, load: 'head -n 1 > "$(dirname "$QED_BACKUP")/scratch-db"' }, 'backup-unproven'],
      [{ ...target, dump: 'cat db/main; exit 3' }, 'failed'],
      [{ ...target, dump: 'cat db/main; rm -rf db; echo bad > a.txt' }, 'failed'],
    ] as const)
      await expect(backups.make(wrong)).rejects.toMatchObject({ code })
    expect([readFileSync(join(project, 'db/main'), 'utf8'), readFileSync(join(project, 'a.txt'), 'utf8')]).toEqual([rows, 'one'])
    expect(readdirSync(join(state, 'backups'))).toEqual([record.id])
  })

  test('§8 of processes and audit settings lists what would stop, and holds settings that parse', async () => {
    const { backups, project, folder } = stage(undefined, 'bwrap')
    write(project, { 'audit.json': '{"level":"all"}' })
    const parse = `${NODE} -e 'JSON.parse(require("fs").readFileSync(0,"utf8"))'`
    const target = {
      class: 'processes' as const,
      pids: [process.pid, 4_000_000],
      cwd: project,
      settings: { export: 'cat audit.json', check: parse },
    }
    const { lines, amount } = await backups.dryRun(target)
    expect([amount, lines[0]?.startsWith(`${process.pid} `)]).toEqual([1, true])
    const record = await backups.make(target)
    expect((await backups.restore(record.id, join(folder, 'back'))).files).toEqual(['processes.json', 'settings'])
    expect(readFileSync(join(folder, 'back/settings'), 'utf8')).toBe('{"level":"all"}')
    write(project, { 'audit.json': '{broken' })
    await expect(backups.make(target)).rejects.toMatchObject({ code: 'failed' })
    const { settings: _settings, ...bare } = target
    expect(await backups.make(bare)).toMatchObject({ class: 'processes', kind: 'copy' })
  })

  test('of git lets go of its refs with its time, and not of what another project keeps', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const { backups, project, state, classes } = stage(() => now)
    const { id } = await backups.make({ class: 'git', refs: ['refs/heads/'], root: project })
    const elsewhere = createBackups({ state, clock: { now: () => now }, classes, project: 'prj_other' })
    const other = await elsewhere.make({ class: 'files', root: project, paths: ['a.txt'] })
    expect(backups.list().map(record => record.id)).toEqual([id])
    now += 31 * 86_400_000
    expect(await backups.expire()).toEqual([id])
    expect([git(project, 'for-each-ref', `refs/qed/backups/${id}`), elsewhere.list().map(record => record.id)]).toEqual(['', [other.id]])
  })

  test('S-51 is kept for thirty days', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const { backups, project } = stage(() => now)
    const { id } = await backups.make({ class: 'files', root: project, paths: ['a.txt'] })
    now += 29 * 86_400_000
    expect(await backups.expire()).toEqual([])
    now += 2 * 86_400_000
    expect([await backups.expire(), backups.list()]).toEqual([[id], []])
  })
})

describe('S-49 a destructive operation', () => {
  function rehearsal(fail?: Step | 'unlisted') {
    const s = stage()
    const steps: string[] = []
    let executed = 0
    const ports: PreflightPorts = {
      record: (step, { digest }) => {
        if (step === fail) throw new Error('the log is full')
        steps.push(`${step} ${JSON.stringify(digest)}`)
        return Promise.resolve()
      },
      authorise: () => Promise.resolve({ allowed: fail !== 'unlisted', listed_as: 'rm -r data', reason: 'no pattern lists it' }),
      execute: () => {
        executed++
        rmSync(join(s.project, 'data'), { recursive: true })
        return Promise.resolve({ exit: 0 })
      },
      verify: () => Promise.resolve({ green: true, exit: 0 }),
    }
    mkdirSync(join(s.project, 'data'))
    writeFileSync(join(s.project, 'data/x'), 'x')
    const operation = {
      digest: 'd1',
      target: { class: 'files' as const, root: s.project, paths: ['data'] },
      blast: 'Removes data/ (1 file); the backup holds it.',
    }
    return { ...s, ports, operation, steps, executed: () => executed }
  }

  test('goes through all steps in order, each recorded with the same digest, and its backup still restores', async () => {
    const { ports, operation, steps, backups, folder } = rehearsal()
    const done = await carryOutDestructive(operation, backups, ports)
    expect(steps).toEqual(STEPS.map(step => `${step} "d1"`))
    expect(done).toMatchObject({ verified: true, result: { exit: 0 }, backup: { kind: 'copy', class: 'files' } })
    await backups.restore(done.backup?.id ?? '', join(folder, 'back'))
    expect(readFileSync(join(folder, 'back/data/x'), 'utf8')).toBe('x')
  })

  test.each(['dry-run-written', 'dry-run-captured', 'blast-stated', 'authorised', 'backed-up', 'unlisted'] as const)(
    'S-52 that fails at %s is not executed',
    async fail => {
      const { ports, operation, backups, executed, project } = rehearsal(fail)
      await expect(carryOutDestructive(operation, backups, ports)).rejects.toMatchObject({
        code: 'preflight-incomplete',
        step: fail === 'unlisted' ? 'authorised' : fail,
      })
      expect([executed(), existsSync(join(project, 'data/x'))]).toEqual([0, true])
    },
  )

  test.each([
    ['', 'empty'],
    ['x'.repeat(201), 'too long'],
    ['two\nlines', 'two lines'],
  ])('S-49 whose blast radius is not one short line (%#) is not executed', async blast => {
    const { ports, operation, backups, executed } = rehearsal()
    await expect(carryOutDestructive({ ...operation, blast }, backups, ports)).rejects.toMatchObject({ step: 'blast-stated' })
    expect(executed()).toBe(0)
  })

  test('S-52 that fails after its execution is not called unexecuted and not repeated', async () => {
    const { ports, operation, backups, executed } = rehearsal('executed')
    await expect(carryOutDestructive(operation, backups, ports)).rejects.toThrow('the log is full')
    expect([executed(), backups.list()]).toEqual([1, [expect.objectContaining({ class: 'files' })]])
  })

  test('that reaches outside has no backup and says so in its record', async () => {
    const { ports, backups, operation } = rehearsal()
    const done = await carryOutDestructive({ ...operation, target: { class: 'outside' } }, backups, ports)
    expect(done.backup).toBeNull()
  })
})
