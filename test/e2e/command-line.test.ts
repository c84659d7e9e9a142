import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, temporaryRepository } from '../support/folders.ts'
import { BIN, cleanEnv, inTerminal, qed, testProject } from '../support/qed.ts'

const root = join(import.meta.dirname, '../..')

describe('starting', () => {
  test('version, doctor and discover answer as one JSON object outside a project', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const [about, health, catalogue] = await Promise.all(
      ['version', 'doctor', 'discover'].map(async word => JSON.parse((await qed([word, '--json'])).stdout) as never),
    )
    expect(about).toMatchObject({ name: 'qed', version, store_schema: 4 })
    expect(health).toMatchObject({ ok: true, checks: expect.arrayContaining([expect.objectContaining({ id: 'git', status: 'ok' })]) })
    expect(catalogue).toMatchObject({ version, operations: expect.arrayContaining([expect.objectContaining({ name: 'events.list' })]) })
  })

  test('through a link', async () => {
    const folder = temporaryFolder()
    symlinkSync(BIN, join(folder, 'qed'))
    expect(await qed(['--version'], { command: [join(folder, 'qed')] })).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^qed \d/),
    })
  })

  const old = oldNodes()
  test.skipIf(old.length === 0)(`started by another Node that is too old (${old.join(', ') || 'none is installed here'})`, async () => {
    for (const node of old)
      expect(await qed(['--version'], { command: [node, BIN] })).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^qed \d/) })
  })

  test('without a Node that is new enough it ends with 2 and one sentence that says what to do', async () => {
    // The launcher alone, away from the project's own Node, told by a stand-in that it runs on Node 18.
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin/qed'), readFileSync(BIN))
    writeFileSync(join(folder, 'bin/package.json'), '{ "type": "commonjs" }')
    writeFileSync(join(folder, 'old.cjs'), "Object.defineProperty(process, 'versions', { value: { node: '18.20.0' } })")
    const { exit, stderr } = await qed([], { command: [process.execPath, '--require', join(folder, 'old.cjs'), join(folder, 'bin/qed')] })
    expect([exit, stderr.trim().split('\n')]).toEqual([
      2,
      [expect.stringMatching(/needs Node 24\.11 or newer, and this is 18\.20\.0: install it/)],
    ])
  })

  test('U-13 help fits one screen, names every noun and opens no store', async () => {
    const { stdout, exit } = await qed(['--help'])
    expect(exit).toBe(0)
    expect(stdout.split('\n').length).toBeLessThanOrEqual(60)
    for (const word of ['init', 'status', 'doctor', 'events', 'config', 'serve', 'mcp start', 'completion']) expect(stdout).toContain(word)
    const { stdout: verb } = await qed(['events', 'list', '--help'])
    for (const part of ['only reads', 'Usage', '--limit <number>', 'default 100', 'Examples', 'Exit codes']) expect(verb).toContain(part)
    expect((await qed(['help', 'events', 'list'])).stdout).toBe(verb)
    expect((await qed(['events', '--help'])).stdout).toContain('qed events verify')
    expect((await qed(['serve', '--help'])).stdout).toContain('--tls-cert')
  })
})

/** Every Node on this machine's path, and in the usual places, that QED itself cannot run on. */
function oldNodes(): string[] {
  const folders = new Set([...(process.env['PATH'] ?? '').split(':'), '/usr/local/bin', '/usr/bin'])
  return [...folders]
    .map(folder => join(folder, 'node'))
    .filter(node => existsSync(node))
    .filter(node => Number(/^v(\d+)/.exec(spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout)?.[1]) < 24)
}

/** Whether a process waits for its stdin, as the kernel tells. */
function isReading(pid: number | undefined): boolean {
  const fds = `/proc/${pid}/fdinfo`
  return existsSync(fds) && readdirSync(fds).some(fd => /tfd: +0 /.test(readFileSync(join(fds, fd), 'utf8')))
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 10))
}

