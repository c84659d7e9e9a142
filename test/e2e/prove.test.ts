import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Proof } from '../../src/proof/proof.ts'
import { temporaryFolder } from '../support/folders.ts'
import { DONE, everything, TEST, UNDONE, type Work, workIn } from '../support/proving.ts'
import { BIN, inTerminal, qed, testProject } from '../support/qed.ts'

// The built program in repositories that know nothing of QED.

const BLOB = Buffer.from('\x00\x01binary')
const bundles = ({ state }: Work): string[] =>
  existsSync(join(state, 'proofs')) ? readdirSync(join(state, 'proofs'), { recursive: true, encoding: 'utf8' }) : []
const proofRefs = ({ git }: Work): string[] => git('for-each-ref', '--format=%(refname)', 'refs/qed').split('\n').filter(Boolean)
const idsOf = ({ findings }: Pick<Proof, 'findings'>): string[] => findings.map(({ id }) => id)

function done(files: Record<string, string | Buffer> = DONE): Work {
  const work = workIn()
  work.write(files)
  return work
}

describe('F-39 exit codes', () => {
  test('0: red before, green after', async () => {
    const work = done()
    const { exit, stdout, stderr } = await work.qed(['prove', '--', ...TEST])
    expect([exit, stdout.split('\n')[0]]).toEqual([0, '✓ proven  red before, green after'])
    expect(stdout).toContain('~/.local/share/qed/state/proofs/')
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^captured: 1 path changed since [0-9a-f]{8}$/),
      'running: before the work',
      expect.stringMatching(/^ {2}ended with exit 1 after /),
      'running: the result',
      expect.stringMatching(/^ {2}ended with exit 0 after /),
      '',
    ])
    expect(proofRefs(work)).toHaveLength(1)
  })

  test('6: still red, with the last lines of what it printed and the finding that refuses', async () => {
    const work = done({ 'src/greeting': 'good day\n' })
    const { exit, stdout, stderr } = await work.qed(['prove', '--', ...TEST])
    expect([exit, stdout.split('\n')[0]]).toEqual([6, '✗ not proven  result is red and must be green'])
    expect(stdout).toContain('✗ error   verify.red')
    expect(stderr).toMatch(/Last lines of result\n {2}greeting is good day\n {2}all of it: ~.*runs\/result-1\.\*/)
  })

  test('6: a weakened test is named with its file', async () => {
    const work = done({ ...DONE, 'test/greeting.test.sh': 'true\n' })
    const proof = await work.json<Proof>(['prove', '--json', '--', ...TEST])
    expect(proof.findings).toContainEqual(expect.objectContaining({ id: 'judge.test-changed', path: 'test/greeting.test.sh' }))
  })

  test('5: only a review finding stands in the way', async () => {
    const { exit, stdout } = await done({ ...DONE, 'logo.bin': BLOB }).qed(['prove', '--', ...TEST])
    expect([exit, stdout.split('\n')[0]]).toEqual([5, '! not proven  1 finding for someone else to look at'])
    expect(stdout).toMatch(/→ to accept it as someone else: qed proof accept [0-9a-f]{12} blob\.binary --reason/)
  })

  test('9: a command that is not there says nothing about the work', async () => {
    const { exit, stdout, stderr } = await done().qed(['prove', '--', 'no-such-command'])
    expect([exit, stdout.split('\n')[0]]).toEqual([9, '! not proven  it could not be measured here, which says nothing about the work'])
    expect(stderr).toContain('no-such-command: command not found')
  })

  test('9: dependencies that cannot be fetched', async () => {
    const at = 'http://127.0.0.1:1'
    const work = workIn({
      ...UNDONE,
      '.npmrc': `registry=${at}/\nfetch-retries=0\n`,
      'package.json': '{ "name": "a", "version": "1.0.0", "dependencies": { "b": "1.0.0" } }',
      'package-lock.json': JSON.stringify({
        name: 'a',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: {
          '': { name: 'a', version: '1.0.0', dependencies: { b: '1.0.0' } },
          'node_modules/b': { version: '1.0.0', resolved: `${at}/b/-/b-1.0.0.tgz`, integrity: 'sha512-aaaa' },
        },
      }),
    })
    work.write(DONE)
    const { exit, stdout, stderr } = await work.qed(['prove', '--', ...TEST])
    expect([exit, stdout.split('\n')[0]]).toEqual([9, '! not proven  it could not be measured here, which says nothing about the work'])
    expect(stderr).toContain('dependencies: npm ci')
    expect(stdout).toContain('ECONNREFUSED')
  })

  test.each([
    ['no command', []],
    ['a command twice', ['--command', 'make', '--', 'make']],
    ['an unknown base', ['--base', 'nowhere', '--', ...TEST]],
    ['an unknown result', ['--result', 'nowhere', '--', ...TEST]],
    ['an unknown flag', ['--nonsense', '--', ...TEST]],
    ['acceptance without a reason', ['--accept', 'blob.binary', '--', ...TEST]],
    ['no time at all', ['--timeout', '0', '--', ...TEST]],
  ])('2: %s', async (_, args) => {
    const work = done()
    expect(await work.qed(['prove', ...args])).toMatchObject({ exit: 2, stdout: '' })
    expect([proofRefs(work), bundles(work)]).toEqual([[], []])
  })

  test('2: outside a repository, before the first commit, and on the first one unchanged, each with the way on', async () => {
    expect(await qed(['prove', '--', 'make'])).toMatchObject({ exit: 2, stderr: expect.stringContaining('git init') })
    const work = workIn()
    expect(await work.qed(['prove', '--', ...TEST])).toMatchObject({ exit: 2, stderr: expect.stringContaining('--base <commit>') })
    work.git('checkout', '--quiet', '--orphan', 'empty')
    expect(await work.qed(['prove', '--', ...TEST])).toMatchObject({ exit: 2, stderr: expect.stringContaining('git commit') })
  })
})

