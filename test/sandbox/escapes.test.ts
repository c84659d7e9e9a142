import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProcessOutcome } from '../../src/sandbox/process/types.ts'
import { type Bench, bench, git, isAlive, NODE, newRun, repository, until, write } from './support.ts'

// Every row tries to reach something that it must not. A row holds when its goal was not reached, judged from outside: the
// victim's bytes, a listener that heard nothing, a process that is gone. A row that gets through must do no harm either: on
// the machine itself files are only opened for writing, never written, and every victim is a file of the test.

const GOOD = 'untouched'
const LOOT = 'the-content-nobody-may-see'

interface Stage extends Bench {
  project: string
  victim: string
  /** Values that the rows use in their commands. */
  vars: Record<string, string>
  heard: string[]
}

interface Row {
  /** Which wall holds it. */
  wall: string
  command: string
  /** What would have happened had it got through; the default is a changed victim or seen loot. */
  reached?: (stage: Stage, outcome: ProcessOutcome) => boolean
}

const python = (code: string): string => `/usr/bin/python3 -c '${code}'`
const connects = (address: string): string =>
  python(`import socket; s=socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect("${address}"); s.send(b"hello")`)
const hears = (stage: Stage): boolean => stage.heard.length > 0
const says = (word: string) => (_stage: Stage, outcome: ProcessOutcome) => outcome.stdout.text.includes(word)

