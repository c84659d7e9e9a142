import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGit } from '../../src/sandbox/git/git.ts'
import { privateClone } from '../../src/sandbox/git/private-clone.ts'
import type { ProcessOutcome, ProcessSpec } from '../../src/sandbox/process/types.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type Bench, bench, git, repository, write } from './support.ts'

// What the other rooms start processes with: each profile with real walls, looked at from inside.

interface House extends Bench {
  project: string
  proofPlace: string
}

const SECRET = 'content-of-the-project-store'

async function house(options: Partial<SandboxOptions> = {}): Promise<House> {
  const project = repository({ 'src/sum.js': 'module.exports = (a, b) => a + b\n', 'package.json': '{}', '.gitignore': 'node_modules/\n' })
  write(project, { '.qed/qed.db': SECRET, '.qed/vault/secrets.age': SECRET })
  const b = bench({ program: 'bwrap', require: 'bubblewrap', project: { root: project, gitFolder: join(project, '.git') }, ...options })
  const proofPlace = join(b.state, 'places/prj_x/proof_1')
  await privateClone(createGit(b.processes, { root: project, gitFolder: join(project, '.git') }), {
    path: proofPlace,
    base: git(project, 'rev-parse', 'HEAD'),
  })
  write(proofPlace, { '.qed/qed.db': SECRET })
  return { ...b, project, proofPlace }
}

const said = ({ stdout, stderr, error }: ProcessOutcome): string => `${stdout.text}${stderr.text}${error?.message ?? ''}`.trim()

describe.each(['proof', 'gate'] as const)('the profile %s', profile => {
  const at = (b: House, more: Partial<ProcessSpec> = {}): Partial<ProcessSpec> => ({
    profile,
    cwd: b.proofPlace,
    writable: { place: b.proofPlace },
    ...more,
  })

  test('writes its own place and /tmp, and nothing else', async () => {
    const b = await house()
    const out = await b.run(
      `echo x > made && echo y > src/sum.js && echo z > /tmp/t && echo ok; echo x > ${b.project}/bad; echo x > $HOME/h && echo home; umask`,
      at(b),
    )
    expect(out.stdout.text).toBe('ok\nhome\n0022\n')
    expect([existsSync(join(b.proofPlace, 'made')), existsSync(join(b.project, 'bad')), existsSync(join(b.folder, 'home/h'))]).toEqual([
      true,
      false,
      false,
    ])
    expect(out.isolation).toMatchObject({
      level: 'bubblewrap',
      planned: profile,
      network: 'off',
      degraded: null,
      limitations: [],
      facets: { scope: 'place', git: 'private', home: 'masked', tmp: 'private', sockets: 'masked', userns: 'disabled' },
    })
  })

  test('has git data of its own that may be written, sharing the objects of a project whose git data may not', async () => {
    const b = await house()
    const who = '-c user.name=t -c user.email=t@example.com'
    const out = await b.run(`git log --oneline && git ${who} commit --allow-empty -qm inside && git log --format=%s`, at(b))
    expect([out.exit, said(out)]).toEqual([0, expect.stringContaining('inside\nbase')])
    const bad = await b.run(`git -C ${b.project} branch bad; echo x > ${b.project}/.git/hooks/post-commit; echo end`, at(b))
    expect([git(b.project, 'branch', '--list', 'bad'), existsSync(join(b.project, '.git/hooks/post-commit'))]).toEqual(['', false])
    expect(bad.isolation.facets.git).toBe('private')
  })

  test('has no network, an empty home, and sees nothing of `.qed`, of the person’s data or of other places', async () => {
    const b = await house()
    write(b.state, { 'places/prj_x/other/file': SECRET })
    write(join(b.folder, 'personal'), { 'keys/vault.txt': SECRET })
    write(join(b.folder, 'home'), { '.bashrc': SECRET })
    const port = await listening()
    const out = await b.run(
      [
        `ls -A $HOME ${b.project}/.qed .qed ${join(b.folder, 'personal')}`,
        `ls ${b.state} ${b.state}/places/prj_x`,
        `grep -rs ${SECRET} ${b.folder} ${b.project} . && echo seen`,
        `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo connected`,
        'echo end',
      ].join('; '),
      at(b),
    )
    expect(out.stdout.text).toContain('end')
    expect(out.stdout.text).not.toMatch(/seen|connected|keys|other/)
  })

  test('F-9 the environment does not tell it from a worker', async () => {
    const b = await house()
    const scratch = join(b.state, 'scratch', b.run_id)
    mkdirSync(scratch, { recursive: true })
    const names = async (more: Partial<ProcessSpec>): Promise<string> =>
      (await b.run('env | cut -d= -f1 | sort; hostname; test -w "$QED_SCRATCH" && echo scratch', more)).stdout.text
    const worker = await names({ cwd: b.proofPlace, writable: { place: b.proofPlace, owned: ['src/**'], scratch } })
    expect(await names(at(b, { writable: { place: b.proofPlace, scratch } }))).toBe(worker)
    expect(worker).toMatch(/^QED_SCRATCH$/m)
    expect(worker).toMatch(/^scratch$/m)
  })

  test('is refused where its place is the checkout, lies in it, holds it, or is missing', async () => {
    const b = await house()
    const inside = join(b.project, 'src')
    for (const place of [b.project, inside, join(b.project, '..'), '/', undefined]) {
      const out = await b.run('touch bad', { profile, cwd: b.project, writable: place === undefined ? {} : { place } })
      expect([place, out.reason, out.error?.code]).toEqual([place, 'not-started', 'sandbox_failed'])
    }
  })

  test('works where the project is a worktree whose git data is elsewhere, in the home even', async () => {
    const home = temporaryFolder()
    const main = join(home, 'main')
    mkdirSync(main)
    git(main, 'init', '-q', '-b', 'main')
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first')
    const project = join(temporaryFolder(), 'linked')
    git(main, 'worktree', 'add', '-q', '--detach', project)
    const b = bench({ program: 'bwrap', require: 'bubblewrap', home, project: { root: project, gitFolder: join(main, '.git') } })
    const place = join(b.folder, 'proof-place')
    git(main, 'clone', '-q', '--shared', main, place)
    const out = await b.run('git log --format=%s', { profile, cwd: place, writable: { place } })
    expect([out.stdout.text, out.isolation.degraded]).toEqual(['first\n', null])
  })
})

