import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { ErrorBody } from '../../src/kernel/errors.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { createCatalogue } from '../../src/operations/catalogue.ts'
import { mcpSetOf } from '../../src/operations/describe.ts'
import { formsOf } from '../../src/policy/secrets/value-forms.ts'
import { accept, hasAccepted } from '../../src/project/accepted-isolation.ts'
import { decideCommand } from '../../src/sandbox/decide.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BIN, type TestProject, testProject } from '../support/qed.ts'
import { git, write } from './support.ts'

/** A terminal on both ends: the command runs as a person's. */
function atTerminal(project: TestProject, command: string, typed = ''): { stdout: string; exit: number | null } {
  const { stdout, status } = spawnSync(
    'script',
    ['--quiet', '--return', '--echo', 'never', '--command', `${BIN} ${command}`, '/dev/null'],
    {
      cwd: project.root,
      env: project.env,
      input: typed,
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  return { stdout, exit: status }
}

async function committed(): Promise<TestProject> {
  const project = await testProject()
  write(project.root, { 'src/a.txt': 'one\n' })
  git(project.root, 'add', '-A')
  git(project.root, 'commit', '-qm', 'base')
  return project
}

const keep = (project: TestProject) => createApp({ cwd: project.root, env: project.env, self: [] }).keeping()

test('S-35 sandbox.status and sandbox.probe tell the state, the checks and the profiles', async () => {
  const project = await committed()
  const expected = {
    state: 'available',
    version: expect.any(String),
    degraded: null,
    reason: null,
    fixes: [],
    probe: { checks: { owned_write: 'pass', kernel_settings: 'pass' } },
  }
  expect(await project.json(['sandbox', 'status'])).toMatchObject({
    ...expected,
    profiles: ['worker', 'proof', 'gate', 'prepare', 'advisor', 'dry-run'],
  })
  expect(await project.json(['sandbox', 'probe'])).toMatchObject(expected)
})

test('S-35 without bubblewrap status says what to install', async () => {
  const project = await committed()
  const { createSandbox } = await import('../../src/sandbox/sandbox.ts')
  const { fixesFor } = await import('../../src/sandbox/isolation/state.ts')
  const { isolation } = createSandbox({
    env: {},
    home: '/root',
    personal: join(project.root, 'p'),
    project: null,
    require: null,
    program: 'none',
    redact: text => text,
    clock: { now: () => 0 },
  })
  expect(fixesFor(await isolation.state()).join(' ')).toMatch(/install/i)
})

test('sandbox.exec is refused without a person, runs for one inside the walls, and is recorded', async () => {
  const project = await committed()
  const refused = await project.run(['sandbox', 'exec', '--shell', 'echo hi > src/a.txt', '--json'])
  expect([refused.exit, (JSON.parse(refused.stdout) as { error: ErrorBody }).error.code]).toEqual([5, 'approval_required'])
  expect(readFileSync(join(project.root, 'src/a.txt'), 'utf8')).toBe('one\n')
  const denied = atTerminal(project, `sandbox exec --shell 'echo bad > src/a.txt' --json`)
  expect(JSON.parse(denied.stdout)).toMatchObject({ reason: 'exited', exit: 1, isolation: { level: 'bubblewrap', network: 'off' } })
  expect(readFileSync(join(project.root, 'src/a.txt'), 'utf8')).toBe('one\n')
  const allowed = atTerminal(project, `sandbox exec --shell 'echo two > src/a.txt' --writable 'src/**'`)
  expect([allowed.exit, readFileSync(join(project.root, 'src/a.txt'), 'utf8')]).toEqual([0, 'two\n'])
  expect(allowed.stdout).toContain('isolated')
  const { items } = (await project.json(['events', 'list', '--stream', 'sandbox'])) as { items: { type: string; data: object }[] }
  expect(items.map(({ type, data }) => [type, data])).toEqual([
    ['process.ran', { command: 'echo bad > src/a.txt', reason: 'exited', exit: 1, level: 'bubblewrap', secrets: [] }],
    ['process.ran', { command: 'echo two > src/a.txt', reason: 'exited', exit: 0, level: 'bubblewrap', secrets: [] }],
  ])
})

test('a command that policy denies is not run, for a person either, and one that it allows needs none', async () => {
  const question = { cwd: '/', secrets: [], network: 'off' as const }
  const answering = (verdict: 'allow' | 'deny') => () => Promise.resolve({ verdict, code: 'rule', reason: 'a rule says so' })
  await expect(decideCommand(answering('deny'), question, { person: true, command: '' })).rejects.toMatchObject({ code: 'denied' })
  await expect(decideCommand(answering('allow'), question, { person: false, command: '' })).resolves.toBeUndefined()
})

test('S-45 a secret is set and revealed at a terminal only, byte for byte, and used by name', async () => {
  const project = await committed()
  const value = `tok "en' ${'x'.repeat(20)}$`
  for (const args of [
    ['vault', 'set', 'DEPLOY_TOKEN'],
    ['vault', 'reveal', 'DEPLOY_TOKEN'],
    ['vault', 'remove', 'DEPLOY_TOKEN'],
  ]) {
    const { exit, stdout } = await project.run([...args, '--json'], { stdin: value })
    expect([args[1], exit, (JSON.parse(stdout) as { error: ErrorBody }).error.code]).toEqual([args[1], 4, 'actor_not_person'])
  }
  const set = atTerminal(project, 'vault set DEPLOY_TOKEN', `${value}\r`)
  expect([set.exit, set.stdout.includes(value)]).toEqual([0, false])
  const revealed = atTerminal(project, 'vault reveal DEPLOY_TOKEN')
  expect([revealed.exit, revealed.stdout]).toEqual([0, value])
  expect(atTerminal(project, 'vault reveal DEPLOY_TOKEN --json').exit).toBe(4)
  expect(await project.json(['vault', 'list'])).toMatchObject({ items: [{ name: 'DEPLOY_TOKEN', scope: 'project', hidden: false }] })
  for (const command of ['env', 'ls', 'make']) {
    expect((await project.run(['vault', 'exec', '--secrets', 'DEPLOY_TOKEN', '--json', '--', command])).exit).toBe(4)
  }
  const used = atTerminal(project, `vault exec --secrets DEPLOY_TOKEN:T --json -- sh -c 'echo "$T" | wc -c; echo "$T"'`)
  expect(JSON.parse(used.stdout)).toMatchObject({ exit: 0, stdout: { text: `${value.length + 1}\n***REDACTED***\n` } })
  const written = [project.root, project.env['HOME'] ?? '']
    .flatMap(root => readdirSync(root, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
  const everything = written.map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n')
  expect(formsOf(value).filter(form => everything.includes(form))).toEqual([])
  expect(atTerminal(project, 'vault remove DEPLOY_TOKEN').exit).toBe(0)
  expect(await project.json(['vault', 'list'])).toEqual({ items: [] })
})

test('S-45 no operation of the vault is a tool for agents', async () => {
  const all = await createCatalogue().all()
  expect(all.filter(({ name }) => name.startsWith('vault.')).map(operation => [operation.name, mcpSetOf(operation)])).toEqual(
    ['list', 'set', 'remove', 'exec', 'run', 'reveal'].map(verb => [`vault.${verb}`, 'never']),
  )
})

test('S-24 snapshots are listed, shown, restored after the change was shown, and dropped by a person only', async () => {
  const project = await committed()
  const { snapshots } = await keep(project)
  const base = git(project.root, 'rev-parse', 'HEAD')
  const { ref } = await snapshots.take({ run: 'run_01JZZZZZZZZZZZZZZZZZZZZZZZ' as never, root: project.root, base, reason: 'test' })
  writeFileSync(join(project.root, 'src/a.txt'), 'spoilt\n')
  expect(await project.json(['snapshot', 'list'])).toMatchObject({ items: [{ ref, reason: 'test', n: 1 }] })
  expect(await project.json(['snapshot', 'show', ref, 'src/a.txt'])).toMatchObject({ content: 'one\n', files: [{ path: 'src/a.txt' }] })
  const shown = (await project.json(['snapshot', 'restore', ref, '--into', '.', '--paths', 'src'])) as { digest: string }
  expect(shown).toMatchObject({ restored: false, changes: [{ path: 'src/a.txt', kind: 'modified' }] })
  expect(readFileSync(join(project.root, 'src/a.txt'), 'utf8')).toBe('spoilt\n')
  const done = await project.json(['snapshot', 'restore', ref, '--into', '.', '--paths', 'src', '--agreed', shown.digest])
  expect(done).toMatchObject({ restored: true, before: expect.stringMatching(/^refs\/qed\/snapshots\//) })
  expect(readFileSync(join(project.root, 'src/a.txt'), 'utf8')).toBe('one\n')
  const fresh = (await project.json(['snapshot', 'restore', ref])) as { into: string }
  expect(readFileSync(join(fresh.into, 'src/a.txt'), 'utf8')).toBe('one\n')
  expect((await project.run(['snapshot', 'drop', ref])).exit).toBe(4)
  expect(atTerminal(project, `snapshot drop ${ref}`).exit).toBe(0)
  expect((await project.run(['snapshot', 'show', ref])).exit).toBe(3)
})

test('S-24 a restore goes over the project or its places, or into a new folder, and nowhere else', async () => {
  const project = await committed()
  const { snapshots } = await keep(project)
  const { ref } = await snapshots.take({ run: 'run_01JZZZZZZZZZZZZZZZZZZZZZZZ' as never, root: project.root, base: null, reason: 'test' })
  const other = temporaryFolder()
  write(other, { 'precious.txt': 'mine' })
  for (const into of [other, 'src', '/', join(other, 'precious.txt')]) {
    const { exit } = await project.run(['snapshot', 'restore', ref, '--into', into])
    expect([into, exit]).toEqual([into, 2])
  }
  expect(await project.json(['snapshot', 'restore', ref, '--into', join(other, 'new'), '--paths', 'src'])).toMatchObject({ restored: true })
  expect([readFileSync(join(other, 'new/src/a.txt'), 'utf8'), readFileSync(join(other, 'precious.txt'), 'utf8')]).toEqual(['one\n', 'mine'])
})

test('S-44 the app searches what it saves for values of the vault, and S-46 says in doctor when the bait was seen', async () => {
  const project = await committed()
  const app = createApp({ cwd: project.root, env: project.env, self: [] })
  const vault = await app.vault()
  await vault.set({ name: 'DEPLOY_TOKEN', scope: 'project', value: 'the-value-of-the-token' })
  write(project.root, { 'src/notes.txt': 'it is the-value-of-the-token', 'src/fine.txt': 'nothing' })
  const { snapshots } = await app.keeping()
  const base = git(project.root, 'rev-parse', 'HEAD')
  const { left_out } = await snapshots.take({ run: 'run_01JZZZZZZZZZZZZZZZZZZZZZZZ' as never, root: project.root, base, reason: 'test' })
  expect(left_out.filter(({ reason }) => reason === 'secret').map(({ path }) => path)).toEqual(['src/notes.txt'])
  const objects = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], { cwd: project.root, encoding: 'latin1' })
  expect(objects).not.toContain('the-value-of-the-token')

  const doctor = async () =>
    ((await project.json(['doctor'])) as { checks: { id: string; status: string }[] }).checks.find(({ id }) => id === 'vault')
  expect(await doctor()).toMatchObject({ status: 'ok' })
  const [bait = ''] = await vault.canaries()
  expect(await (await app.canary()).look(`a prompt with ${bait}`, 'a prompt')).toBe(true)
  await app.close()
  expect(await doctor()).toMatchObject({ status: 'fail', data: { leaked: { where: 'a prompt' } } })
  expect(await project.json(['vault', 'list'])).toMatchObject({ leaked: { where: 'a prompt' } })
})

test('S-19 S-25 limits and retention are settings of the person, not of the project', async () => {
  const project = await committed()
  expect((await project.run(['config', 'set', 'sandbox.places', '1', '--scope', 'personal'])).exit).toBe(0)
  const { places } = await keep(project)
  await places.make({ run: 'run_01JZZZZZZZZZZZZZZZZZZZZZZX' as never, base: 'HEAD' })
  await expect(places.make({ run: 'run_01JZZZZZZZZZZZZZZZZZZZZZZY' as never, base: 'HEAD' })).rejects.toMatchObject({ code: 'blocked' })
  for (const key of ['sandbox.home_read', 'sandbox.places', 'snapshots.days', 'backups.days'])
    expect([
      key,
      (await project.run(['config', 'set', key, key.endsWith('read') ? '["~/.ssh"]' : '1', '--scope', 'project'])).exit,
    ]).toEqual([key, 4])
})

test('S-36 the answer for a project is kept in the person’s own store', async () => {
  const project = await committed()
  const { log } = await createApp({ cwd: project.root, env: project.env, self: [] }).personalStore()
  const [mine, other] = [newId('prj', systemClock), newId('prj', systemClock)]
  expect(hasAccepted(log, mine)).toBe(false)
  accept(log, mine, ['the network is open'])
  expect([hasAccepted(log, mine), hasAccepted(log, other)]).toEqual([true, false])
})

test('S-23 places are listed and cleaned with what was saved where', async () => {
  const project = await committed()
  const { places } = await keep(project)
  const run = 'run_01JZZZZZZZZZZZZZZZZZZZZZZY'
  const place = await places.make({ run: run as never, base: 'HEAD' })
  write(place.path, { 'new.txt': 'work' })
  expect((await project.run(['place', 'clean', run])).exit).toBe(8)
  places.end(run)
  expect(await project.json(['place', 'list', '--ended'])).toMatchObject({ items: [{ run, path: place.path }] })
  const { id } = createApp({ cwd: project.root, env: project.env, self: [] }).project()
  expect(await project.json(['place', 'list', '--project-id', id])).toMatchObject({ items: [{ run }] })
  expect(await project.json(['place', 'list', '--project-id', 'prj_01JZZZZZZZZZZZZZZZZZZZZZZX'])).toEqual({ items: [] })
  expect(await project.json(['place', 'clean', run])).toMatchObject({ run, snapshot: `refs/qed/snapshots/${run}/1`, attic: null })
  expect(git(project.root, 'show', `refs/qed/snapshots/${run}/1:new.txt`)).toBe('work')
  expect(await project.json(['place', 'list'])).toEqual({ items: [] })
})

test('S-51 backups are listed, and restored by a person only', async () => {
  const project = await committed()
  const { backups } = await keep(project)
  const { id } = await backups.make({ class: 'files', root: project.root, paths: ['src'] })
  const other = await backups.make({ class: 'files', root: project.root, paths: ['src'] }, { mission: 'mis_1' })
  expect(await project.json(['backup', 'list'])).toMatchObject({ items: [{ id, class: 'files' }, { id: other.id }] })
  expect(await project.json(['backup', 'list', '--mission', 'mis_1'])).toMatchObject({ items: [{ id: other.id, mission: 'mis_1' }] })
  expect((await project.run(['backup', 'restore', id, '--into', 'back'])).exit).toBe(4)
  expect(atTerminal(project, `backup restore ${id} --into back`).exit).toBe(0)
  expect(readFileSync(join(project.root, 'back/src/a.txt'), 'utf8')).toBe('one\n')
})
