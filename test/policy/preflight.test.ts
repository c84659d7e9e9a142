import { describe, expect, test } from 'vitest'
import { decide, operationDigest } from '../../src/policy/decide.ts'
import { checkGitRead, GIT_READ_ENVIRONMENT, gitReadCommand, gitReadEnvironment } from '../../src/policy/git-read.ts'
import { exactRule, offersFor } from '../../src/policy/offers.ts'
import { ADVISOR_CAPS, exceededCap } from '../../src/policy/profiles.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { loadPolicyValue } from '../../src/policy/rules/load.ts'
import { PREFLIGHT_STEPS, type PreflightRecord } from '../../src/policy/types.ts'
import { facts, inBrief, layers, operation, path, remembered, shell } from '../support/policy.ts'

const command = 'git push -f origin main'
const digest = operationDigest(shell(command))
const complete: PreflightRecord = {
  operation_digest: digest,
  steps: PREFLIGHT_STEPS.slice(0, 5).map(step => ({ step, digest })),
  dry_run: { command: 'git log origin/main', output_path: 'x', exit: 0 },
  blast_radius: 'main of origin moves by one commit',
  listed_as: ['git push -f origin main'],
  backup: { kind: 'git-ref', path: 'refs/qed/backups/1', sha256: 'a', restore_command: 'git push', restored_sha256: 'a' },
}
const push = (preflight: PreflightRecord | undefined, destructive = ['git push -f origin *'], asked = command) =>
  decide(shell(asked, { context: inBrief({ destructive }, preflight && { preflight }) }), layers(), readShell)
const answer = (...args: Parameters<typeof push>) => `${push(...args).verdict} ${push(...args).code}`

describe('P-49 … P-51 what destroys inside a brief', () => {
  test('P-50 all steps in order, listed and backed up: allowed', () => {
    // The push itself; where it goes is a question of its own.
    expect(push(complete).facets.map(({ category, verdict, rule }) => [category, verdict, rule.id])).toEqual([
      ['git', 'allow', 'destructive'],
      ['network', 'ask', 'ask'],
    ])
  })

  test('P-9 a destructive command that the brief does not list is denied', () => {
    expect(answer(complete, [])).toBe('deny destructive-unlisted')
    expect(answer(complete, ['git push -f origin other'])).toBe('deny destructive-unlisted')
  })

  test('P-50 every destructive segment needs its entry', () => {
    expect(
      answer(
        { ...complete, operation_digest: operationDigest(shell(`${command} && rm -r build`)) },
        undefined,
        `${command} && rm -r build`,
      ),
    ).toBe('deny destructive-unlisted')
  })

  test.each<[string, PreflightRecord | undefined]>([
    ['nothing was prepared', undefined],
    ...complete.steps.map(
      (_, i) =>
        [`the step ${complete.steps[i]?.step} is missing`, { ...complete, steps: complete.steps.toSpliced(i, 1) }] as [
          string,
          PreflightRecord,
        ],
    ),
    ['two steps are swapped', { ...complete, steps: [complete.steps[1]!, complete.steps[0]!, ...complete.steps.slice(2)] }],
    ['a step is about another operation', { ...complete, steps: complete.steps.with(2, { step: 'blast-stated', digest: 'other' }) }],
    ['the record is about another operation', { ...complete, operation_digest: 'other' }],
    ['it was executed already', { ...complete, steps: [...complete.steps, { step: 'executed', digest }] }],
    ['the dry run destroys', { ...complete, dry_run: { command: 'rm -r build', output_path: 'x', exit: 0 } }],
    ['the dry run cannot be read', { ...complete, dry_run: { command: 'f() { x; }', output_path: 'x', exit: 0 } }],
    ['the dry run failed', { ...complete, dry_run: { command: 'ls', output_path: 'x', exit: 1 } }],
    ['nothing says what is lost', { ...complete, blast_radius: '' }],
    ['what is lost takes two lines', { ...complete, blast_radius: 'a\nb' }],
    ['the backup does not restore', { ...complete, backup: { ...complete.backup!, restored_sha256: 'b' } }],
  ])('P-51 denied when %s', (_, record) => {
    expect(answer(record)).toBe('deny preflight-incomplete')
  })

  test('P-35 a catastrophe is denied however it was prepared', () => {
    expect(answer(complete, ['rm -rf /'], 'rm -rf /')).toBe('deny catastrophic')
  })
})