describe('U-6 exit codes', () => {
  test.each([
    [['nonsense'], 2, 'usage'],
    [['events', 'lst'], 2, 'usage'],
    [['events', 'list', '--limit', '0'], 2, 'invalid_input'],
    [['events', 'list', '--limit', 'ten'], 2, 'invalid_input'],
    [['--wrong'], 2, 'usage'],
    [['events', 'list', '--input', '{'], 2, 'invalid_input'],
    [['events', 'list', '--input', '@/nowhere'], 3, 'not_found'],
    [['events', 'redact', '1', '--reason', 'x'], 4, 'actor_not_person'],
    [['store', 'backup', '.qed/config.json'], 8, 'conflict'],
    [['config', 'set', 'http.port', '1'], 4, 'denied'],
    [['events', 'tail', '--timeout', '200'], 10, 'timeout'],
    [['status', '-C', '/nowhere'], 3, 'not_found'],
    [['init', '-C', './typo/deeper'], 3, 'not_found'],
    [['status', '-C', '.qed/project.json'], 3, 'not_found'],
    [[], 2, 'usage'],
    [['events'], 2, 'usage'],
    [['status', '--constructor'], 2, 'usage'],
    [['config', 'constructor'], 2, 'usage'],
    [['events', 'list', '--stream'], 2, 'usage'],
    [['events', 'list', '--timeout', '99999999999'], 2, 'usage'],
    [['events', 'tail', '--wait-ms', '3000000000'], 2, 'invalid_input'],
    [['events', 'list', '--input', '{"__proto__":{"limit":1}}'], 2, 'invalid_input'],
    [['config', 'set', 'mode', '--input', `{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}`], 2, 'invalid_input'],
  ])('qed %j exits %i', async (args, exit, code) => {
    const project = await testProject()
    const ran = await project.run([...args, '--json'])
    expect([ran.exit, (JSON.parse(ran.stdout) as { error?: { code: string } }).error?.code]).toEqual([exit, code])
    expect(ran.stdout.split('\n')).toHaveLength(2)
  })

  test('outside a project 3, outside a repository 3, each with the way on', async () => {
    expect(await qed(['events', 'list'], { cwd: temporaryRepository() })).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('qed init'),
    })
    expect(await qed(['init'])).toMatchObject({ exit: 3, stderr: expect.stringContaining('git init') })
  })

  test('a broken config names a command that works in spite of it', async () => {
    const project = await testProject()
    writeFileSync(join(project.root, '.qed/config.json'), '{ "mode": "act", "mode": "plan" }')
    const ran = await project.run(['status', '--json'])
    const { error } = JSON.parse(ran.stdout) as { error: { code: string; next: { command: string } } }
    expect([ran.exit, error.code]).toEqual([2, 'invalid_input'])
    expect(await project.run(error.next.command.split(' ').slice(1))).toMatchObject({ exit: 0 })
  })

  test('a log with a broken link exits 1, and doctor too', async () => {
    const project = await testProject()
    const { DatabaseSync } = await import('node:sqlite')
    const db = new DatabaseSync(join(project.root, '.qed/qed.db'))
    db.exec("UPDATE events SET data = '{}'")
    db.close()
    expect(await project.run(['events', 'verify'])).toMatchObject({ exit: 1, stdout: expect.stringContaining('broken') })
    expect(await project.run(['doctor'])).toMatchObject({ exit: 1, stdout: expect.stringContaining('restore a backup') })
  })

  test('a store that is no database is reported with the way back, and left as it is', async () => {
    const project = await testProject()
    const path = join(project.root, '.qed/qed.db')
    writeFileSync(path, 'no database'.repeat(500))
    expect(await project.run(['events', 'list'])).toMatchObject({ exit: 1, stderr: expect.stringContaining('qed store restore') })
    expect(readFileSync(path, 'utf8')).toBe('no database'.repeat(500))
  })
})

