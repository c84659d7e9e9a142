import { expect, test } from 'vitest'
import * as z from 'zod'
import { FINDINGS } from '../../src/proof/findings/catalogue.ts'
import type { Proof } from '../../src/proof/proof.ts'
import { PROOF_LIMITS } from '../../src/proof/report/limits.ts'
import { proofAsMarkdown } from '../../src/proof/report/markdown.ts'
import { checkForPerson, proofForPerson, type ReportPaint } from '../../src/proof/report/person.ts'
import { proofAsSarif } from '../../src/proof/report/sarif.ts'
import { desk, facts, gate, proofOf, run } from './attest-support.ts'

const [BASE, RESULT] = ['a', 'b'].map(letter => ({ commit: letter.repeat(40), tree: letter.repeat(40) })) as [Proof['base'], Proof['base']]

const plain = (text: string): string => text
const paint: ReportPaint = {
  bold: plain,
  dim: plain,
  good: plain,
  bad: plain,
  careful: plain,
  glyph: { ok: '✓', warn: '!', fail: '✗', bullet: '•', arrow: '→' },
  width: 80,
}

const ID = 'prf_01JK0000000000000000000000'
const SIGNED = { proof_id: ID, bundle: `.qed/proofs/${ID}`, attestation: { keyid: 'c'.repeat(64), file: 'x' } }

function proof(changes: Partial<Proof> = {}, measured: Parameters<typeof facts>[1] = {}): Proof {
  return proofOf(facts({ base: BASE, result: RESULT }, measured), { ...SIGNED, ...changes })
}

const REFUSED = proof(
  {
    verdict: 'not_proven',
    causes: ['verify', 'findings', 'review', 'gates'],
    findings: [
      { id: 'proc.left-running', severity: 'info', hint: 'The command left processes behind; they were ended.' },
      { id: 'blob.large', severity: 'review', path: 'big.bin', hint: 'Look at the large file, or own its exact path.' },
      {
        id: 'test.weakened',
        severity: 'error',
        path: 'test/sum.test.ts',
        line: 14,
        hint: 'Make the assertion as strict as it was.',
        measured: 'toBe → toBeTruthy',
      },
      { id: 'test.weakened', severity: 'error', path: 'test/sum.test.ts', line: 4, hint: 'Make the assertion as strict as it was.' },
      {
        id: 'code.stub',
        severity: 'review',
        path: 'src/a.ts',
        hint: 'x',
        accepted: { by: 'ann', role: 'person', at: 'now', reason: 'comes next' },
      },
    ],
  },
  {
    runs: [
      run({ name: 'base', tree: BASE.tree, exit: 1 }),
      run({ tree: RESULT.tree, exit: 1, tests: { ran: 4, passed: 2, failed: 1, skipped: 1 }, duration_ms: 1234 }),
    ],
    gates: [gate('codeaudit', { score: 60 })],
  },
)

test('a proven proof says so on its first line, then how, then where', () => {
  expect(proofForPerson(proof(), paint)).toBe(`✓ proven  red before, green after

Runs of npm test
  ✓ base    red  exit 1, 1 test, 12 ms
  ✓ result  green  exit 0, 1 test, 12 ms

Evidence .qed/proofs/${ID}
  signed by cccccccccccccccc for tree bbbbbbbbbbbb
  → to share it: git push <remote> refs/notes/qed
  → to check it: qed proof check bbbbbbbbbbbb

It shows that this command behaved so on this tree, here, then; docs/proof.md says what it does not show.`)
})

test('a refused proof says why on its first line, and names each finding by place with what to do', () => {
  expect(
    proofForPerson(REFUSED, paint).split('\n\nEvidence')[0],
  ).toBe(`✗ not proven  result is red and must be green; 2 findings against it; 1 finding for someone else to look at; not passed: codeaudit

Runs of npm test
  ✓ base       red  exit 1, 1 test, 12 ms
  ✗ result     red, must be green  exit 1, 4 tests, 1 failed, 1 skipped, 1.2 s
  ✗ codeaudit  60 of 100  needs 80

Findings
  ✗ error   test/sum.test.ts:4  test.weakened
      Make the assertion as strict as it was.
  ✗ error   test/sum.test.ts:14  test.weakened
      Make the assertion as strict as it was.
      measured: toBe → toBeTruthy
  ! review  big.bin  blob.large
      Look at the large file, or own its exact path.
  ✓ review  src/a.ts  code.stub
      accepted by ann: comes next
  • info    proc.left-running
      The command left processes behind; they were ended.`)
})

