import { Buffer } from 'node:buffer'
import { generateKeyPairSync, sign } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { canonicalJson } from '../../src/kernel/json.ts'
import { sha256 } from '../../src/kernel/sha256.ts'
import { MOST_ENVELOPE_BYTES, preAuthEncoding, signStatement } from '../../src/proof/attest/envelope.ts'
import { attestEvents } from '../../src/proof/attest/events.ts'
import { openProofKey, publicKeyOf } from '../../src/proof/attest/keys.ts'
import { trustedKeys } from '../../src/proof/attest/trust.ts'
import { readLine } from '../../src/proof/check/read-line.ts'
import { storeLog } from '../../src/proof/check/store-log.ts'
import { projectStore } from '../../src/store/kinds.ts'
import { openStore } from '../../src/store/store.ts'
import { git, write } from '../sandbox/support.ts'
import { temporaryFolder } from '../support/folders.ts'
import { logOptions } from '../support/log-options.ts'
import { commit, type Desk, desk } from './attest-support.ts'

// F-37: none of this is `valid`, and nothing throws.

const TYPE = 'application/vnd.in-toto+json'

interface Parts {
  payload: string
  payloadType: string
  signatures: { keyid: string; sig: string }[]
}
const partsOf = (line: string): Parts => JSON.parse(line) as Parts
const statementIn = (line: string): { predicate: Record<string, unknown>; subject: unknown[] } =>
  JSON.parse(Buffer.from(partsOf(line).payload, 'base64').toString('utf8')) as { predicate: Record<string, unknown>; subject: unknown[] }

function note(root: string, name: string, text: string): void {
  const file = join(temporaryFolder(), 'note')
  writeFileSync(file, text)
  git(root, 'notes', '--ref=qed', 'add', '-f', '-F', file, name)
}

/** Signs any bytes with the desk's own key, as someone who has stolen it would. */
function signed({ personal }: Desk, payload: string | Buffer, type = TYPE): string {
  const { privateKey, keyid } = openProofKey(personal)
  const body = Buffer.from(payload)
  const sig = sign(null, preAuthEncoding(type, body), privateKey).toString('base64')
  return canonicalJson({ payload: body.toString('base64'), payloadType: type, signatures: [{ keyid, sig }] })
}

test('F-37 no byte of an envelope can be changed', async () => {
  const one = desk()
  const { lines } = await one.attest({ input: { store: false } })
  const line = lines[0]!
  const trusted = trustedKeys(one.personal)
  expect(readLine(line, trusted).kind).toBe('signed')
  const bytes = Buffer.from(line)
  const kinds = new Set<string>()
  for (let at = 0; at < bytes.length; at++) {
    // Every bit outside the payload; inside, where all letters are alike, one of them.
    const bits = at > line.indexOf('"payload":"') + 11 && at < line.indexOf('","payloadType') - 4 ? [at % 7] : [0, 1, 2, 3, 4, 5, 6, 7]
    for (const bit of bits) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << bit)
      const { kind } = readLine(changed.toString('utf8'), trusted)
      kinds.add(kind)
      if (kind !== 'tampered' && kind !== 'unknown-signer')
        throw new Error(`bit ${bit} of byte ${at} (${line.slice(at, at + 10)}): ${kind}`)
    }
  }
  expect(kinds).toEqual(new Set(['tampered']))
}, 60_000)

test('F-37 a cut envelope, at any length, is not one', async () => {
  const one = desk()
  const line = (await one.attest({ input: { store: false } })).lines[0]!
  const trusted = trustedKeys(one.personal)
  for (let length = 0; length < line.length; length++) expect(readLine(line.slice(0, length), trusted).kind).toBe('tampered')
})