const ROWS: Record<string, Row> = {
  redirect: { wall: 'filesystem', command: 'echo bad > $VICTIM' },
  append: { wall: 'filesystem', command: 'echo bad >> $VICTIM' },
  tee: { wall: 'filesystem', command: 'echo bad | tee $VICTIM' },
  dd: { wall: 'filesystem', command: 'echo bad | dd of=$VICTIM conv=notrunc' },
  truncate: { wall: 'filesystem', command: 'truncate -s 0 $VICTIM' },
  remove: { wall: 'filesystem', command: 'rm -f $VICTIM' },
  'chmod and write': { wall: 'filesystem', command: 'chmod 777 $VICTIM; echo bad > $VICTIM' },
  'python one-liner': { wall: 'filesystem', command: python('import os; open(os.environ["VICTIM"],"w").write("bad")') },
  'perl one-liner': { wall: 'filesystem', command: `perl -e 'open F,">",$ENV{VICTIM}; print F "bad"'` },
  'git -C': {
    wall: 'filesystem',
    command: 'git -C $PROJECT checkout --detach; git -C $PROJECT commit --allow-empty -m bad; git -C $PROJECT branch bad',
  },
  'git config': { wall: 'git', command: 'git -C $PROJECT config core.fsmonitor "touch $VICTIM.ran"; git config --local alias.x "!sh"' },
  '.git/hooks': { wall: 'git', command: 'echo "#!/bin/sh" > $PROJECT/.git/hooks/post-checkout; mkdir -p .git/hooks; echo x > .git' },
  '.git/config': { wall: 'git', command: 'printf "[core]\\n fsmonitor = bad\\n" >> $PROJECT/.git/config' },
  'symbolic link': { wall: 'filesystem', command: 'ln -s $VICTIM owned/link && echo bad > owned/link' },
  'link made before': { wall: 'filesystem', command: 'echo bad > owned/planted' },
  'hard link': { wall: 'filesystem', command: 'ln $VICTIM owned/hard && echo bad > owned/hard' },
  'rename of a parent': {
    wall: 'filesystem',
    command: 'mv $(dirname $VICTIM) $(dirname $VICTIM).away; mv kept kept.away; mv owned owned.away',
  },
  'bind over a path': { wall: 'capabilities', command: 'mount --bind owned $(dirname $VICTIM) && echo bad > $VICTIM' },
  mount: { wall: 'capabilities', command: 'mount -t tmpfs none /mnt; mount -o remount,rw /; echo bad > $VICTIM' },
  umount: { wall: 'capabilities', command: 'umount -l $HOME; umount -l /tmp; cat $HOME_SECRET' },
  unshare: {
    wall: 'userns',
    command: 'unshare -Urm sh -c "mount -o remount,rw,bind /; echo bad > $VICTIM; echo nested"',
    reached: says('nested'),
  },
  nsenter: { wall: 'pid', command: 'nsenter -t 1 -m -p sh -c "echo bad > $VICTIM"; nsenter -t $QED_PID -m sh -c "echo bad > $VICTIM"' },
  chroot: { wall: 'capabilities', command: 'chroot / sh -c "echo in"', reached: says('in') },
  '/proc/*/root': { wall: 'pid', command: 'for r in /proc/[0-9]*/root; do echo bad > $r$VICTIM; cat $r$HOME_SECRET; done' },
  '/proc/*/fd': {
    wall: 'pid',
    command: 'ls -l /proc/$QED_PID/fd; for f in /proc/[0-9]*/fd/*; do readlink $f; done',
    reached: (stage, { stdout }) => stdout.text.includes(stage.folder),
  },
  '/proc/*/environ': { wall: 'pid', command: 'cat /proc/[0-9]*/environ; cat /proc/$QED_PID/environ', reached: says('VITEST') },
  '/proc/sys': {
    wall: 'filesystem',
    command: ': >> /proc/sys/kernel/core_pattern && echo opened; : >> /proc/sys/kernel/hostname && echo opened',
    reached: says('opened'),
  },
  sysrq: { wall: 'filesystem', command: ': >> /proc/sysrq-trigger && echo opened', reached: says('opened') },
  '/sys': {
    wall: 'filesystem',
    command: ': >> /sys/fs/cgroup/cgroup.procs && echo opened; : >> /sys/kernel/mm/transparent_hugepage/enabled && echo opened',
    reached: says('opened'),
  },
  'block device': {
    wall: 'devices',
    command: 'mknod owned/disk b 254 0 && head -c 1 owned/disk && echo read; ls /dev/vda && echo read',
    reached: says('read'),
  },
  ptrace: {
    wall: 'pid',
    command: `${python('import ctypes,os,sys; l=ctypes.CDLL(None); sys.stdout.write("traced" if l.ptrace(16,int(os.environ["QED_PID"]),0,0)==0 else "no")')}; gdb -p $QED_PID -batch`,
    reached: says('traced'),
  },
  'signal to QED': { wall: 'pid', command: 'kill -0 $QED_PID && echo alive', reached: says('alive') },
  'setuid programs': {
    wall: 'capabilities',
    command:
      'su -c "echo bad > $VICTIM"; sudo -n sh -c "echo bad > $VICTIM"; pkexec sh -c "echo bad > $VICTIM"; grep NoNewPrivs:.0 /proc/self/status && echo could',
    reached: says('could'),
  },
  capabilities: {
    wall: 'capabilities',
    command: 'grep -E "Cap(Eff|Bnd|Prm):\\s*0*[1-9a-f]" /proc/self/status && echo has',
    reached: says('has'),
  },
  cron: {
    wall: 'filesystem',
    command: ': >> /etc/crontab && echo opened; [ -w /etc/cron.d ] && echo opened; [ -w /var/spool/cron ] && echo opened',
    reached: says('opened'),
  },
  at: {
    wall: 'filesystem',
    command: 'for d in /var/spool/at /var/spool/cron/atjobs /var/spool; do [ -w $d ] && echo opened; done',
    reached: says('opened'),
  },
  systemd: { wall: 'sockets', command: 'ls /run/systemd /run/user && echo there', reached: says('there') },
  'D-Bus': { wall: 'sockets', command: connects('$DBUS_SOCKET'), reached: hears },
  'docker socket': {
    wall: 'sockets',
    command: `${connects('/run/docker.sock')}; ls /var/run/docker.sock && echo there`,
    reached: says('there'),
  },
  'ssh agent': { wall: 'sockets', command: connects('$SSH_SOCKET'), reached: hears },
  'X11 socket': { wall: 'sockets', command: 'ls /tmp/.X11-unix && echo there', reached: says('there') },
  'socket in the project': { wall: 'sockets', command: connects('$PROJECT_SOCKET'), reached: hears },
  'abstract socket': {
    wall: 'network',
    command: python(
      'import socket,os; s=socket.socket(socket.AF_UNIX); s.connect(b"\\0"+os.environ["ABSTRACT"].encode()); s.send(b"hello")',
    ),
    reached: hears,
  },
  'loopback service': {
    wall: 'network',
    command: python('import socket,os; s=socket.create_connection(("127.0.0.1",int(os.environ["PORT"])),2); s.send(b"hello")'),
    reached: hears,
  },
  DNS: {
    wall: 'network',
    command: `getent hosts example.com && echo found; ${python('import socket; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.sendto(b"x",("1.1.1.1",53)); print("sent")')}`,
    reached: (_s, { stdout }) => /found|sent/.test(stdout.text),
  },
  'background survivor': {
    wall: 'pid',
    command: '(setsid -f env -i sh -c "while :; do echo bad > $VICTIM; sleep 0.1; done"); setsid -f sleep 4242; exit 0',
    reached: () => readProcesses().some(command => command.includes('sleep 4242')),
  },
  'shell start files': {
    wall: 'home',
    command: 'echo "touch $VICTIM" >> $HOME/.bashrc; echo x > $HOME/.profile',
    reached: stage => existsSync(join(stage.vars['REAL_HOME'] ?? '', '.profile')),
  },
  'node_modules/.bin': {
    wall: 'scope',
    command: 'echo bad > node_modules/.bin/tool; echo bad > $PROJECT/node_modules/.bin/tool',
    reached: ({ place, project }) => [place, project].some(root => readFileSync(join(root, 'node_modules/.bin/tool'), 'utf8') !== GOOD),
  },
  'PATH entries': {
    wall: 'filesystem',
    command: 'IFS=:; for d in $PATH; do [ -w $d ] && echo opened; : >> $d/ls && echo opened; done',
    reached: says('opened'),
  },
  'file outside the scope': {
    wall: 'scope',
    command: 'echo bad > kept/file; rm -rf kept; echo new > kept/new; echo new > new-file',
    reached: ({ place }) => readFileSync(join(place, 'kept/file'), 'utf8') !== GOOD || existsSync(join(place, 'new-file')),
  },
  'another run’s place': {
    wall: 'state',
    command: 'echo bad > $OTHER_PLACE/file; cat $OTHER_PLACE/file',
    reached: stage => readFileSync(`${stage.vars['OTHER_PLACE']}/file`, 'utf8') !== LOOT,
  },
  'another run’s scratch': { wall: 'state', command: 'echo bad > $OTHER_SCRATCH/file; cat $OTHER_SCRATCH/file' },
  'state and personal folders': {
    wall: 'state',
    command: 'cat $PERSONAL/qed.db; ls $PERSONAL/keys; cat $PERSONAL/keys/vault.txt; find $PERSONAL -type f -exec cat {} +',
  },
  attic: { wall: 'state', command: 'cat $PERSONAL/state/attic/r/file' },
  vault: { wall: 'masks', command: 'cat $PROJECT/.qed/vault/secrets.age .qed/vault/secrets.age $PERSONAL/vault/secrets.age' },
  'sacred file': {
    wall: 'masks',
    command:
      'cat $PROJECT/.qed/sacred-scopes.yaml && echo seen; echo "version: 1" > $PROJECT/.qed/sacred-scopes.yaml; echo x > .qed/sacred-scopes.yaml',
    reached: says('seen'),
  },
  'sensitive file': {
    wall: 'masks',
    command: 'cat $PROJECT/.env .env owned/.env; rm -f owned/.env; cp .env owned/copy; tar c .env | strings',
  },
  'home secrets': { wall: 'home', command: 'cat $HOME_SECRET; find / -name id_rsa -path "*home*" -exec cat {} + 2>/dev/null' },
}

