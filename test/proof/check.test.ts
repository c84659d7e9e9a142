import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openProofKey } from '../../src/proof/attest/keys.ts'
import { trustedKeys } from '../../src/proof/attest/trust.ts'
import { CHECK_OUTCOMES } from '../../src/proof/check/outcomes.ts'
import type { Requirements } from '../../src/proof/check/require.ts'
import { storeLog } from '../../src/proof/check/store-log.ts'
import { git, repository, write } from '../sandbox/support.ts'
import { temporaryFolder } from '../support/folders.ts'
import { commit, desk, gate, isolation, run } from './attest-support.ts'

test('§10 the outcomes and their exit codes', () => {
  expect(CHECK_OUTCOMES).toEqual({
    valid: 0,
    'not-proven': 6,
    tampered: 1,
    stale: 6,
    'rerun-red': 6,
    'unknown-signer': 4,
    'policy-unmet': 4,
    missing: 3,
    unmeasured: 9,
  })
})

test('a commit, its tree, the working tree, the envelope and the bundle are all valid after a proof', async () => {
  const { attest, check, root, ends, personal } = desk()
  const { proof, lines } = await attest()
  const { commit: id, tree } = ends()
  git(root, 'tag', '-a', 'v1', '-m', 'v1')
  const file = join(temporaryFolder(), 'envelope.json')
  writeFileSync(file, JSON.stringify(JSON.parse(lines[0]!), null, 2))
  for (const target of [
    'HEAD',
    'main',
    'v1',
    id,
    tree,
    'HEAD^{tree}',
    '.',
    proof.bundle,
    `${proof.bundle}/attestation.intoto.jsonl`,
    file,
  ]) {
    expect([target, await check(target)]).toMatchObject([
      target,
      {
        outcome: 'valid',
        exit: 0,
        step: null,
        proven: { commit: id, tree },
        changed: [],
        signer: { keyid: openProofKey(personal).keyid, name: 'this machine' },
        evidence: 'sound',
        log: 'absent',
        statement: { predicate: { verdict: 'proven' } },
      },
    ])
  }
})

test('a proof that did not hold is well signed and not proven', async () => {
  const { attest, check } = desk()
  const findings = [{ id: 'verify.red', severity: 'error' as const, hint: 'mend it' }]
  await attest({ proof: { verdict: 'not_proven', causes: ['verify', 'findings'], findings } })
  expect(await check('HEAD')).toMatchObject({ outcome: 'not-proven', exit: 6, reason: expect.stringContaining('verify, findings') })
})

test('of several envelopes the newest that is well signed counts, whichever line it is on', async () => {
  const { attest, check, root } = desk()
  const at = (minute: number): string => `2026-01-31T12:0${minute}:00.000Z`
  await attest({ proof: { ended_at: at(1) } })
  await attest({ proof: { ended_at: at(3), verdict: 'not_proven', causes: ['verify'] } })
  expect(await check('HEAD')).toMatchObject({ outcome: 'not-proven' })
  await attest({ proof: { ended_at: at(2) } })
  expect(await check('HEAD')).toMatchObject({ outcome: 'not-proven' })
  await attest({ proof: { ended_at: at(4) } })
  git(root, 'notes', '--ref=qed', 'append', '-m', 'a remark of someone else\n\n{"not":"an envelope"}', 'HEAD')
  expect(await check('HEAD')).toMatchObject({ outcome: 'valid', statement: { predicate: { ended_at: at(4) } } })
})

test('F-26 where nothing could be measured later, what was measured before stands', async () => {
  const { attest, check } = desk()
  const later = (causes: ('environment' | 'findings')[], minute: number) =>
    attest({ proof: { ended_at: `2026-01-31T12:0${minute}:00.000Z`, verdict: 'not_proven', causes } })
  await later(['environment'], 1)
  expect(await check('HEAD')).toMatchObject({ outcome: 'not-proven', reason: expect.stringContaining('environment') as string })
  await attest({ proof: { ended_at: '2026-01-31T12:00:00.000Z' } })
  expect(await check('HEAD')).toMatchObject({ outcome: 'valid' })
  await later(['environment', 'findings'], 2)
  expect(await check('HEAD')).toMatchObject({ outcome: 'not-proven' })
})

