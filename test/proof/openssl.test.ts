import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openProofKey } from '../../src/proof/attest/keys.ts'
import { PROOF_LIMITS } from '../../src/proof/report/limits.ts'
import { git, write } from '../sandbox/support.ts'
import { temporaryFolder } from '../support/folders.ts'
import { commit, type Desk, desk } from './attest-support.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/proof.md'), 'utf8')
const SCRIPT = /<!-- test: check-with-openssl -->\n```sh\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? ''

/** What the page tells people to type, typed. */
function byHand({ root }: Pick<Desk, 'root'>, publicKey: string): { exit: number | null; said: string } {
  const key = join(temporaryFolder(), 'key.pem')
  writeFileSync(key, publicKey)
  const ran = spawnSync('sh', ['-c', SCRIPT], { cwd: root, env: { ...process.env, KEY: key }, encoding: 'utf8', timeout: 20_000 })
  return { exit: ran.status, said: `${ran.stdout}${ran.stderr}` }
}

test('F-31 an attestation is checked by hand with git and openssl alone, in a clone without QED', async () => {
  const maker = desk()
  commit(maker.root, { 'docs/a b.txt': 'x', 'é.txt': 'y' })
  await maker.attest()
  await maker.attest({ proof: { ended_at: '2026-01-31T12:00:09.000Z' }, input: { alsoTestResult: true } })
  const clone = join(temporaryFolder(), 'clone')
  git(maker.root, 'clone', '--quiet', maker.root, clone)
  git(clone, 'fetch', '--quiet', 'origin', 'refs/notes/qed:refs/notes/qed')
  const { public_key } = openProofKey(maker.personal)
  expect(byHand({ root: clone }, public_key)).toEqual({ exit: 0, said: expect.stringContaining(`valid: ${maker.ends().commit}`) })
  expect(byHand({ root: clone }, openProofKey(join(temporaryFolder(), 'other')).public_key).exit).not.toBe(0)
})

test('by hand too, a changed payload, another tree and a proof that did not hold are not valid', async () => {
  const one = desk()
  const { lines } = await one.attest()
  const { public_key } = openProofKey(one.personal)
  expect(byHand(one, public_key).exit).toBe(0)
  const parts = JSON.parse(lines[0]!) as { payload: string }
  const lie = Buffer.from(parts.payload, 'base64').toString().replace('"exit":1', '"exit":0')
  git(one.root, 'notes', '--ref=qed', 'add', '-f', '-m', lines[0]!.replace(parts.payload, Buffer.from(lie).toString('base64')), 'HEAD')
  expect(byHand(one, public_key)).toEqual({ exit: 1, said: expect.stringContaining('Signature Verification Failure') })
  write(one.root, { 'src/sum.js': 'other' })
  git(one.root, 'commit', '--quiet', '-a', '-m', 'other')
  git(one.root, 'notes', '--ref=qed', 'add', '-f', '-m', lines[0]!, 'HEAD')
  expect(byHand(one, public_key)).toEqual({ exit: 1, said: expect.stringContaining('not in the statement: "subject"') })
  await one.attest({ proof: { verdict: 'not_proven', causes: ['verify'] } })
  expect(byHand(one, public_key)).toEqual({ exit: 1, said: expect.stringContaining('"verdict":"proven"') })
})

test('F-42 F-43 F-44 the page says what an attestation does not show, in the words of the reports', () => {
  const words = PAGE.replace(/\s+/g, ' ')
  for (const limit of PROOF_LIMITS) expect(words).toContain(limit)
})