describe.each(['present', 'broken', 'missing'] as const)('S-34 with the sacred file %s', sacred => {
  test('none of the escapes succeeds', async () => {
    const stage = await makeStage(sacred)
    const before = fingerprint(stage)
    const reached: string[] = []
    for (const [name, row] of Object.entries(ROWS)) {
      stage.heard.length = 0
      const outcome = await tryRow(stage, row)
      expect([name, outcome.isolation.degraded, outcome.escaped]).toEqual([name, null, []])
      const seen = [outcome.stdout.text, outcome.stderr.text].some(text => text.includes(LOOT))
      if (seen || fingerprint(stage) !== before || row.reached?.(stage, outcome))
        reached.push(`${name} got through: ${row.wall} does not hold`)
    }
    expect(reached).toEqual([])
  }, 120_000)
})

test('S-34 the same rows do get through without a sandbox, so that they are worth trying', async () => {
  const stage = await makeStage('present', { program: 'no-such-bwrap', require: 'none' })
  for (const name of [
    'redirect',
    'python one-liner',
    'link made before',
    'loopback service',
    'abstract socket',
    'signal to QED',
    'sensitive file',
  ]) {
    const row = ROWS[name]
    if (!row) throw new Error(`there is no row ${name}`)
    stage.heard.length = 0
    writeFileSync(stage.victim, GOOD)
    const outcome = await tryRow(stage, row)
    const through = outcome.stdout.text.includes(LOOT) || readFileSync(stage.victim, 'utf8') !== GOOD || row.reached?.(stage, outcome)
    expect([name, through]).toEqual([name, true])
  }
})

