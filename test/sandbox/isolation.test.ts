import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { IsolationInForce } from '../../src/kernel/isolation.ts'
import { bubblewrapArguments, type SandboxPlan } from '../../src/sandbox/isolation/bubblewrap-arguments.ts'
import { OUTSIDE_RUNS } from '../../src/sandbox/isolation/detect.ts'
import { buildEnvironment } from '../../src/sandbox/isolation/environment.ts'
import { reportOf } from '../../src/sandbox/isolation/report.ts'
import { isSensitiveName } from '../../src/sandbox/isolation/sensitive.ts'
import { fixesFor, judgeProbe } from '../../src/sandbox/isolation/state.ts'
import { type FolderEntry, writableScope } from '../../src/sandbox/scope/writable-scope.ts'
import { bench, newRun, write } from './support.ts'

const plan: SandboxPlan = {
  network: 'off',
  disableUserns: true,
  covered: ['/tmp', '/var/tmp', '/run', '/home/ada'],
  homeRead: ['/home/ada/.cargo/bin'],
  project: '/home/ada/shop',
  place: '/home/ada/.local/share/qed/state/places/p/r',
  coveredAgain: [],
  writable: ['/home/ada/.local/share/qed/state/places/p/r/src', '/home/ada/.local/share/qed/state/scratch/r'],
  readOnly: ['/home/ada/.local/share/qed/state/places/p/r/src/kept.ts'],
  layers: [{ from: '/home/ada/.local/share/qed/state/layers/k/lib', to: '/home/ada/.local/share/qed/state/places/p/r/lib' }],
  gitFolders: ['/home/ada/shop/.git'],
  masks: [
    { path: '/home/ada/shop/.env', kind: 'file' },
    { path: '/home/ada/shop/.qed', kind: 'folder' },
  ],
  blank: { file: '/s/blank', folder: '/s/blank.d' },
  secrets: [{ fd: 4, path: '/run/secrets/TOKEN' }],
  cwd: '/home/ada/.local/share/qed/state/places/p/r',
  argv: ['make', 'test'],
}

test('S-27 the arguments of bubblewrap, whole and in order', () => {
  const place = plan.place ?? ''
  expect(
    bubblewrapArguments(plan)
      .join(' ')
      .split(/ (?=--)/),
  ).toEqual([
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--unshare-net',
    '--disable-userns',
    '--die-with-parent',
    '--new-session',
    '--cap-drop ALL',
    '--hostname qed',
    '--ro-bind / /',
    '--dev /dev',
    '--proc /proc',
    '--ro-bind /proc/sys /proc/sys',
    '--tmpfs /tmp',
    '--tmpfs /var/tmp',
    '--tmpfs /run',
    '--tmpfs /home/ada',
    '--ro-bind /home/ada/.cargo/bin /home/ada/.cargo/bin',
    '--ro-bind /home/ada/shop /home/ada/shop',
    `--ro-bind ${place} ${place}`,
    `--bind ${place}/src ${place}/src`,
    '--bind /home/ada/.local/share/qed/state/scratch/r /home/ada/.local/share/qed/state/scratch/r',
    `--ro-bind ${place}/src/kept.ts ${place}/src/kept.ts`,
    `--ro-bind /home/ada/.local/share/qed/state/layers/k/lib ${place}/lib`,
    '--ro-bind /home/ada/shop/.git /home/ada/shop/.git',
    '--ro-bind /s/blank /home/ada/shop/.env',
    '--ro-bind /s/blank.d /home/ada/shop/.qed',
    '--ro-bind-data 4 /run/secrets/TOKEN',
    `--chdir ${place}`,
    '-- make test',
  ])
})

test('S-27 network and older bubblewraps leave their option out, and nothing else changes', () => {
  const full = bubblewrapArguments(plan)
  expect(bubblewrapArguments({ ...plan, network: 'host' })).toEqual(full.filter(option => option !== '--unshare-net'))
  expect(bubblewrapArguments({ ...plan, disableUserns: false })).toEqual(full.filter(option => option !== '--disable-userns'))
})

