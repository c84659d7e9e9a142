import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { sha256 } from '../../src/kernel/sha256.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { redactText } from '../../src/policy/secrets/redact.ts'
import { addToNotes } from '../../src/proof/attest/notes.ts'
import type { ProofPorts } from '../../src/proof/service/ports.ts'
import { createProofs, type Proofs, type Proven } from '../../src/proof/service/proofs.ts'
import { DiskFull } from '../../src/store/errors.ts'
import type { EventLog } from '../../src/store/event-log.ts'
import { git, repository, write } from '../sandbox/support.ts'
import { temporaryFolder } from '../support/folders.ts'
import { jobOf } from './parts.ts'
import { type House, house } from './support.ts'

function portsOf(h: House, more: Partial<ProofPorts> = {}): ProofPorts {
  return {
    cwd: h.root,
    personal: join(h.folder, 'personal'),
    home: join(h.folder, 'home'),
    clock: systemClock,
    sandbox: h,
    readShell,
    redact: redactText,
    project: null,
    mayPrepare: () => Promise.resolve(false),
    excludes: undefined,
    isInstalled: () => true,
    ...more,
  }
}

type ProveRequest = Parameters<Proofs['run']>[0]

/** `qed prove` as a surface calls it. */
function proving(h: House, text: string, more: Partial<ProveRequest> = {}, ports: Partial<ProofPorts> = {}): Promise<Proven> {
  const { terms } = jobOf(h, { text })
  const signal = new AbortController().signal
  const flags = { acceptances: [], keep: false, store: true, alsoTestResult: false, vary: false }
  return createProofs(portsOf(h, ports)).run({ terms, ...flags, signal, progress: () => undefined, ...more })
}

const worked = (): House => {
  const h = house({ 'a.txt': 'a\n' })
  write(h.root, { 'b.txt': 'b\n' })
  return h
}

const bundlesOf = (h: House): string => {
  const folder = readdirSync(join(h.state, 'proofs')).find(name => !name.startsWith('prf_')) ?? ''
  return join(h.state, 'proofs', folder)
}

