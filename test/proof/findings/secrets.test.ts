import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/kernel/sha256.ts'
import type { KeptOutput, ProofFacts, RunFact } from '../../../src/proof/facts.ts'
import { SECRET_RULES } from '../../../src/proof/findings/secrets/rules.ts'
import { type Edit, factsOf, found } from './facts.ts'

// In parts, so that no scanner takes this file for a leak.
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4'].join('_')
const begin = ['-----BEGIN PRIVATE', 'KEY-----'].join(' ')
const jwt = [
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
  'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ',
  'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
].join('.')

const ROWS: [name: string, edit: Edit, expected: string[], circumstances?: Parameters<typeof factsOf>[1]][] = [
  ['a token in a new file', { 'a.ts': [null, `\nconst t = '${token}'\n`] }, ['secret.in-diff a.ts:2']],
  ['a token in an added line', { 'a.md': ['x\n', `x\n${token}\n`] }, ['secret.in-diff a.md:2']],
  ['a token in a test', { 'test/a.test.ts': [null, `login('${token}')`] }, ['secret.in-diff test/a.test.ts:1']],
  ['a password under its key', { '.env': [null, 'DB_PASSWORD=k3Jx9!mQ2zz\n'] }, ['secret.in-diff .env:1']],
  ['a key whose head was there', { 'a.pem': [`${begin}\n`, `${begin}\nMIIB\n`] }, ['secret.in-diff a.pem:2']],
  ['two in one file', { a: [null, `${token}\n${begin}\nMIIB\n`] }, ['secret.in-diff a:1', 'secret.in-diff a:2']],
  ['one that was there', { 'a.ts': [`const t = '${token}'\n`, `const t = '${token}'\nf()\n`] }, []],
  ['one that is taken out', { 'a.ts': [`const t = '${token}'\n`, 'const t = env.T\n'] }, []],
  [
    'one in a file that moved',
    { 'a.ts': [`x = '${token}'\n`, null], 'b.ts': [null, `x = '${token}'\n`] },
    [],
    { moved: { 'a.ts': 'b.ts' } },
  ],
  [
    '§13 row 12: documented examples',
    { 'a.md': [null, `AKIAIOSFODNN7EXAMPLE\n${jwt}\npostgres://postgres:postgres@localhost/db\nAPI_KEY=your-key-here\n`] },
    [],
  ],
  [
    '§13 row 12: a fake key that the project allows',
    { 'test/fixture.txt': [null, `${token}\n`] },
    [],
    { secret_allow: [sha256(token).toUpperCase()] },
  ],
  ['a reference', { 'a.ts': [null, 'const token = process.env.GITHUB_TOKEN\nconst password = vault("db")\n'] }, []],
  ['a word in a test', { 'test/a.test.ts': [null, "login({ password: 'letmein', authorization: 'Bearer wrong' })\n"] }, []],
  ['a word that is a password', { 'src/a.ts': [null, "const password = 'opensesame'\n"] }, ['secret.in-diff src/a.ts:1']],
  ['a word that is none', { 'src/a.ts': [null, "const folders = { secrets: 'credentials' }\n"] }, []],
  ['a value that is put together', { 'src/a.ts': [null, 'const token = `run-${id}-${hour}`\n'] }, []],
  ['a binary without text', { 'a.png': [null, null] }, []],
]

describe('secret.in-diff', () => {
  test.each(ROWS)('%s', (_name, edit, expected, circumstances) => {
    expect(found(SECRET_RULES, factsOf(edit, circumstances))).toEqual(expected)
  })

  test('the value is never part of the finding', () => {
    const findings = SECRET_RULES.flatMap(rule => rule(factsOf({ 'a.ts': [null, `x = '${token}'`] })))
    expect(JSON.stringify(findings)).not.toContain(token.slice(4))
  })
})

test('a secret in what a run or a gate printed is asked about, and a canary is an error', () => {
  const output = (secret: boolean): KeptOutput => ({ text: '', bytes: 0, sha256: '', cut: false, secret })
  const run = { name: 'result', n: 2, stdout: output(false), stderr: output(true) } as RunFact
  const gate = { definition: { name: 'lint' }, output: output(true) } as ProofFacts['gates'][number]
  const facts = { ...factsOf({}), runs: [{ ...run, n: 1, stderr: output(false) }, run], gates: [gate], canaries: ['refs/heads/x'] }
  expect(SECRET_RULES.flatMap(rule => rule(facts)).map(({ id, severity, measured }) => [id, severity, measured])).toEqual([
    ['secret.in-output', 'review', 'run result 2, stderr'],
    ['secret.in-output', 'review', 'gate lint, output'],
    ['secret.canary', 'error', 'refs/heads/x'],
  ])
})