test('what could not be measured is not said to be wrong', () => {
  const [first] = proofForPerson(
    proof({ verdict: 'not_proven', causes: ['environment'] }, { runs: [run({ name: 'base', tree: BASE.tree, exit: 127 })] }),
    paint,
  ).split('\n')
  expect(first).toBe('! not proven  it could not be measured here, which says nothing about the work')
})

test('a hang that counts as red on the base is as it must be, and on the result it is not', () => {
  const hangs = [
    run({ name: 'base', tree: BASE.tree, exit: null, reason: 'timeout' }),
    run({ tree: RESULT.tree, exit: null, reason: 'timeout' }),
  ]
  const timed = proof({ verdict: 'not_proven', causes: ['verify'] }, { runs: hangs })
  timed.runs = timed.runs.map(one => ({ ...one, reason: 'timeout' }))
  expect(proofForPerson(timed, paint)).toContain('✓ base    red  timeout')
  expect(proofForPerson(timed, paint)).toContain('✗ result  red, must be green  timeout')
})

test('nothing of the work reaches the terminal as a control sequence', () => {
  const hostile = '\x1b]0;owned\x07\u202e\nx'
  const text = proofForPerson(
    proof({
      command: { ...proof().command, text: hostile },
      findings: [{ id: 'scope.clash', severity: 'error', path: hostile, hint: 'h', said: hostile, measured: hostile }],
    }),
    paint,
  )
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/)
  expect(text).toContain('\\x1b]0;owned\\x07\\u{202e}\\nx')
})

test('markdown has the verdict as its head, a row for each finding, how to check it, and what it does not show', () => {
  const text = proofAsMarkdown(REFUSED)
  expect(text.split('\n')[0]).toMatch(/^### ❌ Not proven: result is red and must be green/)
  expect(text).toContain('| error `test.weakened` | `test/sum.test.ts:4` | Make the assertion as strict as it was. |')
  expect(text).toContain('| ❌ result 1 | red | green | 1 | 4 tests, 1 failed, 1 skipped | 1.2 s |')
  expect(text).toContain(`git fetch <remote> refs/notes/qed:refs/notes/qed\nqed proof check ${RESULT.commit}`)
  for (const limit of PROOF_LIMITS) expect(text).toContain(limit)
  expect(proofAsMarkdown(proof()).split('\n')[0]).toBe('### ✅ Proven: red before, green after')
})

test('what a worker named cannot leave its cell, mention anyone or become a link', () => {
  const hostile = 'a`b|c\n\n# head @team [x](http://y) <img src=x> ``` |'
  const text = proofAsMarkdown(
    proof({
      gates: [{ name: hostile, score: 1, threshold: 2, passed: false }],
      findings: [{ id: 'scope.clash', severity: 'error', path: hostile, hint: 'h' }],
      verdict: 'not_proven',
      causes: ['gates'],
    }),
  )
  const row = text.split('\n').find(line => line.includes('scope.clash'))!
  expect(row.match(/(?<!\\)\|/g)).toHaveLength(4)
  expect(row).toContain('```` a`b\\|c\\n\\n# head @team [x](http://y) <img src=x> ``` \\| ````')
  expect(text.split('\n')[0]).not.toMatch(/(?<!\\)[@<[|]/)
})

const Text = z.strictObject({ text: z.string().min(1) })
const Uri = z.string().regex(/^(?!\/)[A-Za-z0-9\-._~!$&'()*+,;=:@/%]+$/)
const Location = z.strictObject({
  physicalLocation: z.strictObject({
    artifactLocation: z.strictObject({ uri: Uri, uriBaseId: z.string() }),
    region: z.strictObject({ startLine: z.int().min(1) }).optional(),
  }),
})
const Level = z.enum(['none', 'note', 'warning', 'error'])
// The parts of the published schema that are used here; it allows no others where it is strict.
const Sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          semanticVersion: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              name: z.string().regex(/^[A-Z][A-Za-z]+$/),
              shortDescription: Text,
              help: Text,
              defaultConfiguration: z.strictObject({ level: Level }),
            }),
          ),
        }),
      }),
      automationDetails: z.strictObject({ id: z.string() }),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      originalUriBaseIds: z.record(z.string(), z.strictObject({ description: Text })),
      invocations: z.array(
        z.strictObject({
          executionSuccessful: z.boolean(),
          commandLine: z.string(),
          startTimeUtc: z.iso.datetime(),
          endTimeUtc: z.iso.datetime(),
        }),
      ),
      properties: z.record(z.string(), z.unknown()),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(-1).optional(),
          level: Level,
          message: Text,
          locations: z.array(Location),
          partialFingerprints: z.record(z.string(), z.string()),
          suppressions: z
            .array(
              z.strictObject({
                kind: z.enum(['inSource', 'external']),
                status: z.enum(['accepted', 'underReview', 'rejected']),
                justification: z.string(),
              }),
            )
            .optional(),
        }),
      ),
    }),
  ),
})