describe('U-10 output', () => {
  test('--jsonl answers every line in order and goes on after a bad one', async () => {
    const project = await testProject()
    const stdin = '{"limit":1}\n\n{"limit":0}\n{\n"text"\n{"limit":1,"after":5}'
    const { exit, stdout } = await project.run(['events', 'list', '--jsonl'], { stdin })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { items?: unknown[]; error?: { code: string } })
    expect(lines.map(line => line.error?.code ?? line.items?.length)).toEqual([1, 'invalid_input', 'invalid_input', 'invalid_input', 0])
    expect(exit).toBe(0)
    expect((await project.run(['events', 'list', '--jsonl', '--strict'], { stdin })).exit).toBe(2)
  })

  test('--jsonl streams: an answer comes before the next line is sent', async () => {
    const project = await testProject()
    const child = spawn(BIN, ['events', 'list', '--jsonl'], { cwd: project.root, env: project.env, timeout: 20_000 })
    for (let i = 0; i < 3; i++) {
      child.stdin.write('{"limit":1}\n')
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
      expect(JSON.parse(chunk.toString())).toMatchObject({ items: [{ seq: 1 }] })
    }
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('I-5 --stream ends with the object that --json would print', async () => {
    const project = await testProject()
    const { stdout } = await project.run(['events', 'tail', '--after', '0', '--limit', '1', '--stream'])
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as object)
    expect(lines).toMatchObject([
      { seq: 1, type: 'project.initialised' },
      { type: 'result', final: true, data: { count: 1, next: 1 } },
    ])
  })

  test('a reader that stops early is no failure', async () => {
    const project = await testProject()
    const { stdout } = spawnSync('sh', ['-c', `"${BIN}" discover --json | head -c 10; echo; "${BIN}" discover --json | true; echo "$?"`], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    })
    expect(stdout.trimEnd().split('\n')).toEqual(['{"version"', '0'])
  })

  test('U-17 a demo whose reader stops early takes its folder away and is no failure', { timeout: 40_000 }, () => {
    const tmp = temporaryFolder()
    const { stdout } = spawnSync('bash', ['-c', `"${BIN}" demo | head -1; echo "\${PIPESTATUS[0]}"`], {
      env: { ...cleanEnv(), TMPDIR: tmp },
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(stdout.trimEnd().split('\n')).toEqual([expect.stringContaining('from a script'), '0'])
    expect(readdirSync(tmp).filter(name => name.startsWith('qed-demo-'))).toEqual([])
  })

  test('nobody reading what went wrong does not change the exit code', () => {
    const { stdout } = spawnSync('bash', ['-c', `"${BIN}" nonsense 2>&1 >/dev/null | true; echo "\${PIPESTATUS[0]}"`], {
      env: cleanEnv(),
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect(stdout.trim()).toBe('2')
  })

  test('--jsonl takes no single flags, and a null line is no input', async () => {
    const project = await testProject()
    expect(await project.run(['events', 'list', '--limit', '0', '--jsonl'], { stdin: '{}' })).toMatchObject({
      exit: 2,
      stdout: expect.stringContaining('"usage"'),
    })
    const { stdout } = await project.run(['events', 'list', '--jsonl'], { stdin: `null\n${'['.repeat(10_000)}${']'.repeat(10_000)}\n` })
    const codes = stdout
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { error: { code: string } }).error.code)
    expect(codes).toEqual(['invalid_input', 'invalid_input'])
  })

  test('a line of 65 MiB is answered in its place and the batch goes on', { timeout: 60_000 }, async () => {
    const project = await testProject()
    const stdin = `{"limit":1}\n"${'x'.repeat(65 << 20)}"\n{"limit":1}\n`
    const { exit, stdout } = await project.run(['events', 'list', '--jsonl'], { stdin, timeout: 50_000 })
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { error?: { code: string } })
    expect([exit, answers.map(({ error }) => error?.code)]).toEqual([0, [undefined, 'too_large', undefined]])
  })

  test('an error with --stream ends the stream as a result does', async () => {
    const project = await testProject()
    const { stdout } = await project.run(['events', 'tail', '--limit', '0', '--stream'])
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error', final: true, error: { code: 'invalid_input' } })
  })

  test('U-14 no escape byte in a pipe, with NO_COLOR, or on a dumb terminal', async () => {
    const project = await testProject()
    for (const env of [{}, { NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      for (const args of [['doctor'], ['status'], ['--help'], ['nonsense'], ['events', 'list']]) {
        const { stdout, stderr } = await qed(args, { cwd: project.root, env: { ...project.env, ...env } })
        expect(`${stdout}${stderr}`).not.toContain('\x1b')
      }
    }
  })

  test('--verbose shows the cause of an inner failure on stderr only', async () => {
    const project = await testProject()
    mkdirSync(join(project.root, '.qed/backups'))
    writeFileSync(join(project.root, 'x.pem'), '')
    const ran = await project.run(['events', 'list', '--input', '@/nowhere', '-v', '--json'])
    expect(ran.stderr).toContain('ENOENT')
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'not_found' } })
  })
})