describe('S-13 the prepared layer', () => {
  const layerOf = (b: House): string => {
    const layer = join(b.state, 'layers/key')
    write(layer, { 'node_modules/left/index.js': 'module.exports = 42\n' })
    return layer
  }

  test.each(['proof', 'worker'] as const)('is shown read-only inside the place of a %s', async profile => {
    const b = await house()
    const layers = [{ from: join(layerOf(b), 'node_modules'), to: 'node_modules' }]
    const out = await b.run(
      'cat node_modules/left/index.js; echo bad > node_modules/left/index.js; rm -rf node_modules/left; mv node_modules x',
      {
        profile,
        cwd: b.proofPlace,
        writable: { place: b.proofPlace, owned: ['**'] },
        layers,
      },
    )
    expect(out.stdout.text).toBe('module.exports = 42\n')
    expect(readFileSync(join(b.state, 'layers/key/node_modules/left/index.js'), 'utf8')).toBe('module.exports = 42\n')
    expect(readdirSync(join(b.proofPlace, 'node_modules'))).toEqual([])
    expect(out.isolation.hidden).not.toContain(join(b.proofPlace, 'node_modules'))
  })

  test('is not laid through a link, nor outside the place', async () => {
    const b = await house()
    const from = join(layerOf(b), 'node_modules')
    symlinkSync(b.project, join(b.proofPlace, 'linked'))
    for (const to of ['linked', 'linked/x', '../x', 'package.json']) {
      const out = await b.run('true', { profile: 'proof', cwd: b.proofPlace, writable: { place: b.proofPlace }, layers: [{ from, to }] })
      expect([to, out.reason, out.error?.code]).toEqual([to, 'not-started', 'sandbox_failed'])
    }
    expect(existsSync(join(b.project, 'x'))).toBe(false)
  })
})

describe('the profile prepare', () => {
  test('writes the layer alone, has no git data, and the network that it is given', async () => {
    const b = await house()
    const layer = join(b.state, 'layers/new')
    write(layer, { 'package.json': '{}' })
    const port = await listening()
    const command = `mkdir -p node_modules && echo 1 > node_modules/a; echo x > ${b.project}/bad; ls -A ${b.project}/.git; (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo connected; echo end`
    const spec = { profile: 'prepare', cwd: layer, writable: { layer } } as const
    const off = await b.run(command, spec)
    expect([off.stdout.text, off.isolation.facets.git, off.isolation.degraded]).toEqual(['end\n', 'absent', null])
    expect([readFileSync(join(layer, 'node_modules/a'), 'utf8'), existsSync(join(b.project, 'bad'))]).toEqual(['1\n', false])
    expect(statSync(join(layer, 'node_modules')).mode & 0o777).toBe(0o755)
    const on = await b.run(command, { ...spec, network: 'host' })
    expect([on.stdout.text, on.isolation.network, on.isolation.degraded]).toEqual(['connected\nend\n', 'host', null])
    expect(on.isolation.limitations).toEqual(['the network is the host’s: which hosts are reached is held by policy alone'])
  })

  test('hides the project’s git data also where its place has some of its own', async () => {
    const b = await house()
    const out = await b.run(`ls -A .git ${b.project}/.git; echo end`, {
      profile: 'prepare',
      cwd: b.proofPlace,
      writable: { place: b.proofPlace },
    })
    expect(out.stdout.text.replaceAll(/.*\.git:\n/g, '').trim()).toBe('end')
  })
})