describe('S-31 the report is read off the arguments', () => {
  const probe = { at: '2026-01-01T00:00:00.000Z', tool: 'bubblewrap 0.8.0', checks: {} }
  const facts = {
    profile: 'worker' as const,
    home: '/home/ada',
    place: plan.place,
    gitFolder: '/home/ada/shop/.git',
    blank: plan.blank,
    socketFolders: [],
    scope: 'owned' as const,
    network: 'off' as const,
    probe,
  }
  const report = (change: Partial<SandboxPlan>, more = {}): IsolationInForce =>
    reportOf(bubblewrapArguments({ ...plan, ...change }), { ...facts, ...more })

  test('of a whole sandbox', () => {
    expect(report({})).toEqual({
      level: 'bubblewrap',
      planned: 'worker',
      filesystem: 'read-only-root',
      writable: [...plan.writable, '/tmp'],
      hidden: ['/tmp', '/var/tmp', '/run', '/home/ada', '/home/ada/shop/.env', '/home/ada/shop/.qed'],
      network: 'off',
      pid_namespace: true,
      environment: 'filtered',
      facets: { scope: 'owned', tmp: 'private', home: 'masked', git: 'read-only', sockets: 'masked', userns: 'disabled' },
      probe,
      degraded: null,
      limitations: [],
    })
  })

  test.each<[string, Partial<SandboxPlan>, object, string]>([
    ['a home that was shown again', { homeRead: ['/home/ada'] }, {}, 'home: host, sockets: host'],
    ['a host network nobody asked for', { network: 'host' }, {}, 'sockets: host, network: host'],
    ['an old bubblewrap', { disableUserns: false }, {}, 'userns: allowed'],
    ['a scope that needed too many binds', {}, { scope: 'directory' }, 'scope: directory'],
    ['a git folder that is open', { gitFolders: [], writable: ['/home/ada/shop'] }, {}, 'git: host'],
    ['a temporary folder that is the host’s', { covered: ['/run', '/home/ada'] }, {}, 'tmp: host, sockets: host'],
  ])('of %s', (_what, change, more, degraded) => {
    expect(report(change, more).degraded).toBe(degraded)
  })

  test('S-33 of a network that was asked for: nothing is weaker than wished, and the facets still tell', () => {
    const { degraded, network, facets, limitations } = report({ network: 'host' }, { network: 'host' })
    expect([degraded, network, facets.sockets]).toEqual([null, 'host', 'host'])
    expect(limitations).toEqual(['the network is the host’s: which hosts are reached is held by policy alone'])
  })
})

describe('S-28 the writable scope', () => {
  const tree: Record<string, FolderEntry[]> = {
    '': entries('src/', 'docs/', 'README.md', '.git'),
    src: entries('a.ts', 'b.ts', 'deep/', 'gen/'),
    'src/deep': entries('a.ts', 'x.css'),
    'src/gen': entries('out.js'),
  }
  const scope = (owned: string[], more: { protected?: string[]; tree?: Record<string, FolderEntry[]> } = {}) =>
    writableScope({ place: '/p', owned, protected: more.protected ?? [], list: folder => (more.tree ?? tree)[folder] ?? [] })

  test.each([
    ['a whole folder', ['src/**'], { writable: ['/p/src'], readOnly: [], facet: 'owned' }],
    [
      'a single file, by its folder, its neighbours held back',
      ['src/a.ts'],
      { writable: ['/p/src'], readOnly: ['/p/src/deep', '/p/src/gen', '/p/src/b.ts'], facet: 'owned' },
    ],
    [
      'a pattern over folders',
      ['src/**/*.ts'],
      { writable: ['/p/src'], readOnly: ['/p/src/deep/x.css', '/p/src/gen/out.js'], facet: 'owned' },
    ],
    ['alternatives', ['{src/deep,docs}/*.css'], { writable: ['/p/docs', '/p/src/deep'], readOnly: ['/p/src/deep/a.ts'], facet: 'owned' }],
    ['everything', ['**'], { writable: ['/p'], readOnly: ['/p/.git'], facet: 'place' }],
    ['one file of the root', ['README.md'], { writable: ['/p'], readOnly: ['/p/src', '/p/docs', '/p/.git'], facet: 'owned' }],
    ['nothing', [], { writable: [], readOnly: [], facet: 'owned' }],
  ])('of %s', (_what, owned, expected) => {
    expect(scope(owned)).toEqual(expected)
  })

  test('holds protected files back inside what is owned', () => {
    expect(scope(['src/**'], { protected: ['src/b.ts', 'package.json'] }).readOnly).toEqual(['/p/src/b.ts'])
  })

  test('that needs more than 256 binds says that only folders are held', () => {
    const many = { '': entries(...Array.from({ length: 300 }, (_, i) => `f${i}`), 'sub/') }
    const { facet, readOnly } = scope(['*.md'], { tree: many })
    expect([facet, readOnly.length, readOnly[0]]).toEqual(['directory', 257, '/p/sub'])
  })
})