test('F-37 a changed evidence file is found by commit, by tree and by bundle, and named', async () => {
  const { attest, check, root } = desk()
  const { proof } = await attest()
  const file = join(root, proof.bundle, 'runs/result-1.stdout')
  chmodSync(file, 0o644)
  writeFileSync(file, readFileSync(file, 'utf8').replace('ok', 'no'))
  for (const target of ['HEAD', 'HEAD^{tree}', '.', proof.bundle]) {
    expect(await check(target)).toMatchObject({
      outcome: 'tampered',
      exit: 1,
      step: 'evidence',
      reason: expect.stringContaining('runs/result-1.stdout'),
    })
  }
})

test('F-37 an edited manifest does not hide the change', async () => {
  const { attest, check, root } = desk()
  const { proof } = await attest()
  const [file, manifest] = ['findings.json', 'manifest.json'].map(name => join(root, proof.bundle, name)) as [string, string]
  for (const path of [file, manifest]) chmodSync(path, 0o644)
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, `${before} `)
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8')
      .replace(sha256(before), sha256(`${before} `))
      .replace(`"size":${before.length}`, `"size":${before.length + 1}`),
  )
  expect(await check('HEAD')).toMatchObject({ outcome: 'tampered', step: 'evidence', reason: expect.stringContaining('manifest.json') })
})

test('F-37 envelopes of two commits that are swapped are stale for both', async () => {
  const { attest, check, root, ends } = desk()
  const first = await attest()
  commit(root, { 'src/sum.js': 'export const sum = (a, b) => b + a\n' })
  const second = await attest()
  note(root, 'HEAD', first.lines[0]!)
  note(root, 'HEAD~1', second.lines[0]!)
  expect(await check('HEAD')).toMatchObject({ outcome: 'stale', exit: 6, proven: ends('HEAD~1'), target: ends(), changed: ['src/sum.js'] })
  expect(await check('HEAD~1')).toMatchObject({ outcome: 'stale', proven: ends() })
})

test('F-37 the attestation of another commit with the same tree is stale for this one', async () => {
  const { attest, check, root, ends } = desk()
  const { lines } = await attest()
  const proven = ends()
  git(root, 'commit', '--quiet', '--amend', '-m', 'other words')
  note(root, 'HEAD', lines[0]!)
  expect(await check('HEAD')).toMatchObject({ outcome: 'stale', proven, changed: [] })
})

test('F-37 a dropped note is missing', async () => {
  const { attest, check, root } = desk()
  await attest()
  git(root, 'notes', '--ref=qed', 'remove', 'HEAD')
  expect(await check('HEAD')).toMatchObject({ outcome: 'missing', exit: 3 })
  git(root, 'update-ref', '-d', 'refs/notes/qed')
  expect(await check('HEAD^{tree}')).toMatchObject({ outcome: 'missing' })
})