test('an edit after the proof makes it stale, with both trees and the changed paths', async () => {
  const { attest, check, root, ends } = desk()
  await attest()
  const proven = ends()
  write(root, { 'src/sum.js': 'export const sum = () => 5\n', 'new.txt': 'x' })
  git(root, 'add', '-A')
  const tree = git(root, 'write-tree')
  expect(await check('.', {}, { capture: () => Promise.resolve({ tree }) })).toMatchObject({
    outcome: 'stale',
    exit: 6,
    target: { name: '.', commit: null, tree },
    proven,
    changed: ['new.txt', 'src/sum.js'],
    reason: `tree ${proven.tree} was proven, this is ${tree}`,
  })
})

test('F-36 a signature by a key that the checker does not know is not believed, also when the repository brings the key', async () => {
  const theirs = desk()
  await theirs.attest()
  const { public_key, keyid } = openProofKey(theirs.personal)
  write(theirs.root, {
    '.qed/trust.json': JSON.stringify({ keys: [{ public_key }] }),
    'trust.json': JSON.stringify({ keys: [{ public_key }] }),
  })
  const mine = desk({ root: theirs.root })
  expect(await mine.check('HEAD')).toMatchObject({ outcome: 'unknown-signer', exit: 4, step: 'signer', signer: { keyid, name: null } })
  openProofKey(mine.personal)
  expect(await mine.check('HEAD')).toMatchObject({ outcome: 'unknown-signer' })
  mkdirSync(mine.personal, { recursive: true })
  writeFileSync(join(mine.personal, 'trust.json'), JSON.stringify({ keys: [{ public_key, name: 'ann' }] }))
  expect(await mine.check('HEAD', {}, { trusted: trustedKeys(mine.personal) })).toMatchObject({
    outcome: 'valid',
    signer: { keyid, name: 'ann' },
  })
})

test('F-36 a trust file that is named is the only one that counts', async () => {
  const { attest, check, personal } = desk()
  await attest()
  const file = join(temporaryFolder(), 'trust.json')
  const other = openProofKey(join(temporaryFolder(), 'other'))
  writeFileSync(file, JSON.stringify({ keys: [{ public_key: other.public_key }] }))
  expect(await check('HEAD', {}, { trusted: trustedKeys(personal, file) })).toMatchObject({ outcome: 'unknown-signer' })
})

test('what is not there is missing, and says what to do', async () => {
  const { check, attest, root } = desk()
  expect(await check('HEAD')).toMatchObject({
    outcome: 'missing',
    exit: 3,
    reason: expect.stringContaining('git fetch <remote> refs/notes/qed'),
  })
  for (const target of ['nowhere', '', '-x', '--all', 'HEAD:src/sum.js', 'a\0b', 'x'.repeat(5000), '/etc']) {
    expect([target, (await check(target)).outcome]).toEqual([target, target === 'x'.repeat(5000) ? 'unmeasured' : 'missing'])
  }
  await attest()
  git(root, 'notes', '--ref=qed', 'remove', 'HEAD')
  expect(await check('HEAD')).toMatchObject({ outcome: 'missing', reason: expect.stringContaining('^{tree}') })
})

const UNMET: [string, Requirements, RegExp][] = [
  ['isolation', { isolation: 'bubblewrap' }, /process-group was in force/],
  ['a gate that did not run', { gates: ['codeaudit', 'secaudit'] }, /secaudit/],
  ['no accepted reviews', { no_accepted_reviews: true }, /blob\.large was accepted by ann/],
  ['age', { max_age_s: 60 }, /older than 60 s/],
  ['the exact command', { command: 'npm test -- --all' }, /npm test/],
]