describe('what it prints', () => {
  test('U-10 --json is one Proof and a newline, and nothing else is said', async () => {
    const { exit, stdout, stderr } = await done().qed(['prove', '--json', '--', ...TEST])
    expect([exit, stderr, stdout.split('\n')]).toEqual([0, '', [expect.any(String), '']])
    const proof = Proof().parse(JSON.parse(stdout))
    expect(proof).toMatchObject({
      verdict: 'proven',
      causes: [],
      command: { text: 'sh test/greeting.test.sh', kind: 'red-green', timeout_s: 600, network: false, repeat: 1 },
      runs: [
        { name: 'base', n: 1, tree: proof.base.tree, exit: 1 },
        { name: 'result', n: 1, tree: proof.result.tree, exit: 0 },
      ],
      findings: [],
      scope: { owned: [], changed: ['src/greeting'] },
      attestation: { keyid: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(existsSync(join(proof.bundle, 'manifest.json'))).toBe(true)
  })

  test('--stream tells what happens and ends with what --json would print', async () => {
    const { stdout } = await done().qed(['prove', '--stream', '--', ...TEST])
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { type: string; final?: boolean; data: object })
    expect(lines.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['proof.captured', 'proof.planned', 'proof.prepared', 'run.started', 'run.output', 'run.ended']),
    )
    const last = lines.at(-1)
    expect([last?.type, last?.final]).toEqual(['result', true])
    expect(Proof().parse(last?.data)).toMatchObject({ verdict: 'proven' })
  })

  test('--quiet prints the verdict alone, on stdout', async () => {
    expect(await done().qed(['prove', '-q', '--', ...TEST])).toMatchObject({ exit: 0, stderr: '' })
  })

  test('--sarif and --markdown write files, relative to where it was called', async () => {
    const work = done({ ...DONE, 'logo.bin': BLOB })
    mkdirSync(join(work.root, 'src/reports'))
    const into = temporaryFolder()
    const args = ['prove', '--sarif', join(into, 'a.sarif'), '--markdown', '../../report.md', '--', ...TEST]
    expect((await work.qed(args, { cwd: join(work.root, 'src/reports') })).exit).toBe(5)
    const sarif = JSON.parse(readFileSync(join(into, 'a.sarif'), 'utf8')) as { runs: { results: object[] }[] }
    expect(sarif.runs[0]?.results).toMatchObject([
      { ruleId: 'blob.binary', level: 'warning', locations: [{ physicalLocation: { artifactLocation: { uri: 'logo.bin' } } }] },
    ])
    expect(readFileSync(join(work.root, 'report.md'), 'utf8')).toMatch(/^### ❌ Not proven/)
  })

  test('U-14, U-16 on a terminal one live line that is gone at the end, and colours; with NO_COLOR none', () => {
    const work = done()
    const command = `${BIN} prove -- ${TEST.join(' ')}`
    const shown = inTerminal(command, { ...work.env, TERM: 'xterm' }, work.root)
    expect(shown.status).toBe(0)
    expect(shown.stdout).toMatch(/before the work {2}0 s/)
    expect(shown.stdout).not.toContain('running:')
    expect(shown.stdout.split('\r\x1b[2K').at(-1)).toMatch(/^\x1b\[32m✓/)
    const plain = inTerminal(command, { ...work.env, TERM: 'xterm', NO_COLOR: '1', QED_ASCII: '1' }, work.root)
    expect(plain.stdout).not.toMatch(/\x1b\[\d*m/)
    expect(plain.stdout.split('\r\x1b[2K').at(-1)).toMatch(/^\+ proven/)
    expect(plain.stdout).toMatch(/^[\x00-\x7f]*$/)
  })

  test('U-14 progress that goes to a file has no colours, though the answer goes to a terminal', () => {
    const work = done()
    const { stdout } = inTerminal(`${BIN} prove -- ${TEST.join(' ')} 2> ../said; cat -v ../said; rm ../said`, work.env, work.root)
    expect(stdout).toContain('running: the result')
    expect(stdout).not.toContain('^[')
  })

  test('U-13 its help says how it is called and leaves out what goes without saying', async () => {
    const { stdout } = await qed(['prove', '--help'])
    expect(stdout).toContain('qed prove [flags] -- <command>')
    expect(stdout).not.toMatch(/default (\[\]|false)|--argv/)
    expect(stdout).toContain('--[no-]store')
  })
})

describe('F-38 what it leaves alone', () => {
  test('files, index, branches and config are the same byte for byte; only its refs and notes are new', async () => {
    const work = done({ ...DONE, 'new file': 'new\n', 'staged.txt': 'staged\n' })
    work.git('add', 'staged.txt')
    const before = everything(work)
    expect((await work.qed(['prove', '--', ...TEST])).exit).toBe(0)
    expect(everything(work)).toEqual(before)
    const refs = work.git('for-each-ref', '--format=%(refname)').split('\n')
    expect(refs.map(ref => ref.replace(/prf_.*/, 'prf_'))).toEqual([
      expect.stringMatching(/^refs\/heads\//),
      'refs/notes/qed',
      'refs/qed/proofs/prf_',
    ])
  })

  test('--no-store writes nothing and prints the envelope, which anyone can check', async () => {
    const work = done()
    const { exit, stdout } = await work.qed(['prove', '--no-store', '--json', '--', ...TEST])
    const { envelope, bundle, attestation } = JSON.parse(stdout) as { envelope: string; bundle: string; attestation: null }
    expect([exit, bundle, attestation]).toEqual([0, '', null])
    expect(work.git('for-each-ref', 'refs/qed', 'refs/notes')).toBe('')
    expect(bundles(work)).toEqual([])
    const file = join(temporaryFolder(), 'envelope.jsonl')
    writeFileSync(file, `${envelope}\n`)
    expect(await work.qed(['proof', 'check', file, '--json'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('"valid"') })
  })
})

describe('§11 what is proven', () => {
  test.each([
    [
      'one word is shell text',
      ['test "$(cat src/greeting)" = hello && sh test/greeting.test.sh'],
      'test "$(cat src/greeting)" = hello && sh test/greeting.test.sh',
    ],
    ['several words are quoted', ['sh', '-c', 'test "$(cat src/greeting)" = hello'], `sh -c 'test "$(cat src/greeting)" = hello'`],
    [
      'a quote in a word stays one',
      ['sh', '-c', "test '' != x && sh test/greeting.test.sh"],
      `sh -c 'test '\\'''\\'' != x && sh test/greeting.test.sh'`,
    ],
    [
      'flags after -- belong to the command',
      ['grep', '--quiet', '--db', '--json', '-e', 'hello', 'src/greeting'],
      'grep --quiet --db --json -e hello src/greeting',
    ],
  ])('%s', async (_, argv, text) => {
    const proof = await done().json<Proof>(['prove', '--json', '--no-store', '--', ...argv])
    expect(proof.command.text).toBe(text)
  })

  test('from a sub-folder it is the whole repository', async () => {
    const work = done()
    expect((await work.qed(['prove', '--', ...TEST], { cwd: join(work.root, 'src') })).exit).toBe(0)
  })

  test('--base and --result prove commits, whatever lies in the working tree', async () => {
    const work = done()
    const before = work.git('rev-parse', 'HEAD')
    const after = work.commit('done')
    work.write({ 'src/greeting': 'broken\n' })
    const proof = await work.json<Proof>(['prove', '--json', '--base', before, '--result', 'HEAD', '--', ...TEST])
    expect(proof).toMatchObject({ verdict: 'proven', base: { commit: before }, result: { commit: after } })
    expect(await work.qed(['proof', 'check', 'HEAD'])).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^✓ valid/) })
  })

  test('--guard: green before and after, red when the code is emptied', async () => {
    const work = workIn({ ...UNDONE, ...DONE })
    work.write({ 'src/greeting': 'hello\n\n' })
    const proof = await work.json<Proof>(['prove', '--guard', '--scope', 'src/**', '--json', '--', ...TEST])
    expect(proof.runs.map(({ name, exit }) => [name, exit])).toEqual([
      ['base', 0],
      ['broken', 1],
      ['result', 0],
    ])
    expect(proof.verdict).toBe('proven')
  })

  test('--scope takes a pattern with braces as one', async () => {
    const work = done({ ...DONE, 'notes.md': 'n\n' })
    const proof = await work.json<Proof>(['prove', '--json', '--scope', '{src,lib}/**', '--', ...TEST])
    expect(proof.scope.owned).toEqual(['{src,lib}/**'])
    expect(proof.findings.map(({ id, path }) => [id, path])).toEqual([['scope.outside-owned', 'notes.md']])
  })
})

describe('accepting a review finding', () => {
  const asked = (): Work => done({ ...DONE, 'logo.bin': BLOB })

  test('a person does it while proving, and it is signed with the reason', async () => {
    const work = asked()
    const { status, stdout } = inTerminal(
      `${BIN} prove --json --accept blob.binary --reason "the new logo" -- ${TEST.join(' ')}`,
      { ...work.env, USER: 'ann' },
      work.root,
    )
    expect(status).toBe(0)
    expect((JSON.parse(stdout) as Proof).findings).toMatchObject([
      { id: 'blob.binary', accepted: { by: 'person:ann', role: 'person', reason: 'the new logo' } },
    ])
  })

  test('a person does it afterwards: same facts, a new proof, and the check is valid', async () => {
    const work = asked()
    const first = await work.json<Proof>(['prove', '--json', '--', ...TEST])
    expect(await work.qed(['proof', 'check', '.'])).toMatchObject({ exit: 6, stdout: expect.stringMatching(/^✗ not-proven/) })
    const command = `${BIN} proof accept ${first.result.commit} blob.binary --reason "the new logo" --json`
    const { status, stdout } = inTerminal(command, work.env, work.root)
    expect([status, stdout]).toEqual([0, expect.stringContaining('"proven"')])
    const second = JSON.parse(stdout) as Proof
    expect([second.runs, second.result, second.proof_id === first.proof_id]).toEqual([first.runs, first.result, false])
    expect(await work.qed(['proof', 'check', '.'])).toMatchObject({ exit: 0 })
    expect(inTerminal(command, work.env, work.root).status).toBe(3)
  })

  test('a program cannot, neither while proving nor afterwards', async () => {
    const work = asked()
    const accept = ['--accept', 'blob.binary', '--reason', 'fine']
    expect(await work.qed(['prove', ...accept, '--', ...TEST])).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('actor_not_person'),
    })
    expect(proofRefs(work)).toEqual([])
    const { proof_id } = await work.json<Proof>(['prove', '--json', '--', ...TEST])
    expect((await work.qed(['proof', 'accept', proof_id, 'blob.binary', '--reason', 'fine'])).exit).toBe(4)
  })

  test('an agent cannot, over MCP', async () => {
    const project = await testProject()
    const work = workIn(UNDONE, project.root)
    work.write({ ...DONE, 'logo.bin': BLOB })
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const args = ['mcp', 'start', '--tools', 'full']
    await client.connect(new StdioClientTransport({ command: BIN, args, cwd: project.root, env: project.env, stderr: 'ignore' }))
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).filter(name => /proof_(accept|rotate)/.test(name))).toEqual([])
    const input = { command: TEST.join(' '), accept: ['blob.binary'], reason: 'fine' }
    const { structuredContent } = await client.callTool({ name: 'qed_proof_run', arguments: input })
    expect(structuredContent).toMatchObject({ blocked: { code: 'actor_not_person' } })
  })
})