test('F-37 what was signed again with another key is of an unknown signer, whatever key it names', async () => {
  const { attest, check, root } = desk()
  const line = (await attest()).lines[0]!
  const { privateKey } = generateKeyPairSync('ed25519')
  const other = { keyid: publicKeyOf(privateKey).keyid, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  const again = signStatement(statementIn(line), other)
  note(root, 'HEAD', again)
  expect(await check('HEAD')).toMatchObject({ outcome: 'unknown-signer', exit: 4, signer: { keyid: other.keyid } })
  note(root, 'HEAD', again.replace(other.keyid, partsOf(line).signatures[0]!.keyid))
  expect(await check('HEAD')).toMatchObject({ outcome: 'tampered', step: 'signature' })
  note(root, 'HEAD', line.replace(partsOf(line).signatures[0]!.keyid, other.keyid))
  expect(await check('HEAD')).toMatchObject({ outcome: 'tampered', step: 'signature' })
})

test('F-37 an edited log is found where the store is present', async () => {
  const one = desk()
  const path = join(temporaryFolder(), 'qed.db')
  const options = logOptions()
  const catalogue = { ...options.catalogue, proof: attestEvents }
  const store = openStore(path, projectStore, { ...options, catalogue, mayCreate: true })
  for (let i = 0; i < 3; i++) store.log.append('test', 'test.happened', { i })
  const head = store.log.head()!
  const { proof, envelope_sha256, lines } = await one.attest({ input: { log: { ...head, previous: null } } })
  store.log.append(`proof:${proof.proof_id}`, 'proof.attested', {
    proof_id: proof.proof_id,
    verdict: proof.verdict,
    ...proof.result,
    task: null,
    keyid: proof.attestation!.keyid,
    envelope_sha256,
    envelope: lines[0]!,
  })
  const look = { log: storeLog(store.log) }
  expect(await one.check('HEAD', {}, look)).toMatchObject({ outcome: 'valid', log: 'sound' })

  const edit = (sql: string): void => void store.db.run(sql)
  edit(`UPDATE events SET data = '{"i":9}' WHERE seq = 2`)
  expect(await one.check('HEAD', {}, look)).toMatchObject({
    outcome: 'tampered',
    exit: 1,
    step: 'log',
    reason: expect.stringContaining('event 2'),
  })
  edit(`UPDATE events SET data = '{"i":1}' WHERE seq = 2`)
  expect(await one.check('HEAD', {}, look)).toMatchObject({ outcome: 'valid' })

  // A log that was made anew, each link sound, still has not the head that was signed.
  const rewritten = openStore(join(temporaryFolder(), 'qed.db'), projectStore, { ...options, catalogue, mayCreate: true })
  for (const { stream, type, data } of store.log.list({}, 100))
    rewritten.log.append(stream, type, type === 'test.happened' ? { i: 7 } : data)
  expect(await one.check('HEAD', {}, { log: storeLog(rewritten.log) })).toMatchObject({ outcome: 'tampered', step: 'log' })
  const foreign = openStore(join(temporaryFolder(), 'qed.db'), projectStore, { ...options, catalogue, mayCreate: true })
  foreign.log.append('test', 'test.happened', {})
  expect(await one.check('HEAD', {}, { log: storeLog(foreign.log) })).toMatchObject({ outcome: 'valid', log: 'elsewhere' })
  for (const open of [store, rewritten, foreign]) open.close()
})

test('F-37 an amended commit is not the proven one', async () => {
  const { attest, check, root } = desk()
  await attest()
  git(root, 'commit', '--quiet', '--amend', '-m', 'other words')
  expect(await check('HEAD')).toMatchObject({ outcome: 'missing', reason: expect.stringContaining('^{tree}') })
  expect(await check('HEAD^{tree}')).toMatchObject({ outcome: 'valid' })
  write(root, { 'src/sum.js': 'export const sum = () => 0\n' })
  git(root, 'commit', '--quiet', '-a', '--amend', '-m', 'other code')
  expect((await check('HEAD')).outcome).toBe('missing')
  expect((await check('HEAD^{tree}')).outcome).toBe('missing')
})

test('F-37 a changed file mode makes it stale', async () => {
  const { attest, check, root } = desk()
  await attest()
  git(root, 'update-index', '--chmod=+x', 'bin/run')
  const tree = git(root, 'write-tree')
  expect(await check('.', {}, { capture: () => Promise.resolve({ tree }) })).toMatchObject({ outcome: 'stale', changed: ['bin/run'] })
  git(root, 'commit', '--quiet', '--amend', '-m', 'mode')
  expect((await check('HEAD')).outcome).toBe('missing')
})

test('F-35 a statement whose digests are not those of the git objects is tampered, though well signed', async () => {
  const one = desk()
  const { lines } = await one.attest()
  const base = one.ends('HEAD~1')
  const lie = (change: (digests: { gitTree: string; dirHash?: string }, commit: { gitCommit: string }) => void): string => {
    const statement = statementIn(lines[0]!) as unknown as { subject: [{ digest: { gitTree: string } }, { digest: { gitCommit: string } }] }
    change(statement.subject[0].digest, statement.subject[1].digest)
    return signed(one, canonicalJson(statement))
  }
  const lies: [string, string, string][] = [
    ['HEAD', 'another dirHash', lie(tree => (tree.dirHash = 'a'.repeat(64)))],
    ['HEAD', 'no dirHash', lie(tree => delete tree.dirHash)],
    ['HEAD^{tree}', 'a commit of another tree', lie((_, commit) => (commit.gitCommit = base.commit))],
  ]
  for (const [target, what, line] of lies) {
    note(one.root, target, line)
    expect([what, await one.check(target)]).toMatchObject([what, { outcome: 'tampered', step: 'subject' }])
  }
})

test('F-35 a git object that was replaced on disk is tampered', async () => {
  const { attest, check, root } = desk()
  await attest()
  const [right, wrong] = ['src/sum.js', 'bin/run'].map(path => git(root, 'rev-parse', `HEAD:${path}`)) as [string, string]
  const file = (oid: string): string => join(root, '.git/objects', oid.slice(0, 2), oid.slice(2))
  chmodSync(file(right), 0o644)
  writeFileSync(file(right), readFileSync(file(wrong)))
  expect(await check('HEAD')).toMatchObject({ outcome: 'tampered', step: 'subject', reason: expect.stringContaining('src/sum.js') })
})

const anything = (name: string, make: (one: Desk, line: string) => string, expected = 'tampered') => ({ name, make, expected })

const STRANGE = [
  anything('a key of the envelope twice', (_, line) => line.replace('{', '{"payloadType":"x",')),
  anything('the same key twice, once escaped', (_, line) => line.replace('{', '{"pa\\u0079load":"x",')),
  anything('a further member', (_, line) => line.replace('{', '{"more":1,')),
  anything('a further member of the signature', (_, line) => line.replace('"keyid"', '"cert":"x","keyid"')),
  anything('two signatures', (_, line) => edited(line, parts => parts.signatures.push(parts.signatures[0]!))),
  anything('no signature', (_, line) => edited(line, parts => (parts.signatures = []))),
  anything('an empty payload', one => signed(one, '')),
  anything('a wrong payload type', (_, line) => edited(line, parts => (parts.payloadType = 'text/plain'))),
  anything('another payload type, signed', one => signed(one, '{}', 'text/plain')),
  anything('base64 with a line break', (_, line) =>
    edited(line, parts => (parts.payload = `${parts.payload.slice(0, 8)}\n${parts.payload.slice(8)}`)),
  ),
  anything('base64 without its padding', one => signed(one, 'ab').replace(/=+"/, '"')),
  anything('base64 with other last bits', one => signed(one, '{}').replace('e30=', 'e31=')),
  anything('base64 for URLs', (one, line) => {
    const text = Buffer.from(partsOf(line).payload, 'base64').toString()
    // One blank more where the length would need no padding: then both forms would be the same.
    const padded = signed(one, Buffer.byteLength(text) % 3 === 0 ? `${text} ` : text)
    return edited(padded, parts => (parts.payload = Buffer.from(parts.payload, 'base64').toString('base64url')))
  }),
  anything('more than any envelope', (_, line) => line.replace('"payload":"', `"payload":"${'A'.repeat(MOST_ENVELOPE_BYTES)}`)),
  anything('NaN', () => 'NaN'),
  anything('null', () => 'null'),
  anything('a number', () => '1'),
  anything('a list', () => '[]'),
  anything('deep nesting', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  anything('members of the wrong types', () => '{"payload":1,"payloadType":2,"signatures":3}'),
  anything('members of every object', () => '{"__proto__":{},"constructor":1,"toString":2}'),
  anything('a payload that is no JSON', one => signed(one, 'NaN')),
  anything('a payload that is no UTF-8', one => signed(one, Buffer.from([0xff, 0xfe]))),
  anything('a payload that is null', one => signed(one, 'null')),
  anything('a payload with a key twice', (one, line) => signed(one, canonicalJson(statementIn(line)).replace('{', '{"predicate":{},'))),
  anything('a payload nested deep', one => signed(one, `{"_type":${'['.repeat(5000)}${']'.repeat(5000)}}`)),
  anything('another statement type', (one, line) =>
    signed(one, canonicalJson({ ...statementIn(line), _type: 'https://in-toto.io/Statement/v0.1' })),
  ),
  anything(
    'another predicate type',
    (one, line) => signed(one, canonicalJson({ ...statementIn(line), predicateType: 'urn:other' })),
    'missing',
  ),
  anything('no subject', (one, line) => signed(one, canonicalJson({ ...statementIn(line), subject: [] }))),
  anything('a third subject', (one, line) => {
    const statement = statementIn(line)
    return signed(one, canonicalJson({ ...statement, subject: [...statement.subject, statement.subject[0]] }))
  }),
  anything('proven and an error finding', (one, line) => predicate(one, line, { findings: [{ id: 'verify.red', severity: 'error' }] })),
  anything('proven and an open review', (one, line) => predicate(one, line, { findings: [{ id: 'blob.large', severity: 'review' }] })),
  anything('proven and a cause', (one, line) => predicate(one, line, { causes: ['verify'] })),
  anything('proven and a gate below', (one, line) =>
    predicate(one, line, { gates: [{ name: 'g', score: 1, threshold: 2, passed: false, output: null }] }),
  ),
  anything('a verdict of its own', (one, line) => predicate(one, line, { verdict: 'PROVEN' })),
  anything('a time that is none', (one, line) => predicate(one, line, { ended_at: 'now' })),
]

function edited(line: string, change: (parts: Parts) => unknown): string {
  const parts = partsOf(line)
  change(parts)
  return JSON.stringify(parts)
}

function predicate(one: Desk, line: string, changes: Record<string, unknown>): string {
  const statement = statementIn(line)
  return signed(one, canonicalJson({ ...statement, predicate: { ...statement.predicate, ...changes } }))
}

test('a strange envelope has an outcome, in a file and on a note, and never throws', async () => {
  const one = desk()
  const { lines } = await one.attest({ input: { store: false } })
  const file = join(temporaryFolder(), 'envelope.jsonl')
  for (const { name, make, expected } of STRANGE) {
    writeFileSync(file, make(one, lines[0]!))
    git(one.root, 'notes', '--ref=qed', 'add', '-f', '-C', git(one.root, 'hash-object', '-w', file), 'HEAD')
    expect([name, (await one.check(file)).outcome, (await one.check('HEAD')).outcome]).toEqual([name, expected, expected])
  }
}, 60_000)

test('every field of the predicate must be there', async () => {
  const one = desk()
  const line = (await one.attest({ input: { store: false } })).lines[0]!
  const statement = statementIn(line)
  const trusted = trustedKeys(one.personal)
  const fields = Object.keys(statement.predicate)
  expect(fields).toHaveLength(15)
  for (const field of fields) {
    const { [field]: _, ...others } = statement.predicate
    const reading = readLine(signed(one, canonicalJson({ ...statement, predicate: others })), trusted)
    expect([field, reading]).toMatchObject([field, { kind: 'tampered', step: 'statement', reason: expect.stringContaining(field) }])
  }
})

test('a field that is not known does no harm to one that is', async () => {
  const one = desk()
  const line = (await one.attest({ input: { store: false } })).lines[0]!
  const reading = readLine(predicate(one, line, { later: { version: 2 } }), trustedKeys(one.personal))
  expect(reading.kind).toBe('signed')
  expect(z.object({ later: z.unknown().optional() }).parse(reading)).toEqual({})
})

test('a huge note and a huge file are refused before they are read', async () => {
  const { check, root } = desk()
  const file = join(temporaryFolder(), 'huge.jsonl')
  writeFileSync(file, Buffer.alloc(65 << 20, 32))
  expect(await check(file)).toMatchObject({ outcome: 'tampered', reason: expect.stringContaining('bytes') })
  const blob = git(root, 'hash-object', '-w', file)
  git(root, 'notes', '--ref=qed', 'add', '-f', '-C', blob, 'HEAD')
  expect(await check('HEAD')).toMatchObject({ outcome: 'tampered', reason: expect.stringContaining('bytes') })
})
