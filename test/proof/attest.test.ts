import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/kernel/sha256.ts'
import { preAuthEncoding, readEnvelope } from '../../src/proof/attest/envelope.ts'
import { ProofKeyUnreadable, ProofKeyUnsafe, TrustUnreadable } from '../../src/proof/attest/errors.ts'
import { openProofKey, proofKeyFile, readProofKey } from '../../src/proof/attest/keys.ts'
import { measureTree } from '../../src/proof/attest/measure-tree.ts'
import { PREDICATE_TYPE, Statement } from '../../src/proof/attest/statement.ts'
import { rotateProofKey, trustedKeys, trustFile } from '../../src/proof/attest/trust.ts'
import { createGit } from '../../src/sandbox/git/git.ts'
import { bench, git, NODE, repository, write } from '../sandbox/support.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folders.ts'
import { desk, gate, isolation, readLines, run } from './attest-support.ts'

const payloadOf = (line: string): unknown => {
  const reading = readEnvelope(line)
  if (reading.kind !== 'envelope') throw new Error(reading.reason)
  return JSON.parse(reading.envelope.payload.toString('utf8'))
}

test('F-30 the statement has the subjects and every predicate field of the table', async () => {
  const { attest, ends } = desk()
  const { commit, tree } = ends()
  const base = ends('HEAD~1')
  const accepted = { by: 'ann', role: 'person' as const, at: '2026-01-31T12:00:04.000Z', reason: 'looked at it' }
  const { lines, proof } = await attest({
    facts: { gates: [gate('codeaudit')], brief_digest: 'e'.repeat(64) },
    proof: { findings: [{ id: 'blob.large', severity: 'review', path: 'x.bin', hint: 'look', accepted }] },
    input: { log: { seq: 7, hash: 'f'.repeat(64), previous: null } },
  })
  const stream = { sha256: sha256('1..1\nok 1 - adds\n'), bytes: 17 }
  const silent = { sha256: sha256(''), bytes: 0 }
  const ran = { n: 1, signal: null, reason: 'exited', duration_ms: 12, stdout: stream, stderr: silent }
  const tests = { ran: 1, passed: 1, failed: 0, skipped: 0 }
  expect(payloadOf(lines[0]!)).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'urn:qed:proof:v1',
    subject: [
      { name: 'tree', digest: { gitTree: tree, dirHash: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      { name: 'commit', digest: { gitCommit: commit } },
    ],
    predicate: {
      verdict: 'proven',
      causes: [],
      brief: null,
      base: { gitCommit: base.commit, gitTree: base.tree },
      command: { shell: 'bash', text: 'npm test', kind: 'red-green', timeout_s: 600, network: false, repeat: 1 },
      runs: [
        { ...ran, name: 'base', gitTree: base.tree, exit: 1, tests },
        { ...ran, name: 'result', gitTree: tree, exit: 0, tests },
      ],
      environment: {
        os: 'linux',
        arch: 'x64',
        qed: '0.1.0',
        git: '2.39.5',
        tools: [{ name: 'node', version: '24.11.0' }],
        prepare: { command: null, inputs: {}, key: null },
        isolation: isolation(),
      },
      policy: { sha256: sha256('policy'), protected_sha256: sha256('protected'), thresholds: {} },
      scope: { owned: ['src/**'], changed: ['src/sum.js'], allow: { tests: [], judges: [], dependencies: false } },
      findings: [{ id: 'blob.large', severity: 'review', path: 'x.bin', accepted }],
      gates: [{ name: 'codeaudit', score: 100, threshold: 80, passed: true, output: { sha256: sha256('fine\n') } }],
      evidence: { manifest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      log: { seq: 7, hash: 'f'.repeat(64), previous: null },
      started_at: proof.started_at,
      ended_at: proof.ended_at,
    },
  })
})

test('the isolation that is attested is the weakest of all runs', async () => {
  const { attest, ends } = desk()
  const { tree } = ends()
  const weak = isolation({ degraded: 'userns' })
  const { lines } = await attest({ facts: { runs: [run({ tree }), run({ n: 2, tree, isolation: weak }), run({ n: 3, tree })] } })
  expect(Statement().parse(payloadOf(lines[0]!)).predicate.environment.isolation).toEqual(weak)
})

test('a brief is named with its digest, and a secret in the command is not signed', async () => {
  const { attest } = desk()
  const secret = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'].join('_')
  const brief = { id: 'b1', digest: 'a'.repeat(64), mission: 'm1', task: 't1', run: 'r1' }
  const { lines } = await attest({
    facts: {
      terms: {
        brief,
        command: {
          text: `API=${secret} npm test`,
          kind: 'guard',
          timeout_s: 9,
          network: true,
          repeat: 2,
          hang_is_red: false,
          sabotage: null,
        },
        scope: { owned: null, allow_tests: ['test/**'], allow_judges: ['a'], allow_dependencies: true, destructive: [] },
        gates: [],
      },
    },
  })
  const { predicate } = Statement().parse(payloadOf(lines[0]!))
  expect(predicate.brief).toEqual({ id: 'b1', digest: { sha256: brief.digest }, mission: 'm1', task: 't1', run: 'r1' })
  expect(predicate.command.text).toBe('API=***REDACTED*** npm test')
  expect(predicate.scope.allow).toEqual({ tests: ['test/**'], judges: ['a'], dependencies: true })
})

test('F-31 the encoding that is signed counts bytes, not characters', () => {
  expect(preAuthEncoding('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  )
  expect(preAuthEncoding('é', Buffer.from('ü')).toString()).toBe('DSSEv1 2 é 2 ü')
})

test('F-31 the key id is the SHA-256 of the public key as SPKI in DER, as openssl gives it', async () => {
  const { attest, personal } = desk()
  const { lines, proof } = await attest()
  const der = execFileSync('openssl', ['pkey', '-in', proofKeyFile(personal), '-pubout', '-outform', 'DER'], { timeout: 10_000 })
  const reading = readEnvelope(lines[0]!)
  expect(reading).toMatchObject({ kind: 'envelope', envelope: { keyid: sha256(der), payloadType: 'application/vnd.in-toto+json' } })
  expect(proof.attestation?.keyid).toBe(sha256(der))
})

test('F-33 the same line is in the bundle and on the notes of commit and tree', async () => {
  const { attest, root, ends } = desk()
  const { lines, proof } = await attest()
  expect(readLines(join(root, proof.attestation?.file ?? ''))).toEqual(lines)
  for (const id of Object.values(ends())) expect(git(root, 'notes', '--ref=qed', 'show', id)).toBe(lines[0])
})

test('F-34 a test result is a second line, of the type others know', async () => {
  const { attest, root, check } = desk()
  const { lines, proof } = await attest({ input: { alsoTestResult: true } })
  expect(lines).toHaveLength(2)
  const [first, second] = lines.map(line => payloadOf(line) as { predicateType: string; subject: unknown; predicate: object })
  expect(first?.predicateType).toBe(PREDICATE_TYPE)
  expect(second).toMatchObject({
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    subject: first?.subject,
    predicate: { result: 'PASSED', passedTests: ['result 1: npm test'], failedTests: [], configuration: [{ name: 'evidence' }, {}] },
  })
  expect(readLines(join(root, proof.attestation?.file ?? ''))).toEqual(lines)
  expect(await check('HEAD')).toMatchObject({ outcome: 'valid' })
})

test('with store off nothing is written and the envelope is handed back', async () => {
  const { attest, root, check } = desk()
  const before = git(root, 'for-each-ref')
  const { lines, proof } = await attest({ input: { store: false } })
  expect(git(root, 'for-each-ref')).toBe(before)
  expect(proof).toMatchObject({ bundle: '', attestation: null })
  const file = join(temporaryFolder(), 'envelope.jsonl')
  writeFileSync(file, lines.join('\n'))
  expect(await check(file)).toMatchObject({ outcome: 'valid', evidence: 'absent' })
})

function measured(files: Record<string, string | Buffer>, prepare: (root: string) => void = () => undefined) {
  const root = repository({ 'first.txt': 'x' })
  write(root, files)
  prepare(root)
  git(root, 'add', '-A')
  git(root, 'commit', '--quiet', '--allow-empty', '-m', 'more')
  const repo = createGit(bench().processes, { root, gitFolder: join(root, '.git') })
  return { root, repo, tree: git(root, 'rev-parse', 'HEAD^{tree}') }
}

test('F-30 dirHash is what the published shell command gives, symbolic links left out', async () => {
  const files = {
    'b.txt': 'b',
    'a/z.txt': '',
    'a.txt': 'a\n',
    'a-b/x': Buffer.from([0, 255]),
    'é.txt': 'e',
    'with blank.txt': '1',
    '𝒳.txt': '2',
  }
  const { root, repo, tree } = measured({ ...files, 'ﬁ.txt': '3', 'run.sh': '#!/bin/sh\n' }, at => {
    chmodSync(join(at, 'run.sh'), 0o755)
    symlinkSync('a.txt', join(at, 'link'))
  })
  const expected = execFileSync(
    'bash',
    [
      '-c',
      "find . -type f -not -path './.git/*' | cut -c3- | LC_ALL=C sort | tr '\\n' '\\0' | xargs -0 -r sha256sum | sha256sum | cut -f1 -d' '",
    ],
    { cwd: root, encoding: 'utf8', timeout: 10_000 },
  ).trim()
  expect(await measureTree(repo, tree)).toEqual({ kind: 'measured', dirHash: expected })
})

test('F-30 dirHash is left out where a path holds a newline, and the rest still holds', async () => {
  const { repo, tree } = measured({ 'two\nlines.txt': 'x' })
  expect(await measureTree(repo, tree)).toEqual({ kind: 'measured', dirHash: null })
})

test('an object whose content is not what its id says is found, and so is one that is not there', async () => {
  const { root, repo, tree } = measured({ 'src/a.txt': 'honest' })
  const [right, wrong] = ['src/a.txt', 'first.txt'].map(path => git(root, 'rev-parse', `HEAD:${path}`)) as [string, string]
  const file = (oid: string): string => join(root, '.git/objects', oid.slice(0, 2), oid.slice(2))
  chmodSync(file(right), 0o644)
  writeFileSync(file(right), readFileSync(file(wrong)))
  expect(await measureTree(repo, tree)).toEqual({ kind: 'unsound', oid: right, path: 'src/a.txt' })
  execFileSync('rm', ['-f', file(right)])
  expect(await measureTree(repo, tree)).toEqual({ kind: 'absent', oid: right })
  expect(await measureTree(repo, '1'.repeat(40))).toEqual({ kind: 'absent', oid: '1'.repeat(40) })
})

test('F-32 the key is made at first use, for its owner alone, and stays the same', () => {
  const personal = join(temporaryFolder(), 'personal')
  expect(readProofKey(personal)).toBeNull()
  const key = openProofKey(personal)
  expect(statSync(key.file).mode & 0o777).toBe(0o600)
  expect(statSync(join(personal, 'keys')).mode & 0o777).toBe(0o700)
  expect(openProofKey(personal)).toEqual(key)
})

test('F-32 processes that start at once make one key', async () => {
  const personal = join(temporaryFolder(), 'personal')
  const script = `import { openProofKey } from ${JSON.stringify(join(import.meta.dirname, '../../src/proof/attest/keys.ts'))}
    process.stdout.write(openProofKey(${JSON.stringify(personal)}).keyid)`
  const starts = Array.from({ length: 4 }, () => promisify(execFile)(NODE, ['--input-type=module', '-e', script], { timeout: 30_000 }))
  const keys = (await Promise.all(starts)).map(({ stdout }) => stdout)
  expect(new Set(keys)).toEqual(new Set([readProofKey(personal)?.keyid]))
})

test('F-32 a key that others can read, a link, or anything but an ed25519 key is not used', () => {
  const personal = join(temporaryFolder(), 'personal')
  const { file, privateKey } = openProofKey(personal)
  chmodSync(file, 0o640)
  expect(() => openProofKey(personal)).toThrow(ProofKeyUnsafe)
  execFileSync('rm', [file])
  const elsewhere = join(temporaryFolder(), 'key.pem')
  writeFileSync(elsewhere, privateKey, { mode: 0o600 })
  symlinkSync(elsewhere, file)
  expect(() => openProofKey(personal)).toThrow(ProofKeyUnsafe)
  execFileSync('rm', [file])
  for (const text of ['', 'not a key', execFileSync('openssl', ['genrsa', '2048'], { encoding: 'utf8', stdio: 'pipe', timeout: 20_000 })]) {
    writeFileSync(file, text, { mode: 0o600 })
    expect(() => openProofKey(personal)).toThrow(ProofKeyUnreadable)
    expect(readFileSync(file, 'utf8')).toBe(text)
  }
})

test('F-32 a retired key is believed for what it signed before, and not after', async () => {
  const one = desk()
  await one.attest()
  const old = openProofKey(one.personal)
  one.clock.advance(60_000)
  const { key, retired } = rotateProofKey(one.personal, one.clock)
  expect(retired).toBe(old.keyid)
  expect(key.keyid).not.toBe(old.keyid)
  expect(trustedKeys(one.personal).map(({ keyid, not_after }) => [keyid, not_after])).toEqual([
    [old.keyid, '2026-01-31T12:01:00.000Z'],
    [key.keyid, undefined],
  ])
  expect(await one.check('HEAD')).toMatchObject({ outcome: 'valid', signer: { keyid: old.keyid } })
  writeFileSync(key.file, old.privateKey, { mode: 0o600 })
  await one.attest({ proof: { ended_at: '2026-01-31T12:02:00.000Z' } })
  git(one.root, 'notes', '--ref=qed', 'add', '-f', '-m', git(one.root, 'notes', '--ref=qed', 'show', 'HEAD').split('\n').at(-1)!, 'HEAD')
  expect(await one.check('HEAD')).toMatchObject({ outcome: 'unknown-signer', exit: 4 })
})

test('rotating twice keeps every old key, each with its own end', () => {
  const personal = join(temporaryFolder(), 'personal')
  const clock = handClock()
  const first = openProofKey(personal).keyid
  rotateProofKey(personal, clock)
  clock.advance(1000)
  const { retired } = rotateProofKey(personal, clock)
  expect(trustedKeys(personal).map(({ keyid, not_after }) => [keyid, not_after])).toEqual([
    [first, '2026-01-31T12:00:00.000Z'],
    [retired, '2026-01-31T12:00:01.000Z'],
    [openProofKey(personal).keyid, undefined],
  ])
})

test('F-36 a trust file that cannot be used is an error, never an empty list', () => {
  const personal = join(temporaryFolder(), 'personal')
  const { public_key, privateKey } = openProofKey(personal)
  const rsa = execFileSync('bash', ['-c', 'openssl genrsa 2048 2>/dev/null | openssl pkey -pubout'], { encoding: 'utf8', timeout: 20_000 })
  const bad = [
    'nonsense',
    '{}',
    '{"keys":[{}]}',
    JSON.stringify({ keys: [{ public_key: 'x' }] }),
    JSON.stringify({ keys: [{ public_key: rsa }] }),
    JSON.stringify({ keys: [{ public_key: privateKey }] }),
    JSON.stringify({ keys: [{ public_key, keyid: '0'.repeat(64) }] }),
    JSON.stringify({ keys: [{ public_key, not_after: 'tomorrow' }] }),
  ]
  for (const text of bad) {
    writeFileSync(trustFile(personal), text)
    expect(() => trustedKeys(personal)).toThrow(TrustUnreadable)
  }
  expect(() => trustedKeys(personal, '/nowhere/trust.json')).toThrow(TrustUnreadable)
})