describe('reading proofs', () => {
  test('F-35 check: valid, missing, policy unmet, unknown signer, stale after an edit, tampered evidence', async () => {
    const work = done()
    await work.qed(['prove', '--', ...TEST])
    expect(await work.qed(['proof', 'check'])).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^✓ valid/) })
    expect(await work.qed(['proof', 'check', '.', '--rerun'])).toMatchObject({ exit: 0 })
    expect((await work.qed(['proof', 'check', '.', '--require', '{"command":"make check"}'])).exit).toBe(4)
    expect((await work.qed(['proof', 'check', '.'], { env: workIn().env })).exit).toBe(4)
    expect((await work.qed(['proof', 'check', 'HEAD'])).exit).toBe(3)
    work.commit('done')
    work.write({ 'src/greeting': 'hello \n' })
    expect(await work.qed(['proof', 'check'])).toMatchObject({
      exit: 6,
      stdout: expect.stringMatching(/^✗ stale[\s\S]*• src\/greeting\n$/),
    })
    const bundle = join(work.state, 'proofs', bundles(work).find(path => /prf_[0-9A-Z]{26}$/.test(path)) ?? '')
    expect(await work.qed(['proof', 'check', bundle])).toMatchObject({ exit: 0 })
    const file = join(bundle, 'runs/base-1.stderr')
    chmodSync(file, 0o644)
    writeFileSync(file, 'nothing to see\n')
    expect(await work.qed(['proof', 'check', bundle])).toMatchObject({
      exit: 1,
      stdout: expect.stringMatching(/^✗ tampered.*base-1\.stderr/),
    })
  })

  test('show gives the verdict to a person, Markdown or SARIF; list one line each', async () => {
    const work = done({ ...DONE, 'logo.bin': BLOB })
    const { result } = await work.json<Proof>(['prove', '--json', '--', ...TEST])
    expect((await work.qed(['proof', 'show', result.commit.slice(0, 10)])).stdout).toMatch(/^! not proven/)
    expect((await work.qed(['proof', 'show', result.tree, '--format', 'md'])).stdout).toMatch(/^### ❌ Not proven/)
    expect(await work.json(['proof', 'show', result.commit, '--format', 'sarif', '--json'])).toMatchObject({ version: '2.1.0' })
    expect((await work.qed(['proof', 'show', 'HEAD'])).exit).toBe(3)
    expect((await work.qed(['proof', 'list'])).stdout).toMatch(
      new RegExp(`^! waits for review  ${result.commit.slice(0, 10)}  [0-9: -]{16}  sh test/greeting.test.sh\n$`),
    )
    expect((await workIn().qed(['proof', 'list'])).stdout).toContain('qed prove -- <command>')
  })
})