describe('P-53 git_read', () => {
  test.each([
    'status --short --branch',
    'diff --stat HEAD~1',
    'show HEAD',
    'log -n 5 --oneline --since=yesterday -- src',
    'blame -L10,20 a.ts',
    'rev-parse --show-toplevel',
    'branch --show-current',
    'log -U3 -p',
  ])('P-53 takes %s', line => {
    expect(checkGitRead(line.split(' '))).toBeNull()
  })

  test.each([
    'push',
    'branch -D x',
    'branch',
    'log --output=x',
    'diff --ext-diff',
    'diff --no-index a b',
    'log -c core.pager=x',
    'show --textconv',
    'log --format=%G?',
    'log -Ofile',
    '-C /x log',
    'log -sb',
    '',
  ])('P-53 refuses %j', line => {
    expect(checkGitRead(line.split(' '))).not.toBeNull()
  })

  test('P-53 words after -- are paths, whatever they look like', () => {
    expect(checkGitRead(['log', '--', '--output=x'])).toBeNull()
  })

  test('P-53 runs git so that it starts nothing else', () => {
    expect(gitReadCommand(['diff', '--stat'])).toEqual([
      'git',
      '--no-pager',
      '-c',
      'core.fsmonitor=false',
      '-c',
      'core.hooksPath=/dev/null',
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--stat',
    ])
    expect(gitReadEnvironment({ PATH: '/bin', GIT_DIR: '/x', NONE: undefined })).toEqual({ PATH: '/bin', ...GIT_READ_ENVIRONMENT })
  })
})

test('P-54 one more than a cap is volume-cap', () => {
  expect(exceededCap({ tool_calls: 10, files: 8, bytes: ADVISOR_CAPS.bytes })).toBeNull()
  expect(exceededCap({ files: 9 })).toEqual({ code: 'volume-cap', cap: 'files', limit: 8 })
})

describe('P-57 offers', () => {
  const over = { commands: ['make test', 'make deploy now', 'ls'], readShell: readShell, projectRoot: '/p' }
  const offers = (asked: Parameters<typeof decide>[0]) => offersFor(decide(asked, layers(), readShell), over)

  test('P-57 once, this run, this project, reject; the exact rule first and a wider one with what it would newly allow', () => {
    const exact = {
      effect: 'allow',
      category: 'shell',
      reason: 'answered by a person',
      command: 'make test all',
      match: ['make test all'],
      not_match: ['make test all qed-other-word'],
      id: expect.stringMatching(/^remembered-/),
    }
    const wide = {
      effect: 'allow',
      category: 'shell',
      reason: 'answered by a person',
      command: 'make test **',
      match: ['make test', 'make test all'],
      not_match: ['make', 'make test && qed-other-word'],
      id: expect.stringMatching(/^remembered-/),
    }
    expect(offers(shell('make test all'))).toEqual([
      { answer: 'once' },
      { answer: 'run', rules: [exact] },
      { answer: 'project', rules: [exact], file: '.qed/policy.local.json' },
      { answer: 'run', rules: [wide], would_newly_allow: ['make test'] },
      { answer: 'project', rules: [wide], file: '.qed/policy.local.json', would_newly_allow: ['make test'] },
      { answer: 'reject' },
    ])
  })

  test('P-57 three words for npm run, and nothing wider for options or code', () => {
    const widest = (line: string) => offers(shell(line)).find(offer => offer.would_newly_allow)?.rules?.[0]?.command
    expect([widest('npm run build x'), widest('make -j4 x'), widest('make x &')]).toEqual(['npm run build **', undefined, undefined])
  })

  test('P-58 what is flagged is offered once or not at all', () => {
    expect(offers(shell('sudo make x'))).toEqual([{ answer: 'once' }, { answer: 'reject' }])
    expect(offers(path('/x'))).toEqual([])
  })

  test.each([
    shell('make x'),
    path('src/a[1].ts', 'write'),
    operation({ verb: 'net.get', url: 'https://x.io/a' }),
    operation({ verb: 'tool.call', tool: 'jira.get' }),
    operation({ verb: 'memory.save' }),
    operation({ verb: 'process.exec', argv: ['make', 'a b', '*'] }),
  ])('P-58 the exact rule of %# loads, allows the same again and nothing beside it', asked => {
    const decision = decide(asked, layers(), readShell)
    const rules = decision.facets.filter(facet => facet.verdict === 'ask').map(facet => exactRule(facet, '/p')!)
    expect(rules.length).toBeGreaterThan(0)
    expect(loadPolicyValue({ version: 1, rules }, readShell)).toMatchObject({ kind: 'loaded' })
    const allowing = layers({ remembered: rules.map(remembered) })
    expect(decide(asked, allowing, readShell).verdict).toBe('allow')
    expect(decide(path('src/a1.ts', 'write'), allowing, readShell).verdict).toBe('ask')
    expect(decide(shell('make x y'), allowing, readShell).verdict).toBe('ask')
  })

  test('P-56 with nobody there the same rules are offered', () => {
    const headless = shell('make x', { facts: facts(), context: { mode: 'act', surface: 'cli', approver: 'none' } })
    expect(offers(headless).map(offer => offer.answer)).toEqual(['once', 'run', 'project', 'run', 'project', 'reject'])
  })
})