describe('U-15 foreign text', () => {
  const TITLE = '\x1b]0;pwned\x07'

  test('of a project, a path, a key, a word and a cause reaches the terminal harmless', async () => {
    const env = cleanEnv()
    const parent = temporaryFolder()
    const cwd = join(parent, `repo${TITLE}`)
    spawnSync('git', ['init', '--quiet', cwd], { timeout: 10_000 })
    const shown: Record<string, string> = {}
    const run = async (...args: string[]): Promise<void> => {
      const { stdout, stderr } = await qed(args, { cwd, env })
      shown[args.join(' ')] = `${stdout}${stderr}`
    }
    await run('init')
    const file = join(cwd, '.qed/project.json')
    const project = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...project, name: TITLE }))
    await run('status')
    await run('config', 'set', 'model', TITLE)
    await run('config', 'list')
    await run('config', 'get', TITLE)
    await run('events', 'list')
    await run(TITLE)
    await run('events', 'list', '--input', `@/nowhere/${TITLE}`, '-v')
    writeFileSync(join(cwd, '.qed/config.json'), JSON.stringify({ [TITLE]: 1 }))
    await run('status', '-v')
    await run('doctor')
    const raw = Object.entries(shown).filter(([, text]) => /[\x1b\x07]/.test(text))
    expect(raw).toEqual([])
    expect(shown['status']).toContain('\\x1b]0;pwned\\x07')
  })
})

describe('U-7 names that people use', () => {
  test('plural and singular nouns, show for get, system before a single word', async () => {
    const project = await testProject()
    expect(await project.json(['event', 'list'])).toEqual(await project.json(['events', 'list']))
    expect(await project.json(['config', 'show', 'mode'])).toEqual(await project.json(['config', 'get', 'mode']))
    expect(await project.json(['system', 'version'])).toEqual(await project.json(['version']))
  })

  test('flags may stand before the command', async () => {
    const project = await testProject()
    for (const flags of [['-C', project.root, '--json'], [`-C${project.root}`], ['-vC', project.root], [`--project=${project.root}`]])
      expect(await qed([...flags, 'status'], { env: project.env })).toMatchObject({
        exit: 0,
        stdout: expect.stringContaining(project.root),
      })
  })
})