describe('S-39 the environment', () => {
  const facts = { home: '/h', tmp: '/tmp', run: 'r', mark: 'r.c', scratch: '/s', writable: ['/p/src'], roots: ['/p'] }

  test('is built from nothing', () => {
    const own = {
      PATH: '/p/node_modules/.bin:.:rel/bin:/p/src/bin:/home/ada/.cargo/bin/:/usr/bin',
      HOME: '/home/ada',
      AWS_PROFILE: 'x',
      EDITOR: 'vi',
    }
    expect(buildEnvironment({ ...facts, own })).toEqual({
      PATH: '/home/ada/.cargo/bin:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin:/p/node_modules/.bin',
      HOME: '/h',
      USER: 'qed',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      TERM: 'dumb',
      NO_COLOR: '1',
      TMPDIR: '/tmp',
      CI: 'true',
      QED_RUN: 'r',
      QED_SCRATCH: '/s',
      QED_MARK: 'r.c',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PAGER: 'cat',
      GIT_EDITOR: 'false',
    })
  })

  test('S-40 S-41 takes over what is named, but no credential, and what steers programs only as a literal value', () => {
    const own = {
      LESS: '-R',
      GITHUB_TOKEN: 'x',
      MY_API_KEY: 'x',
      NODE_OPTIONS: '--require evil',
      LD_PRELOAD: 'evil.so',
      HTTPS_PROXY: 'http://x',
    }
    const inherit = Object.keys(own).map(name => ({ name, inherit: true as const }))
    const made = buildEnvironment({
      ...facts,
      own,
      extra: [...inherit, { name: 'NODE_OPTIONS', value: '--max-old-space-size=100' }, { name: 'QED_MARK', value: 'forged' }],
    })
    expect(made).toMatchObject({ LESS: '-R', NODE_OPTIONS: '--max-old-space-size=100', QED_MARK: 'r.c' })
    expect(Object.keys(made)).not.toEqual(expect.arrayContaining(['GITHUB_TOKEN']))
    for (const name of ['GITHUB_TOKEN', 'MY_API_KEY', 'LD_PRELOAD', 'HTTPS_PROXY']) expect(made[name]).toBeUndefined()
  })

  test('S-39 a process has nothing else', async () => {
    const { run } = bench({ env: { PATH: process.env['PATH'], SECRET_THING: 'x', HOME: '/root' } })
    const { stdout } = await run(['env'])
    const names = stdout.text
      .trim()
      .split('\n')
      .map(line => line.split('=')[0] ?? '')
      .sort()
    expect(names.join(' ')).toBe(
      'CI GIT_CONFIG_NOSYSTEM GIT_EDITOR GIT_OPTIONAL_LOCKS GIT_PAGER GIT_TERMINAL_PROMPT HOME LANG LC_ALL ' +
        'NO_COLOR PATH PWD QED_MARK QED_RUN QED_TEST_TOKEN SHELL TERM TMPDIR TZ USER',
    )
  })
})

describe('S-32 the probe', () => {
  const checks = {
    owned_write: 'pass',
    outside_write: 'pass',
    kernel_settings: 'pass',
    loopback: 'pass',
    unix_socket: 'pass',
    qed_pid: 'pass',
    masked_file: 'pass',
    userns: 'pass',
  } as const

  test('holds on this machine, and is kept for this boot, program and user', async () => {
    const { isolation, state } = bench({ program: 'bwrap' })
    const first = await isolation.state()
    expect(first).toMatchObject({ kind: 'available', degraded: null, probe: { checks } })
    const kept = JSON.parse(readFileSync(join(state, 'sandbox/probe.json'), 'utf8')) as { key: object; version: string }
    expect(kept.key).toEqual({
      boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      program: expect.stringMatching(/^\/usr\/(local\/)?bin\/bwrap:/),
      user: process.getuid?.(),
    })
    expect(kept.version).toMatch(/^0\.|^1\./)
    expect(await isolation.state()).toEqual(first)
    expect(await isolation.probe()).toMatchObject({ kind: 'available' })
  })

  test('that misses names its facet and makes the state broken; user namespaces alone only degrade', () => {
    const probe = { at: '', tool: '', checks }
    expect(judgeProbe('0.8.0', { ...probe, checks: { ...checks, loopback: 'fail' } })).toMatchObject({ kind: 'broken', facet: 'network' })
    expect(judgeProbe('0.8.0', { ...probe, checks: {} })).toMatchObject({ kind: 'broken', facet: 'scope' })
    expect(judgeProbe('0.7.0', { ...probe, checks: { ...checks, userns: 'fail' } })).toMatchObject({
      kind: 'available',
      degraded: 'userns',
    })
  })

  test('of a bubblewrap whose walls leak finds the leak', async () => {
    const { isolation } = bench({ program: fakeBubblewrap('exec /usr/bin/bwrap "${args[@]}"', '--unshare-net') })
    expect(await isolation.state()).toMatchObject({ kind: 'broken', facet: 'network' })
  })
})