describe('broken off', () => {
  /** A proof whose command is at work, and the mark by which its processes are known. */
  async function underWay(work: Work) {
    const mark = `8${process.pid}${Math.floor(Math.random() * 1e6)}`
    const child = spawn(BIN, ['prove', '--stream', '--', `echo at work; sleep ${mark}`], { cwd: work.root, env: work.env, timeout: 60_000 })
    const ended = once(child, 'exit')
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('at work')) break
    return { child, ended, isLeft: () => isRunning(mark) }
  }
  const left = ({ state }: Work): string[] =>
    ['places', 'scratch']
      .flatMap(name => (existsSync(join(state, name)) ? readdirSync(join(state, name), { recursive: true, encoding: 'utf8' }) : []))
      .filter(path => path.includes('run_'))

  test('U-17 Ctrl-C exits 130 and leaves no place, no ref and no process', async () => {
    const work = done()
    const { child, ended, isLeft } = await underWay(work)
    child.kill('SIGINT')
    expect(await ended).toEqual([130, null])
    expect([left(work), proofRefs(work), bundles(work), isLeft()]).toEqual([[], [], [], false])
  })

  test('F-41 after kill -9 the next start takes its places and ref away', async () => {
    const work = done()
    const { child, ended, isLeft } = await underWay(work)
    child.kill('SIGKILL')
    await ended
    expect([left(work).length > 0, proofRefs(work).length]).toEqual([true, 1])
    expect((await work.qed(['prove', '--', ...TEST])).exit).toBe(0)
    expect([left(work), proofRefs(work).length, isLeft()]).toEqual([[], 1, false])
  })
})

