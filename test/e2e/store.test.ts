import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { BIN, cleanEnv, testProject } from '../support/qed.ts'

describe('a store that was there is never replaced by an empty one', () => {
  test.each([
    ['removed', (path: string) => rmSync(path)],
    ['emptied', (path: string) => truncateSync(path)],
  ])('%s', async (_, damage) => {
    const project = await testProject()
    damage(join(project.root, '.qed/qed.db'))
    expect(await project.run(['events', 'verify'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('qed store restore') })
    expect(await project.run(['doctor'])).toMatchObject({ exit: 1 })
    expect(await project.run(['init'])).toMatchObject({ exit: 1 })
    expect(await project.json(['init', '--new-store'])).toMatchObject({ created: false })
    expect(await project.json(['events', 'list'])).toMatchObject({ items: [{ type: 'project.initialised' }] })
  })

  test('emptied while its journal holds events: the journal is left alone', async () => {
    const project = await testProject()
    const path = join(project.root, '.qed/qed.db')
    const holder = spawn(BIN, ['events', 'tail', '--after', '0'], { cwd: project.root, env: project.env })
    await once(holder.stdout, 'data')
    await project.run(['config', 'set', 'mode', 'plan'])
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const journal = statSync(`${path}-wal`).size
    expect(journal).toBeGreaterThan(0)
    truncateSync(path)
    expect(await project.run(['events', 'list'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('journal') })
    expect(statSync(`${path}-wal`).size).toBe(journal)
  })

  test('a fresh clone, which has none, gets one', async () => {
    const project = await testProject()
    const git = (...args: string[]) => spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project.root })
    git('add', '.')
    git('commit', '-qm', 'x')
    const clone = join(temporaryFolder(), 'clone')
    git('clone', '-q', project.root, clone)
    expect(await project.run(['status', '-C', clone])).toMatchObject({ exit: 0 })
    expect(existsSync(join(clone, '.qed/qed.db'))).toBe(true)
  })

  test('another store by --store is never made by reading', async () => {
    const project = await testProject()
    expect(await project.run(['events', 'list', '--store', 'nofolder/typo.db'])).toMatchObject({ exit: 1 })
    expect(existsSync(join(project.root, 'nofolder'))).toBe(false)
  })
})

test('a project that may only be read can be read', async () => {
  const project = await testProject()
  const bwrap = (...command: string[]) =>
    spawnSync('bwrap', ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', BIN, ...command], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    })
  expect(JSON.parse(bwrap('events', 'verify', '--json').stdout)).toMatchObject({ ok: true, count: 1 })
  expect(JSON.parse(bwrap('status', '--json').stdout)).toMatchObject({ initialised: true })
  expect(bwrap('config', 'set', 'mode', 'plan')).toMatchObject({ status: 9 })
})

test('I-10 on a disk that filled up, writing says disk_full, reading works, and writing works again when there is space', () => {
  const home = temporaryFolder()
  const qed = `${BIN} --json`
  const script = [
    `cd /mnt && git init -q . && ${BIN} init >/dev/null`,
    'dd if=/dev/zero of=fill bs=4k count=10000 2>/dev/null',
    `${qed} config set mode plan; ${qed} events verify; ${qed} status`,
    `rm fill; ${qed} config set mode plan; ${qed} events verify`,
  ].join('; ')
  const bwrap = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--size',
    String(2 << 20),
    '--tmpfs',
    '/mnt',
    '--bind',
    home,
    home,
    'sh',
    '-c',
    script,
  ]
  const { stdout } = spawnSync('bwrap', bwrap, { env: cleanEnv(home), encoding: 'utf8' })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as object)
  expect(lines).toMatchObject([
    { error: { code: 'disk_full' } },
    { ok: true, count: 1 },
    { initialised: true },
    { value: 'plan' },
    { ok: true, count: 2 },
  ])
})

test('I-9 a redaction also empties the calls that recorded the data, and names the backups that may hold it', async () => {
  const project = await testProject()
  await project.run(['store', 'backup'])
  const db = new DatabaseSync(join(project.root, '.qed/qed.db'))
  db.exec(`INSERT INTO calls (at, surface, connection, method, input, output, duration_ms)
           VALUES ('now', 'rpc', 'c', 'events.list', '{}', '{"data":{"files":[".qed/.gitignore"]}}', 1), ('now', 'rpc', 'c', 'ping', '{}', '{}', 1)`)
  db.close()
  const { status, stdout } = spawnSync(
    'script',
    ['--quiet', '--return', '--command', `${BIN} events redact 1 --reason x --yes --json`, '/dev/null'],
    {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
      input: '',
      timeout: 10_000,
    },
  )
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    changed: [
      { kind: 'event', ref: '1' },
      { kind: 'call', ref: '1' },
    ],
    erased: true,
    backups: [expect.stringContaining('.qed/backups/')],
  })
  expect(await project.json(['call', 'list'])).toMatchObject({
    items: [
      { method: 'ping', output: '{}' },
      { method: 'events.list', input: '[redacted]', output: null },
    ],
  })
})

test('an init that was ended half-way is finished by the next one', async () => {
  const project = await testProject()
  const db = new DatabaseSync(join(project.root, '.qed/qed.db'))
  db.exec('DELETE FROM events')
  db.close()
  writeFileSync(join(project.root, '.qed/config.json.1-1.tmp'), 'left over')
  await project.run(['init'])
  expect(await project.json(['events', 'list'])).toMatchObject({ items: [{ type: 'project.initialised' }] })
  const { stdout } = spawnSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: project.root, encoding: 'utf8' })
  expect(stdout).not.toContain('.tmp')
})