/** A bubblewrap that leaves out one option. */
function fakeBubblewrap(end: string, leaves: string): string {
  const { folder } = bench()
  const path = join(folder, 'bwrap-fake')
  writeFileSync(path, `#!/bin/bash\nargs=(); for a in "$@"; do [ "$a" = "${leaves}" ] || args+=("$a"); done\n${end}\n`)
  chmodSync(path, 0o755)
  return path
}

describe('S-35 S-36 S-38 without bubblewrap', () => {
  const failing = () =>
    fakeBubblewrap(
      '[ "${args[0]}" = --version ] && exec echo "bubblewrap 0.8.0"; echo "bwrap: setting up uid map: Permission denied" >&2; exit 1',
      '',
    )

  test('it is absent or broken, and says what to do', async () => {
    expect(await bench().isolation.state()).toEqual({ kind: 'absent', reason: 'bubblewrap (bwrap) is not installed' })
    const broken = await bench({ program: failing() }).isolation.state()
    expect(broken).toMatchObject({ kind: 'broken', facet: 'start', message: 'bwrap: setting up uid map: Permission denied' })
    expect(fixesFor(broken).join(' ')).toMatch(/userns/)
    expect(fixesFor({ kind: 'absent', reason: '' }, 'linux')[0]).toMatch(/apt-get install bubblewrap/)
  })

  test.each([
    ['it is required', { require: 'bubblewrap' as const }],
    ['nobody has chosen and there is nobody to ask', { require: null }],
    ['the person says no', { require: null, consent: () => Promise.resolve('no' as const) }],
    ['a place is required and there is none', { require: 'worktree' as const }],
  ])('nothing is run where %s', async (_when, options) => {
    for (const program of ['no-such-bwrap', failing()]) {
      const { run, folder } = bench({ ...options, program })
      const outcome = await run(`touch ${folder}/ran`)
      expect(outcome).toMatchObject({ reason: 'not-started', error: { code: 'isolation_unavailable' } })
      expect(() => readFileSync(`${folder}/ran`)).toThrow('ENOENT')
    }
  })

  test('a person who was shown what does not hold may say yes, and the record tells the truth', async () => {
    const shown: (readonly string[])[] = []
    const { run } = bench({ require: null, consent: what => Promise.resolve(shown.push(what) > 0 ? 'once' : 'no') })
    const [outcome, ...others] = await Promise.all([run('true'), run('true'), run('true')])
    expect([shown, others.map(({ exit }) => exit)]).toEqual([[outcome.isolation.limitations], [0, 0]])
    expect(shown[0]).not.toEqual([])
    expect(outcome.isolation).toMatchObject({
      level: 'process-group',
      network: 'host',
      facets: { home: 'host' },
      degraded: 'Bubblewrap is not installed. Not isolated.',
    })
  })

  test('S-36 an answer holds for its run, or for the project on this machine, and the next run is asked again otherwise', async () => {
    for (const [answer, times] of [
      ['once', 2],
      ['project', 1],
      ['no', 2],
    ] as const) {
      const kept: (readonly string[])[] = []
      let asked = 0
      const { run } = bench({
        require: null,
        accepted: () => Promise.resolve(kept.length > 0),
        accept: what => Promise.resolve(void kept.push(what)),
      })
      const consent = (): Promise<typeof answer> => Promise.resolve((asked++, answer))
      const runs = [newRun(), newRun()]
      for (const run_id of [...runs, ...runs]) {
        const { reason } = await run('true', { run_id, consent })
        expect([answer, reason]).toEqual([answer, answer === 'no' ? 'not-started' : 'exited'])
      }
      expect([asked, kept.length]).toEqual([times, answer === 'project' ? 1 : 0])
    }
  })

  test('S-36 one answer to a command outside runs is not an answer to the next', async () => {
    let asked = 0
    const { run } = bench({ require: null, consent: () => Promise.resolve(asked++ === 0 ? 'once' : 'no') })
    const spec = { run_id: OUTSIDE_RUNS }
    expect([(await run('true', spec)).reason, (await run('true', spec)).reason]).toEqual(['exited', 'not-started'])
  })

  test('S-38 a sandbox that fails to start is not tried again without', async () => {
    const broken = bench({ program: 'bwrap', require: 'none' })
    await broken.isolation.state()
    const ran = join(broken.folder, 'ran')
    const failed = await broken.run(`touch ${ran}`, { writable: { place: broken.place, scratch: join(broken.folder, 'not-there') } })
    expect(failed).toMatchObject({ reason: 'not-started', error: { code: 'sandbox_failed' } })
    expect(() => readFileSync(ran)).toThrow('ENOENT')
  })
})