function isRunning(mark: string): boolean {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .some(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`sleep\0${mark}`)
      } catch {
        return false
      }
    })
}

test('in a project the evidence is in .qed/proofs, the log tells of it, and the chain holds', async () => {
  const project = await testProject()
  const work = workIn(UNDONE, project.root)
  work.write(DONE)
  const { exit, stdout } = await project.run(['prove', '--json', '--', ...TEST], { timeout: 60_000 })
  const { proof_id, bundle } = JSON.parse(stdout) as Proof
  expect([exit, bundle]).toEqual([0, `.qed/proofs/${proof_id}`])
  expect(existsSync(join(project.root, bundle, 'proof.json'))).toBe(true)
  const { items } = (await project.json(['events', 'list'])) as { items: { type: string; stream: string }[] }
  expect(items.filter(({ stream }) => stream === `proof:${proof_id}`).map(({ type }) => type)).toEqual([
    'proof.started',
    'proof.attested',
    'proof.settled',
  ])
  expect(await project.json(['events', 'verify'])).toMatchObject({ ok: true, count: items.length })
  expect((await project.run(['prove', '--no-store', '-q', '--', ...TEST], { timeout: 60_000 })).exit).toBe(0)
  expect(await project.json(['events', 'verify'])).toMatchObject({ ok: true, count: items.length })
  expect(idsOf(JSON.parse(stdout) as Proof)).toEqual([])
  expect(await project.run(['proof', 'check', '.'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('log') })
})