test('SARIF has the shape of 2.1.0, every finding as a rule, and each result with level and place', () => {
  const sarif = Sarif.parse(proofAsSarif(REFUSED))
  const [{ tool, results, invocations }] = sarif.runs as [(typeof sarif.runs)[number]]
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(FINDINGS))
  expect(results.map(({ ruleId, level, locations }) => [ruleId, level, locations[0]?.physicalLocation])).toEqual([
    ['test.weakened', 'error', { artifactLocation: { uri: 'test/sum.test.ts', uriBaseId: 'PROJECTROOT' }, region: { startLine: 4 } }],
    ['test.weakened', 'error', { artifactLocation: { uri: 'test/sum.test.ts', uriBaseId: 'PROJECTROOT' }, region: { startLine: 14 } }],
    ['blob.large', 'warning', { artifactLocation: { uri: 'big.bin', uriBaseId: 'PROJECTROOT' } }],
    ['code.stub', 'warning', { artifactLocation: { uri: 'src/a.ts', uriBaseId: 'PROJECTROOT' } }],
    ['proc.left-running', 'note', undefined],
  ])
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex!]?.id).toBe(ruleId)
  expect(results[3]?.suppressions).toEqual([{ kind: 'external', status: 'accepted', justification: 'ann: comes next' }])
  expect(invocations[0]?.executionSuccessful).toBe(true)
})

test('SARIF takes any path and a finding that has no rule', () => {
  const findings = [
    { id: 'mine.own', severity: 'error' as const, path: 'a b/ü?#%.ts', hint: 'h' },
    { id: 'x', severity: 'info' as const, path: '\ud800', hint: 'h' },
  ]
  const { runs } = Sarif.parse(proofAsSarif(proof({ findings })))
  expect(runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('a%20b/%C3%BC%3F%23%25.ts')
  expect(runs[0]?.results[0]?.ruleIndex).toBeUndefined()
})

test('a check is told by its outcome first, a stale one with both trees and the paths', async () => {
  const { attest, check, ends, git } = desk()
  await attest()
  const { commit, tree } = ends()
  expect(checkForPerson(await check('HEAD'), paint).split('\n')[0]).toBe('✓ valid  it is proven, and signed by a key that is trusted here')
  const base = await git.line(['rev-parse', 'HEAD~1^{tree}'])
  const stale = checkForPerson(await check('.', {}, { capture: () => Promise.resolve({ tree: base }) }), paint)
  expect(stale).toContain(`✗ stale  tree ${tree} was proven, this is ${base}`)
  expect(stale).toContain(`proven  commit ${commit}  tree ${tree}`)
  expect(stale).toContain(`this    tree ${base}`)
  expect(stale).toContain('• src/sum.js')
})