describe('where it is started', () => {
  test('a folder that is not there makes no project of the one above it', async () => {
    const cwd = temporaryRepository()
    expect(await qed(['-C', './typo/deeper', 'init'], { cwd })).toMatchObject({ exit: 3, stderr: expect.stringContaining('typo/deeper') })
    expect(existsSync(join(cwd, '.qed'))).toBe(false)
  })

  test('a folder that was deleted is said to be gone', () => {
    const cwd = join(temporaryFolder(), 'gone')
    mkdirSync(cwd)
    const { status, stderr } = spawnSync('sh', ['-c', `rmdir "$PWD"; exec "${BIN}" status`], {
      cwd,
      env: cleanEnv(),
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect([status, stderr]).toEqual([3, expect.stringContaining('is gone')])
  })

  test.skipIf(process.getuid?.() !== 0)('a user without a home gets a version, help, and a sentence where a home is needed', () => {
    const as = (...args: string[]) =>
      spawnSync(BIN, args, {
        uid: 54321,
        gid: 54321,
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
        encoding: 'utf8',
        timeout: 20_000,
      })
    expect(as('--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^qed \d/), stderr: '' })
    expect(as('--help')).toMatchObject({ status: 0, stderr: '' })
    expect(as('status')).toMatchObject({ status: 9, stderr: expect.stringContaining('no home folder') })
  })
})

describe('U-17 signals', () => {
  test.each([
    ['SIGINT', 130, ['events', 'list', '--jsonl']],
    ['SIGTERM', 143, ['events', 'list', '--jsonl']],
    ['SIGHUP', 129, ['events', 'list', '--jsonl']],
    ['SIGINT', 130, ['events', 'list', '--input', '-']],
  ] as const)('%s ends one that waits for its input with %i: qed %j', async (signal, exit, args) => {
    const project = await testProject()
    const child = spawn(BIN, args, { cwd: project.root, env: project.env, timeout: 20_000 })
    const ended = once(child, 'exit')
    if (args.includes('--jsonl' as never)) {
      child.stdin.write('{"limit":1}\n')
      await once(child.stdout, 'data')
    } else await waitFor(() => isReading(child.pid))
    child.kill(signal)
    expect(await ended).toEqual([exit, null])
  })

  test('an interrupted command ends with 130', async () => {
    const project = await testProject()
    const child = spawn(BIN, ['events', 'tail', '--after', '0'], { cwd: project.root, env: project.env, timeout: 20_000 })
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
  })
})

describe('U-14 colour and glyphs', () => {
  test.each([
    ['status', true],
    ['nonsense', true],
    ['nonsense --no-color', false],
    ['--help --no-color', false],
    ['--no-color help events', false],
    ['events --help --color never', false],
    ['events list --limit 0 --no-color', false],
  ])('on a terminal, qed %s is coloured: %s', async (line, coloured) => {
    const project = await testProject()
    expect(inTerminal(`${BIN} ${line}`, project.env, project.root).stdout.includes('\x1b[')).toBe(coloured)
  })

  test('in a pipe, a mistake is coloured where that was asked for', async () => {
    expect((await qed(['nonsense', '--color=always'])).stderr).toContain('\x1b[')
  })

  test('U-45 the settings ui.* hold, the environment is above them, and a broken file does not stand in the way', async () => {
    const project = await testProject()
    const status = async (env: Record<string, string> = {}): Promise<string> =>
      (await qed(['status'], { cwd: project.root, env: { ...project.env, ...env } })).stdout
    expect(await status({ QED_UI_ASCII: '1' })).toMatch(/^\+ /)
    expect(await status({ QED_ASCII: '0' })).toMatch(/^✓ /)
    expect(await status({ QED_ASCII: 'perhaps' })).toBe('')
    await project.run(['config', 'set', 'ui.ascii', 'true'])
    await project.run(['config', 'set', 'ui.color', 'always', '--scope', 'personal'])
    expect(await status()).toMatch(/^\x1b\[32m\+/)
    expect(await status({ QED_ASCII: '0', NO_COLOR: '1' })).toMatch(/^✓ /)
    await project.run(['config', 'set', 'ui.color', 'never'])
    expect(inTerminal(`${BIN} status`, project.env, project.root).stdout).toMatch(/^\+ /)
    writeFileSync(join(project.root, '.qed/config.json'), '{')
    expect((await qed(['status'], { cwd: project.root, env: { ...project.env, QED_ASCII: '1' } })).stderr).toMatch(/^x invalid_input/)
  })
})

describe('I-4 a person is a terminal', () => {
  test('U-12 what is for a person works in one after a yes, and not where CI or a run is at work', async () => {
    const project = await testProject()
    const command = `${BIN} events redact 1 --reason test`
    expect(inTerminal(command, { ...project.env, CI: 'true' }, project.root).status).toBe(4)
    expect(inTerminal(command, { ...project.env, QED_RUN: 'run_x' }, project.root).status).toBe(4)
    expect(inTerminal(`${command} --no-input`, project.env, project.root).status).toBe(4)
    const refused = inTerminal(command, project.env, project.root, '\n')
    expect([refused.status, refused.stdout]).toEqual([4, expect.stringContaining('[y/N]')])
    expect(await project.json(['events', 'verify'])).toMatchObject({ count: 1 })
    const done = inTerminal(command, project.env, project.root, 'y\n')
    expect([done.status, done.stdout]).toEqual([0, expect.stringContaining('redacted')])
    expect(await project.json(['events', 'verify'])).toMatchObject({ ok: true, count: 2 })
  })

  test('a store that was lost comes back from its backup', async () => {
    const project = await testProject()
    await project.run(['store', 'backup', 'b.db'])
    writeFileSync(join(project.root, '.qed/qed.db'), 'broken'.repeat(1000))
    expect(inTerminal(`${BIN} store restore b.db`, project.env, project.root).status).toBe(0)
    expect(await project.json(['events', 'list'])).toMatchObject({ items: [{ type: 'project.initialised' }, { type: 'store.restored' }] })
  })
})

describe('a full disk', () => {
  test('I-10 is said plainly, and nothing is half written', async () => {
    const home = temporaryFolder()
    const script = `cd /mnt && git init -q . && dd if=/dev/zero of=fill bs=4k count=10000 2>/dev/null; ${BIN} init --json; rm fill; ${BIN} init --json && ${BIN} events verify --json`
    const bwrap = [
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--size',
      String(1 << 20),
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
    const [full, made, verified] = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as object)
    expect(full).toMatchObject({ error: { code: 'disk_full', next: { command: 'qed store stats' } } })
    expect(made).toMatchObject({ created: expect.any(Boolean) })
    expect(verified).toMatchObject({ ok: true })
  })
})

test('a setting that is so already is nothing to do', async () => {
  const project = await testProject()
  expect(await project.run(['config', 'set', 'shell.timeout_ms', 'null'])).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('nothing to do'),
  })
  expect(await project.json(['events', 'verify'])).toMatchObject({ count: 1 })
})

test('U-12 a dry run checks everything and writes nothing', async () => {
  const project = await testProject()
  const before = readFileSync(join(project.root, '.qed/config.json'), 'utf8')
  expect(await project.json(['config', 'set', 'mode', 'plan', '--dry-run'])).toMatchObject({ value: 'plan', previous: null, dry_run: true })
  expect(await project.run(['config', 'set', 'mode', 'sleep', '--dry-run'])).toMatchObject({ exit: 2 })
  expect(await project.json(['store', 'backup', 'b.db', '--dry-run'])).toMatchObject({ path: join(project.root, 'b.db'), dry_run: true })
  expect(readFileSync(join(project.root, '.qed/config.json'), 'utf8')).toBe(before)
  expect(await project.json(['events', 'verify'])).toMatchObject({ count: 1 })
  expect(existsSync(join(project.root, 'b.db'))).toBe(false)
})

describe('completion', () => {
  const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0'], { timeout: 10_000 }).status === 0
  const script = async (shell: string, name: string): Promise<string> => {
    const { exit, stdout } = await qed(['completion', shell])
    expect(exit).toBe(0)
    const file = join(temporaryFolder(), name)
    writeFileSync(file, stdout)
    return file
  }
  /** A line up to the cursor, and a word that is offered there. */
  const OFFERED: [string, string][] = [
    ['qed ev', 'events'],
    ['qed prove --gu', '--guard'],
    ['qed events v', 'verify'],
    ['qed -C /tmp ev', 'events'],
    ['qed events list --li', '--limit'],
    ['qed events list --limit 5 --aft', '--after'],
    ['qed config get mode --verb', '--verbose'],
    ['qed serve --tls-c', '--tls-cert'],
    ['qed mcp start --ht', '--http'],
    ['qed completion f', 'fish'],
  ]

  test.skipIf(!has('bash'))('bash offers commands and flags, past values and arguments', async () => {
    const file = await script('bash', 'qed.bash')
    const run = `source ${file}; read -ra COMP_WORDS <<<"$1"; COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _qed; echo "\${COMPREPLY[@]}"`
    for (const [line, word] of OFFERED) {
      const { stdout } = spawnSync('bash', ['-c', run, 'bash', line], { encoding: 'utf8', timeout: 10_000 })
      expect([line, stdout.trim()]).toEqual([line, word])
    }
  })

  test.skipIf(!has('fish'))('fish offers the same, and the first word without a complaint', async () => {
    const file = await script('fish', 'qed.fish')
    const ask = (line: string) =>
      spawnSync('fish', ['--no-config', '-c', `source ${file}; complete -C "$argv[1]"`, line], {
        env: cleanEnv(),
        encoding: 'utf8',
        timeout: 20_000,
      })
    const first = ask('qed ')
    expect([first.stdout, first.stderr]).toEqual([expect.stringMatching(/^events\t/m), ''])
    for (const [line, word] of OFFERED) {
      const { stdout, stderr } = ask(line)
      expect([line, stdout.split('\t')[0], stderr]).toEqual([line, word, ''])
    }
  })

  test.skipIf(!has('zsh'))('zsh completes at the first TAB', { timeout: 60_000 }, async () => {
    const file = await script('zsh', '_qed')
    const folder = dirname(file)
    // A terminal of its own, in which qed is a function that tells what it was called with.
    writeFileSync(
      join(folder, 'setup.zsh'),
      `PS1= PS2=\nfpath=(${folder} $fpath)\nautoload -U compinit && compinit -D -u\nqed() { print -r -- "<<$*>>" }\nprint READY\n`,
    )
    const drive = [
      'zmodload zsh/zpty',
      'zpty shell zsh -f -i',
      'zpty -w shell "source $1"',
      "zpty -r -m shell seen '*READY*'",
      `zpty -w -n shell "$2"$'\\t'`,
      "zpty -w -n shell $'\\n'",
      "zpty -r -m shell seen '*>>*'",
      'print -r -- "$seen"',
    ].join('\n')
    for (const [line, word] of OFFERED) {
      const { stdout } = spawnSync('zsh', ['-f', '-c', drive, 'zsh', join(folder, 'setup.zsh'), line], {
        env: { ...cleanEnv(), TERM: 'dumb' },
        encoding: 'utf8',
        timeout: 10_000,
      })
      const called = /<<(.*?)>>/.exec(stdout)?.[1]?.trim()
      expect([line, called]).toEqual([line, `${line.split(' ').slice(1, -1).join(' ')} ${word}`.trim()])
    }
  })
})

test('a folder that may not be written is said to be so', async () => {
  const repository = temporaryRepository()
  writeFileSync(join(repository, '.qed'), 'a file where a folder should be')
  chmodSync(join(repository, '.qed'), 0o400)
  expect(await qed(['init'], { cwd: repository, env: cleanEnv() })).toMatchObject({
    exit: 9,
    stderr: expect.stringContaining('unavailable'),
  })
})