describe('F-41 a proof that ends between its signature and its verdict', () => {
  test('leaves no bundle, no note and no ref when the next one starts', async () => {
    const h = worked()
    const { proof, lines } = await proving(h, 'grep -q b b.txt')
    // As if it had been killed before it was settled: its record is there, its process is not.
    write(h.state, { [`proofs/${proof.proof_id}.999999999-1`]: `${h.repository.git.folder}\n` })
    const begun = `${join(bundlesOf(h), proof.proof_id)}.a1b2.tmp`
    mkdirSync(begun)
    const others = 'a line of someone else'
    await addToNotes(h.repository.git, { oids: [proof.result.tree], lines: [others] }, { clock: systemClock, state: h.state })

    const next = await proving(h, 'grep -q b b.txt')
    expect(readdirSync(bundlesOf(h))).toEqual([next.proof.proof_id])
    const note = git(h.root, 'notes', '--ref=qed', 'show', proof.result.tree)
    expect([note.includes(lines[0] ?? '-'), note.split('\n')]).toEqual([false, [others, ...next.lines]])
    expect(git(h.root, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/qed')).toBe(next.proof.proof_id)
    expect(
      createProofs(portsOf(h))
        .list()
        .map(one => one.proof_id),
    ).toEqual([next.proof.proof_id])
  })

  test('leaves nothing where the log cannot be told of it, and says why', async () => {
    const h = worked()
    const told: string[] = []
    const append = (_stream: string, type: string): void => {
      if (type === 'proof.attested') throw new DiskFull('/store')
      told.push(type)
    }
    const log = { append, head: () => null } as unknown as EventLog
    const project = { id: 'prj_x', log, include: [], isTrusted: () => Promise.resolve(false) }
    await expect(proving(h, 'grep -q b b.txt', {}, { project })).rejects.toMatchObject({ code: 'disk_full' })
    expect([told, readdirSync(join(h.root, '.qed/proofs'))]).toEqual([['proof.started', 'proof.interrupted'], []])
    expect(git(h.root, 'for-each-ref', 'refs/qed')).toBe('')
    expect(git(h.root, 'ls-tree', 'refs/notes/qed')).toBe('')
  })

  test('keeps its record where it cannot be told, so that the next start tells it', async () => {
    const h = worked()
    const append = (): never => {
      throw new DiskFull('/store')
    }
    const log = { append, head: () => null } as unknown as EventLog
    const project = { id: 'prj_x', log, include: [], isTrusted: () => Promise.resolve(false) }
    await expect(proving(h, 'true', {}, { project })).rejects.toMatchObject({ code: 'disk_full' })
    expect(readdirSync(join(h.state, 'proofs'))).toEqual([expect.stringMatching(/^prf_/)])
  })
})

describe('secrets', () => {
  const key = `ghp_${'a1B2'.repeat(9)}`
  const everyFile = (folder: string): string =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n')

  test('in the command, the output, the diff and a path are in nothing that is shown, kept or signed', async () => {
    const h = worked()
    write(h.root, { 'c.txt': `token = ${key}\n` })
    const { proof, lines } = await proving(h, `TOKEN=${key}; echo $TOKEN; cat c.txt; grep -q b b.txt`, {
      acceptances: [{ finding: 'blob.binary', by: 'person:x', role: 'person', at: '2026-01-01T00:00:00.000Z', reason: `because ${key}` }],
    })
    const signed = lines.map(line => Buffer.from((JSON.parse(line) as { payload: string }).payload, 'base64').toString())
    const shown: [string, string][] = [
      ['shown', JSON.stringify(proof)],
      ['signed', signed.join('\n')],
      ['kept', everyFile(h.state)],
    ]
    expect(shown.filter(([, text]) => text.includes(key)).map(([where]) => where)).toEqual([])
    expect(proof.findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['secret.in-diff', 'secret.in-output']))
    expect(await createProofs(portsOf(h)).check({ target: proof.result.commit, signal: new AbortController().signal })).toMatchObject({
      outcome: 'not-proven',
      evidence: 'sound',
    })
  })
})

test('F-35 another clone runs the command again with nothing but the tree and the envelope', async () => {
  const h = worked()
  const { proof } = await proving(h, 'grep -q b b.txt')
  git(h.root, 'add', '-A')
  git(h.root, 'commit', '-qm', 'work')
  const clone = join(temporaryFolder(), 'clone')
  git(h.root, 'clone', '-q', '--depth', '1', `file://${h.root}`, clone)
  git(clone, 'fetch', '-q', 'origin', 'refs/notes/qed:refs/notes/qed')
  expect(() => git(clone, 'cat-file', '-e', proof.result.commit)).toThrow('Command failed')
  const there = { ...portsOf(h), cwd: clone }
  const check = (target: string) => createProofs(there).check({ target, rerun: true, signal: new AbortController().signal })
  expect(await check('HEAD^{tree}')).toMatchObject({ outcome: 'valid', proven: { tree: proof.result.tree } })
  expect(readdirSync(join(h.state, 'proofs'))).toEqual([expect.stringMatching(/^[0-9a-f]+$/)])
})

test('§10 files that were edited after their proof are stale, also before anything is committed', async () => {
  const h = worked()
  const { proof } = await proving(h, 'grep -q b b.txt')
  const check = () => createProofs(portsOf(h)).check({ target: '.', signal: new AbortController().signal })
  expect(await check()).toMatchObject({ outcome: 'valid' })
  write(h.root, { 'b.txt': 'b, edited\n' })
  expect(await check()).toMatchObject({ outcome: 'stale', exit: 6, proven: { tree: proof.result.tree }, changed: ['b.txt'] })
  git(h.root, 'checkout', '-q', '--orphan', 'other')
  git(h.root, 'commit', '-q', '--allow-empty', '-m', 'unrelated')
  expect(await check()).toMatchObject({ outcome: 'missing', exit: 3 })
})

test('S-36 without walls that anyone agreed to do without, nothing is run, judged or signed', async () => {
  const root = repository({ 'a.txt': 'a\n' })
  write(root, { 'b.txt': 'b\n' })
  const h = house(root, { program: 'no-such-bwrap', require: null })
  const refused: unknown = await proving(h, 'grep -q b b.txt').catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'isolation_unavailable', next: { command: 'qed sandbox status' } })
  expect([git(root, 'for-each-ref', 'refs/qed', 'refs/notes'), readdirSync(join(h.state, 'proofs'))]).toEqual(['', []])
})

test('F-38 with `--no-store` the envelope is all there is of it', async () => {
  const h = worked()
  const { proof, lines } = await proving(h, 'grep -q b b.txt', { store: false })
  expect([proof.bundle, proof.attestation, lines.length]).toEqual(['', null, 1])
  expect(git(h.root, 'for-each-ref', '--format=%(refname)', 'refs/qed', 'refs/notes')).toBe('')
  expect(readdirSync(join(h.state, 'proofs'))).toEqual([])
})

test('a file of the state that is in the way is told by its name', async () => {
  const h = worked()
  const kept = join(h.state, 'indexes', sha256(`${h.repository.git.folder}\0${h.root}`))
  mkdirSync(kept, { recursive: true })
  const refused: unknown = await proving(h, 'true').catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'unavailable', details: { path: kept } })
  expect(readdirSync(join(h.state, 'proofs'))).toEqual([])
})