test.each(['advisor', 'dry-run'] as const)('the profile %s writes nothing that is handed in, and has no network', async profile => {
  const b = await house()
  const scratch = join(b.state, 'scratch', b.run_id)
  mkdirSync(scratch, { recursive: true })
  const out = await b.run(`touch ${scratch}/bad made ${b.state}/bad; touch /tmp/ok && echo ok`, {
    profile,
    cwd: b.proofPlace,
    writable: { place: b.proofPlace, owned: ['**'], outputs: ['dist'], scratch, layer: scratch },
    network: 'host',
  })
  expect([out.stdout.text, readdirSync(scratch), existsSync(join(b.proofPlace, 'made'))]).toEqual(['ok\n', [], false])
  expect(out.isolation).toMatchObject({ network: 'off', writable: ['/tmp'], degraded: null })
})

test('S-28 no pattern opens a folder outside the place', async () => {
  const b = await house()
  const victim = join(b.folder, 'victim')
  mkdirSync(victim)
  for (const writable of [{ owned: ['../../../../../victim/**'] }, { owned: ['src/../../x/**'] }, { outputs: ['../../../../../victim'] }]) {
    const out = await b.run(`touch ${victim}/bad`, { cwd: b.proofPlace, writable: { place: b.proofPlace, ...writable } })
    expect([out.reason, out.error?.code]).toEqual(['not-started', 'sandbox_failed'])
  }
  expect(readdirSync(victim)).toEqual([])
})

test('S-30 the person’s data stays hidden where the project or a tool folder contains it', async () => {
  const home = temporaryFolder()
  const personal = join(home, '.local/share/qed')
  git(home, 'init', '-q', '-b', 'main')
  write(home, { dotfile: 'mine', '.local/share/qed/keys/vault.txt': SECRET })
  const b = bench({
    program: 'bwrap',
    require: 'bubblewrap',
    home,
    personal,
    homeRead: [join(home, '.local')],
    project: { root: home, gitFolder: join(home, '.git') },
  })
  const scratch = join(b.state, 'scratch', b.run_id)
  mkdirSync(scratch, { recursive: true })
  const out = await b.run(`cat dotfile; cat ${personal}/keys/vault.txt; echo x > $QED_SCRATCH/own && echo wrote; ls -A ${personal}`, {
    cwd: home,
    writable: { place: home, owned: ['**'], scratch },
  })
  expect(out.stdout.text).toBe('minewrote\nstate\n')
  expect(readFileSync(join(scratch, 'own'), 'utf8')).toBe('x\n')
})

test('S-39 the home is there, empty and writable, wherever it is and also where the machine has none', async () => {
  for (const home of [join(temporaryFolder(), 'deep/home'), '/nonexistent']) {
    if (home !== '/nonexistent') write(home, { '.profile': SECRET })
    const b = await house({ home })
    const out = await b.run('cd && ls -A && echo x > f && cat f', { cwd: b.proofPlace, writable: { place: b.proofPlace } })
    expect([home, said(out), out.isolation.facets.home]).toEqual([home, 'x', 'masked'])
  }
})

test('S-30 as root, what only root may read on the machine is not shown', async () => {
  const closed = execFileSync('sh', ['-c', 'find /etc /root -maxdepth 2 ! -perm -004 -size +0 -type f 2>/dev/null || true'], {
    encoding: 'utf8',
  })
  const files = closed.split('\n').filter(Boolean)
  const b = await house({ env: { PATH: '/usr/bin:/bin' } })
  const out = await b.run(
    `for f in ${files.map(file => `'${file}'`).join(' ')}; do [ -s "$f" ] && cat "$f" > /dev/null && echo "read $f"; done; ls -A /root; cat /etc/passwd > /dev/null && echo end`,
  )
  expect(out.stdout.text).toBe('end\n')
  expect(process.getuid?.() !== 0 || files.includes('/etc/shadow')).toBe(true)
})

test('S-30 a sensitive name that is a link hides where it leads', async () => {
  const b = await house()
  const real = join(b.project, 'database-settings')
  writeFileSync(real, SECRET)
  symlinkSync(real, join(b.proofPlace, '.env'))
  symlinkSync('/nowhere', join(b.proofPlace, '.netrc'))
  const out = await b.run(`cat .env ${real}; echo end`, { cwd: b.proofPlace, writable: { place: b.proofPlace, owned: ['src/**'] } })
  expect(out.stdout.text).toBe('end\n')
})

test('who knows the names of hosts is readable where the network is given, and only there', async () => {
  const resolver = join(temporaryFolder(), 'stub-resolv.conf')
  writeFileSync(resolver, 'nameserver 127.0.0.53')
  const b = await house({ resolver })
  const at = { cwd: b.proofPlace, writable: { place: b.proofPlace } }
  expect((await b.run(`cat ${resolver}`, { ...at, network: 'host' })).stdout.text).toBe('nameserver 127.0.0.53')
  expect((await b.run(`cat ${resolver}`, at)).stdout.text).toBe('')
})

function listening(): Promise<number> {
  const server = createServer(socket => socket.destroy())
  onTestFinished(() => void server.close())
  return new Promise(settle => {
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address()
      settle(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