test('S-11 with a namespace the children of a QED that was killed are gone', async () => {
  const { folder } = bench({ program: 'bwrap' })
  const script = join(folder, 'victim.ts')
  const here = join(import.meta.dirname, '../../src/sandbox/sandbox.ts')
  writeFileSync(
    script,
    `import { createSandbox } from ${JSON.stringify(here)}
     const { processes } = createSandbox({ env: process.env, home: ${JSON.stringify(join(folder, 'home'))}, personal: ${JSON.stringify(join(folder, 'personal'))},
       project: null, require: 'bubblewrap', redact: t => t, clock: { now: () => Date.now() } })
     await processes.run({ argv: { shell: 'setsid sleep 4243 & echo up; sleep 4244' }, cwd: '/', profile: 'worker', writable: {}, env: {}, timeout_ms: 60000,
       keep: { head: 100, tail: 0 }, run_id: ${JSON.stringify(newRun())}, onOutput: (_s, text) => process.stdout.write(text) })`,
  )
  const victim = spawn(NODE, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(victim.stdout, 'data')
  expect(readProcesses().filter(command => /sleep 424[34]/.test(command)).length).toBeGreaterThan(0)
  victim.kill('SIGKILL')
  await once(victim, 'exit')
  await until(() => !readProcesses().some(command => /sleep 424[34]/.test(command)), 5000)
  expect(isAlive(victim.pid ?? 0)).toBe(false)
})

function tryRow(stage: Stage, row: Row): Promise<ProcessOutcome> {
  return stage.run(row.command, {
    cwd: stage.place,
    env: stage.vars,
    writable: { place: stage.place, owned: ['owned/**'], scratch: join(stage.state, 'scratch', stage.run_id) },
    timeout_ms: 10_000,
  })
}

async function makeStage(
  sacred: 'present' | 'broken' | 'missing',
  options = { program: 'bwrap', require: 'bubblewrap' as 'bubblewrap' | 'none' },
): Promise<Stage> {
  const project = repository({ 'file.txt': 'base', 'node_modules/.bin/tool': GOOD, '.env': LOOT })
  const outer = bench()
  const [personal, home] = [join(outer.folder, 'personal'), join(outer.folder, 'home')]
  const [sshFolder, busFolder] = [join(outer.folder, 'ssh'), join(outer.folder, 'bus')]
  const b = bench({
    ...options,
    home,
    personal,
    project: { root: project, gitFolder: join(project, '.git') },
    env: {
      PATH: process.env['PATH'],
      SSH_AUTH_SOCK: join(sshFolder, 'agent'),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(busFolder, 'bus')},guid=1`,
    },
  })
  const place = join(personal, 'state/places/prj', b.run_id)
  mkdirSync(join(personal, 'state/places/prj'), { recursive: true })
  git(project, 'worktree', 'add', '--quiet', '--detach', place)
  const victim = join(project, 'victim/file')
  write(project, {
    'victim/file': GOOD,
    '.qed/vault/secrets.age': LOOT,
    '.qed/project.json': LOOT,
    ...(sacred === 'missing' ? {} : { '.qed/sacred-scopes.yaml': sacred === 'present' ? 'version: 1\nrows: []\n' : ': [broken' }),
  })
  write(place, { 'owned/x': '', 'kept/file': GOOD, 'owned/.env': LOOT, '.qed/vault/secrets.age': LOOT })
  symlinkSync(victim, join(place, 'owned/planted'))
  linkSync(join(project, 'file.txt'), join(project, 'hard'))
  write(personal, {
    'qed.db': LOOT,
    'keys/vault.txt': LOOT,
    'vault/secrets.age': LOOT,
    'state/attic/r/file': LOOT,
    'state/places/prj/other/file': LOOT,
    'state/scratch/other/file': LOOT,
    [`state/scratch/${b.run_id}/own`]: '',
  })
  write(home, { '.ssh/id_rsa': LOOT, '.bashrc': GOOD })
  const heard: string[] = []
  for (const folder of [sshFolder, busFolder]) mkdirSync(folder)
  const abstract = `qed-test-${process.pid}-${b.run_id}`
  const port = await listen(heard, { host: '127.0.0.1', port: 0 })
  for (const path of [join(sshFolder, 'agent'), join(busFolder, 'bus'), join(project, 'service.sock'), `\0${abstract}`])
    await listen(heard, { path })
  return {
    ...b,
    place,
    project,
    victim,
    heard,
    vars: {
      VICTIM: victim,
      PROJECT: project,
      QED_PID: String(process.pid),
      HOME_SECRET: join(home, '.ssh/id_rsa'),
      REAL_HOME: home,
      OTHER_PLACE: join(personal, 'state/places/prj/other'),
      OTHER_SCRATCH: join(personal, 'state/scratch/other'),
      PERSONAL: personal,
      PORT: String(port),
      ABSTRACT: abstract,
      SSH_SOCKET: join(sshFolder, 'agent'),
      DBUS_SOCKET: join(busFolder, 'bus'),
      PROJECT_SOCKET: join(project, 'service.sock'),
    },
  }
}

/** Everything that a row could have damaged, as one text. */
function fingerprint({ project, victim, vars, place }: Stage): string {
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '(gone)')
  return [
    read(victim),
    read(join(project, '.git/config')),
    String(existsSync(join(project, '.git/hooks/post-checkout'))),
    read(join(project, '.git/HEAD')),
    git(project, 'for-each-ref', '--format=%(refname)%(objectname)'),
    read(join(project, '.qed/sacred-scopes.yaml')),
    read(join(vars['REAL_HOME'] ?? '', '.bashrc')),
    read(join(place, 'kept/file')),
    read(join(place, '.git')),
    read(`${vars['OTHER_SCRATCH']}/file`),
    read(`${vars['PERSONAL']}/keys/vault.txt`),
    read(`${victim}.ran`) + read(`${victim}.cron`),
  ].join('\n')
}

function readProcesses(): string[] {
  const { readdirSync } = process.getBuiltinModule('node:fs')
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
      } catch {
        return ''
      }
    })
}

function listen(heard: string[], where: { host: string; port: number } | { path: string }): Promise<number> {
  const server: Server = createServer(socket => {
    heard.push('connected')
    socket.on('error', () => undefined).destroy()
  })
  onTestFinished(() => void server.close())
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
