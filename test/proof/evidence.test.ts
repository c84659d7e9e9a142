import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/kernel/sha256.ts'
import { redactText } from '../../src/policy/secrets/redact.ts'
import { type Bundle, makeBundle } from '../../src/proof/evidence/bundle.ts'
import { BundleExists } from '../../src/proof/evidence/errors.ts'
import { evidencePlace } from '../../src/proof/evidence/place.ts'
import { checkBundle, readProof } from '../../src/proof/evidence/read-bundle.ts'
import { writeBundle } from '../../src/proof/evidence/write-bundle.ts'
import { temporaryFolder } from '../support/folders.ts'
import { desk, facts, gate, output, proofOf, run } from './attest-support.ts'

const TREE = { commit: 'c'.repeat(40), tree: 'd'.repeat(40) }
const BASE = { commit: 'a'.repeat(40), tree: 'b'.repeat(40) }

function bundle(changes: Parameters<typeof facts>[1] = {}, diff = 'diff --git a/x b/x\n'): Bundle {
  const measured = facts({ base: BASE, result: TREE }, changes)
  return makeBundle({ proof: proofOf(measured), facts: measured, brief: null, diff, scope: null, policy: {} }, redactText)
}

function written(made = bundle()): string {
  const folder = join(temporaryFolder(), 'proofs', 'prf_1')
  writeBundle(folder, made, ['{"an":"envelope"}'])
  return folder
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

test('F-29 a bundle holds exactly the listed files, read-only, each with its digest in the manifest', () => {
  const folder = written(bundle({ gates: [gate('codeaudit')] }))
  const files = filesBelow(folder)
  expect(files).toEqual([
    'attestation.intoto.jsonl',
    'brief.json',
    'diff.patch',
    'environment.json',
    'findings.json',
    'gates/codeaudit.json',
    'gates/codeaudit.out',
    'manifest.json',
    'policy.json',
    'proof.json',
    'runs/base-1.json',
    'runs/base-1.stderr',
    'runs/base-1.stdout',
    'runs/result-1.json',
    'runs/result-1.stderr',
    'runs/result-1.stdout',
    'scope-after.json',
    'scope-before.json',
  ])
  expect(files.map(file => (statSync(join(folder, file)).mode & 0o777).toString(8))).toEqual(files.map(() => '444'))
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, unknown>
  const listed = files.filter(file => !/^(manifest|attestation)\./.test(file))
  expect(manifest).toEqual(
    Object.fromEntries(
      listed.map(file => {
        const bytes = readFileSync(join(folder, file))
        return [file, { sha256: sha256(bytes), size: bytes.length }]
      }),
    ),
  )
  expect(readdirSync(join(folder, '..'))).toEqual(['prf_1'])
})

test('what a bundle holds is redacted before it is written, the digests in it stay', () => {
  const secret = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'].join('_')
  const { files } = bundle({ runs: [run({ tree: TREE.tree, stdout: output(`token ${secret}\n`) })] }, `+const key = "${secret}"\n`)
  const all = [...files.values()].join('\n')
  expect(all).not.toContain(secret)
  expect(files.get('runs/result-1.stdout')).toBe('token ***REDACTED***\n')
  const proof = JSON.parse(files.get('proof.json') ?? '') as { runs: { stdout_sha256: string }[]; result: unknown }
  expect(proof.runs[0]?.stdout_sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(proof.result).toEqual(TREE)
})

test('a bundle is never overwritten, and what could not be finished leaves nothing', () => {
  const folder = written()
  const before = readFileSync(join(folder, 'proof.json'))
  expect(() => writeBundle(folder, bundle(), [])).toThrow(BundleExists)
  expect(readFileSync(join(folder, 'proof.json'))).toEqual(before)
  const broken = {
    ...bundle(),
    files: new Map([
      ['runs', 'a file'],
      ['runs/x', 'cannot be below a file'],
    ]),
  }
  const other = join(temporaryFolder(), 'proofs', 'prf_2')
  expect(() => writeBundle(other, broken, [])).toThrow(/cannot be read or written/)
  expect(readdirSync(join(other, '..'))).toEqual([])
})

test('the name of a gate cannot lead a file out of its folder, and two names never share one', () => {
  const names = ['../../proof', '..', '.', 'a/b', 'a_b', 'a b', 'x'.repeat(300), 'ok.v2']
  const paths = [...bundle({ gates: names.map(name => gate(name)) }).files.keys()].filter(path => path.startsWith('gates/'))
  expect(new Set(paths).size).toBe(names.length * 2)
  for (const path of paths) expect(path).toMatch(/^gates\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,130}\.(json|out)$/)
  expect(paths).toContain('gates/ok.v2.json')
})

test('F-38 without .qed/ the bundle lies in the personal state, by repository', async () => {
  const place = evidencePlace({ root: '/r', gitFolder: '/r/.git', hasQed: false }, '/state')
  expect(place).toEqual({ root: null, proofs: join('/state/proofs', sha256('/r/.git')) })
  const bare = desk({ hasQed: false })
  const { proof } = await bare.attest()
  expect(existsSync(join(bare.root, '.qed'))).toBe(false)
  expect(proof.bundle).toBe(join(bare.proofs, proof.proof_id))
  expect(readProof(proof.bundle)).toEqual(proof)
  const inside = desk()
  const kept = await inside.attest()
  expect(kept.proof.bundle).toBe(`.qed/proofs/${kept.proof.proof_id}`)
  expect(kept.proof.attestation?.file).toBe(`.qed/proofs/${kept.proof.proof_id}/attestation.intoto.jsonl`)
})

const HARM: Record<string, (folder: string) => void> = {
  'a changed byte': folder => replace(folder, 'runs/result-1.stdout', text => text.replace('ok', 'no')),
  'a longer file': folder => replace(folder, 'findings.json', text => `${text} `),
  'a missing file': folder => rmSync(join(folder, 'policy.json')),
  'a further file': folder => writeFileSync(join(folder, 'runs', 'extra.json'), '{}'),
  'a further folder with a file': folder => {
    mkdirSync(join(folder, 'more'))
    writeFileSync(join(folder, 'more', 'x'), '')
  },
  'a link in place of a file': folder => {
    rmSync(join(folder, 'policy.json'))
    symlinkSync('/etc/hostname', join(folder, 'policy.json'))
  },
  'an edited manifest': folder => replace(folder, 'manifest.json', text => text.replace('"size":', '"size": ')),
  'a manifest with a key twice': folder =>
    replace(folder, 'manifest.json', text => text.replace('{', '{"brief.json":{"sha256":"","size":0},')),
  'a manifest that is no JSON': folder => replace(folder, 'manifest.json', () => 'NaN'),
  'no manifest': folder => rmSync(join(folder, 'manifest.json')),
}

function replace(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file)
  chmodSync(path, 0o644)
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

test.for(Object.entries(HARM))('%s is told from what was signed', ([, harm]) => {
  const made = bundle()
  const folder = written(made)
  expect(checkBundle(folder, made.digest)).toEqual({ kind: 'sound', files: made.files.size })
  harm(folder)
  expect(checkBundle(folder, made.digest)).toMatchObject({ kind: 'different' })
})

test('a manifest cannot make the reader open a file elsewhere', () => {
  const folder = written()
  const outside = join(folder, '..', 'outside.txt')
  writeFileSync(outside, 'x')
  const manifest = `${JSON.stringify({ '../outside.txt': { sha256: sha256('x'), size: 1 } })}\n`
  replace(folder, 'manifest.json', () => manifest)
  expect(checkBundle(folder, sha256(manifest))).toMatchObject({ kind: 'different' })
})