test.for(UNMET)('a requirement that is not met is policy-unmet: %s', async ([, require, reason]) => {
  const { attest, check, clock, ends } = desk()
  const accepted = { by: 'ann', role: 'person' as const, at: '2026-01-31T12:00:00.000Z', reason: 'fine' }
  const { tree } = ends()
  await attest({
    facts: { gates: [gate('codeaudit')], runs: [run({ tree }), run({ n: 2, tree, isolation: isolation({ level: 'process-group' }) })] },
    proof: { findings: [{ id: 'blob.large', severity: 'review', hint: 'look', accepted }] },
  })
  clock.advance(120_000)
  expect(await check('HEAD', { require })).toMatchObject({
    outcome: 'policy-unmet',
    exit: 4,
    step: 'require',
    reason: expect.stringMatching(reason),
  })
  expect(await check('HEAD')).toMatchObject({ outcome: 'valid' })
})

test('requirements that are met change nothing, and a sandbox that did not hold is not one', async () => {
  const { attest, check, ends } = desk()
  await attest({ facts: { gates: [gate('codeaudit')] } })
  const require: Requirements = {
    isolation: 'bubblewrap',
    gates: ['codeaudit'],
    no_accepted_reviews: true,
    max_age_s: 60,
    command: 'npm test',
  }
  expect(await check('HEAD', { require })).toMatchObject({ outcome: 'valid' })
  await attest({
    facts: { runs: [run({ tree: ends().tree, isolation: isolation({ degraded: 'network' }) })] },
    proof: { ended_at: '2026-01-31T12:00:06.000Z' },
  })
  expect(await check('HEAD', { require: { isolation: 'bubblewrap' } })).toMatchObject({ outcome: 'policy-unmet' })
})

test('a proof from the future is older than any age', async () => {
  const { attest, check } = desk()
  await attest({ proof: { ended_at: '2036-01-31T12:00:05.000Z' } })
  expect(await check('HEAD', { require: { max_age_s: 60 } })).toMatchObject({ outcome: 'policy-unmet' })
})

test('with rerun the command is run again, after everything else', async () => {
  const { attest, check } = desk()
  await attest()
  const asked: string[] = []
  const port = (answer: 'green' | 'red' | 'unmeasured') => ({
    rerun: (statement: { predicate: { command: { text: string } } }) => {
      asked.push(statement.predicate.command.text)
      return Promise.resolve(answer)
    },
  })
  expect(await check('HEAD', {}, port('red'))).toMatchObject({ outcome: 'valid' })
  expect(await check('HEAD', { rerun: true, require: { command: 'x' } }, port('red'))).toMatchObject({ outcome: 'policy-unmet' })
  expect(asked).toEqual([])
  expect(await check('HEAD', { rerun: true }, port('green'))).toMatchObject({ outcome: 'valid', exit: 0 })
  expect(await check('HEAD', { rerun: true }, port('red'))).toMatchObject({ outcome: 'rerun-red', exit: 6 })
  expect(await check('HEAD', { rerun: true }, port('unmeasured'))).toMatchObject({ outcome: 'unmeasured', exit: 9 })
  expect(asked).toEqual(['npm test', 'npm test', 'npm test'])
})