describe('S-1 in the sandbox', () => {
  test('a program that is not there is told apart from a sandbox that failed', async () => {
    const { run } = bench({ program: 'bwrap' })
    expect(await run(['no-such-program-here'])).toMatchObject({ reason: 'not-started', error: { code: 'ENOENT' } })
    expect(await run(['/etc/passwd'])).toMatchObject({ reason: 'not-started', error: { code: 'EACCES' } })
    expect(await run(['sh', '-c', 'echo "bwrap: execvp x: No such file or directory" >&2; exit 1'])).toMatchObject({
      reason: 'exited',
      exit: 1,
    })
  })
})

test('S-28 an owned folder that is a link is not opened', async () => {
  const { run, folder, place } = bench({ program: 'bwrap' })
  const victim = join(folder, 'victim')
  write(folder, { 'place/x': '', 'victim/file': 'safe' })
  symlinkSync(victim, join(place, 'src'))
  await run('echo broken > src/file', { cwd: place, writable: { place, owned: ['src/**'] } })
  expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('safe')
})

test('S-28 writing by rename works inside the owned scope, and neighbours are held', async () => {
  const { run, place } = bench({ program: 'bwrap' })
  write(place, { 'src/a.ts': 'old', 'src/b.ts': 'kept' })
  const outcome = await run(
    'echo new > src/a.tmp && mv src/a.tmp src/a.ts; echo bad > src/b.ts; mv src/b.ts src/c.ts; rm src/b.ts; mkdir -p lib',
    {
      cwd: place,
      writable: { place, owned: ['src/a*', 'lib/new/**'] },
    },
  )
  expect(readFileSync(join(place, 'src/a.ts'), 'utf8')).toBe('new\n')
  expect(readFileSync(join(place, 'src/b.ts'), 'utf8')).toBe('kept')
  expect(outcome.isolation).toMatchObject({ facets: { scope: 'owned' }, degraded: null })
})

test('S-4 with a namespace nothing survives the first process, whatever it did', async () => {
  const { run } = bench({ program: 'bwrap' })
  const outcome = await run('env -i setsid sh -c "trap \'\' TERM; sleep 300" & setsid -f sleep 301; echo done; exit 0')
  expect(outcome).toMatchObject({ reason: 'exited', exit: 0, stdout: { text: 'done\n' }, escaped: [], isolation: { pid_namespace: true } })
  expect(outcome.duration_ms).toBeLessThan(1500)
})

test('S-4 a sandboxed program that tidies up on SIGTERM has the time to do so', async () => {
  const { run } = bench({ program: 'bwrap' })
  const outcome = await run(`trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.05; done`, { timeout_ms: 500 })
  expect(outcome).toMatchObject({ reason: 'timeout', stdout: { text: 'ready\ntidy\n' } })
})

test.each([
  ['.env', true],
  ['.env.local', true],
  ['.env.example', false],
  ['certs/server.pem', true],
  ['id_rsa', true],
  ['id_rsa.pub', false],
  ['a/secrets/prod.yml', true],
  ['src/secrets.ts', false],
  ['x.tfstate.backup', true],
  ['README.md', false],
])('S-30 %s is sensitive: %s', (path, expected) => {
  expect(isSensitiveName(`/p/${path}`)).toBe(expected)
})

function entries(...names: string[]): FolderEntry[] {
  return names.map(name => (name.endsWith('/') ? { name: name.slice(0, -1), kind: 'folder' } : { name, kind: 'file' }))
}