test('an attestation made in one clone is checked in another that has no store', async () => {
  const origin = temporaryFolder()
  git(origin, 'init', '--quiet', '--bare', '-b', 'main')
  const maker = desk()
  git(maker.root, 'remote', 'add', 'origin', origin)
  await maker.attest()
  git(maker.root, 'push', '--quiet', 'origin', 'main', 'refs/notes/qed')
  const clone = join(temporaryFolder(), 'clone')
  git(origin, 'clone', '--quiet', origin, clone)
  const checker = desk({ root: clone, hasQed: false })
  const { public_key } = openProofKey(maker.personal)
  const file = join(temporaryFolder(), 'trust.json')
  writeFileSync(file, JSON.stringify({ keys: [{ public_key, name: 'ann' }] }))
  const trusted = trustedKeys(checker.personal, file)
  expect(await checker.check('HEAD', {}, { trusted })).toMatchObject({ outcome: 'missing' })
  git(clone, 'fetch', '--quiet', 'origin', 'refs/notes/qed:refs/notes/qed')
  expect(await checker.check('HEAD', {}, { trusted })).toMatchObject({
    outcome: 'valid',
    evidence: 'absent',
    log: 'absent',
    signer: { name: 'ann' },
  })
  commit(clone, { 'src/sum.js': 'export const sum = () => 0\n' })
  expect(await checker.check('.', {}, { trusted })).toMatchObject({ outcome: 'missing' })
})

test('a proof of a working tree names a commit that others do not have; its tree is checked all the same', async () => {
  const maker = desk()
  const captured = git(maker.root, 'commit-tree', '-p', 'HEAD~1', '-m', 'captured', 'HEAD^{tree}')
  await maker.attest({ facts: { result: maker.ends(captured), base: maker.ends('HEAD~1') } })
  const clone = join(temporaryFolder(), 'clone')
  git(maker.root, 'clone', '--quiet', '--no-local', maker.root, clone)
  git(clone, 'fetch', '--quiet', 'origin', 'refs/notes/qed:refs/notes/qed')
  const checker = desk({ root: clone, personal: maker.personal, hasQed: false })
  expect(await checker.check('HEAD^{tree}')).toMatchObject({ outcome: 'valid' })
  expect(await checker.check('.')).toMatchObject({ outcome: 'valid' })
  expect(await checker.check('HEAD')).toMatchObject({ outcome: 'missing', reason: expect.stringContaining('^{tree}') })
})

test('a tree that is not wholly here cannot be measured, and nothing is fetched for it', async () => {
  const maker = desk()
  const { lines } = await maker.attest()
  const file = join(temporaryFolder(), 'e.jsonl')
  writeFileSync(file, `${lines[0]}\n`)
  const elsewhere = desk({ root: repository({ 'x.txt': 'x' }), personal: maker.personal })
  expect(await elsewhere.check(file)).toMatchObject({ outcome: 'unmeasured', exit: 9, step: 'subject' })
  const partial = join(temporaryFolder(), 'partial')
  git(maker.root, 'config', 'uploadpack.allowFilter', 'true')
  git(maker.root, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', '--no-local', `file://${maker.root}`, partial)
  const lacking = desk({ root: partial, personal: maker.personal, hasQed: false })
  expect(await lacking.check(file)).toMatchObject({ outcome: 'unmeasured', exit: 9, step: 'subject' })
})

test('the log of the store that made it is compared, another store has nothing to say', async () => {
  const { attest, check } = desk()
  const head = { seq: 3, hash: 'a'.repeat(64) }
  await attest({ input: { log: { ...head, previous: null } } })
  const seen: unknown[] = []
  const log = (answer: ReturnType<ReturnType<typeof storeLog>>) => ({
    log: (...args: unknown[]) => {
      seen.push(args)
      return answer
    },
  })
  expect(await check('HEAD', {}, log({ kind: 'sound' }))).toMatchObject({ outcome: 'valid', log: 'sound' })
  expect(await check('HEAD', {}, log({ kind: 'elsewhere' }))).toMatchObject({ outcome: 'valid', log: 'elsewhere' })
  expect(await check('HEAD', {}, log({ kind: 'broken', reason: 'event 2' }))).toMatchObject({ outcome: 'tampered', step: 'log', exit: 1 })
  expect(seen[0]).toEqual([{ ...head, previous: null }, expect.stringMatching(/^[0-9a-f]{64}$/)])
})
