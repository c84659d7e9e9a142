import { describe, expect, test } from 'vitest'
import { decide } from '../../src/policy/decide.ts'
import type { PolicyLayers } from '../../src/policy/layers/layer.ts'
import { exactRule, offersFor } from '../../src/policy/offers.ts'
import { compileSacred } from '../../src/policy/paths/sacred.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { loadPolicyValue } from '../../src/policy/rules/load.ts'
import type { PolicyOperation } from '../../src/policy/types.ts'
import { textFacts } from '../../src/sandbox/facts.ts'
import { agentLayers, context, facts, inBrief, layers, path, remembered, shell, source } from '../support/policy.ts'

const answer = (asked: PolicyOperation, over: PolicyLayers = layers()) => {
  const { verdict, code, rule } = decide(asked, over, readShell)
  return `${verdict} ${code} ${rule.layer}:${rule.id}`
}

describe('a command whose host nobody can name', () => {
  test('P-10 is allowed by the pattern of a brief that spells the command', () => {
    const pushing = inBrief({ allow_commands: ['git push origin *'] })
    expect(answer(shell('git push origin main', { context: pushing }))).toBe('allow rule brief:allow_commands')
    expect(answer(shell('git push elsewhere main', { context: pushing }))).toBe('ask default defaults:ask')
    expect(answer(shell('git push https://x.io/a main', { context: inBrief({ allow_commands: ['git push **'] }) }))).toBe(
      'ask default defaults:ask',
    )
    expect(answer(shell('git push -f origin main', { context: inBrief({ allow_commands: ['git push **'] }) }))).toBe(
      'deny destructive-unlisted floor:destructive-unlisted',
    )
  })

  test('P-14 is allowed by a network rule that names the command', () => {
    const command = 'git push origin *'
    const examples = { match: ['git push origin main'], not_match: ['git push other main'] }
    const rules = (['git', 'network'] as const).map(category => ({
      id: `push-${category}`,
      effect: 'allow',
      category,
      command,
      ...examples,
    }))
    const over = layers({ project: [source({ version: 1, rules })] })
    expect(answer(shell('git push origin main'), over)).toBe('allow rule project:push-git')
    expect(answer(shell('git push other main'), over)).toBe('ask default defaults:ask')
  })

  test('P-57 is offered word for word, and the kept rules allow just that', () => {
    const decision = decide(shell('git push origin main'), layers(), readShell)
    const [, kept] = offersFor(decision, { commands: [], readShell, projectRoot: '/p' })
    const rules = kept?.rules ?? []
    expect(rules.map(({ category, command }) => ({ category, command }))).toEqual([
      { category: 'git', command: 'git push origin main' },
      { category: 'network', command: 'git push origin main' },
    ])
    expect(loadPolicyValue({ version: 1, rules }, readShell)).toMatchObject({ kind: 'loaded' })
    const over = layers({ remembered: rules.map(remembered) })
    expect(decide(shell('git push origin main'), over, readShell).verdict).toBe('allow')
    expect(decide(shell('git push origin other'), over, readShell).verdict).toBe('ask')
    expect(decide(shell('git push other main'), over, readShell).verdict).toBe('ask')
  })
})

describe('what is kept is never wider than what was asked', () => {
  test('P-57 the answer to a fetch does not allow a send', () => {
    const fetching = decide(shell('curl https://x.io/a'), layers(), readShell)
    const [, kept] = offersFor(fetching, { commands: [], readShell, projectRoot: '/p' })
    const over = layers({ ...agentLayers({ shell: 'allow' }), remembered: (kept?.rules ?? []).map(remembered) })
    const as = context({ agent: 'coder' })
    expect(decide(shell('curl https://x.io/b', { context: as }), over, readShell).verdict).toBe('allow')
    expect(decide(shell('curl -d a=1 https://x.io/b', { context: as }), over, readShell).verdict).toBe('ask')
  })

  test('P-57 a name with braces cannot be spelled as a pattern, so nothing is kept', () => {
    const [facet] = decide(path('src/{a,b}.ts', 'write'), layers(), readShell).facets
    expect(facet && exactRule(facet, '/p')).toBeNull()
  })
})

describe('hosts in any spelling', () => {
  const denying = layers({
    ...agentLayers({ shell: 'allow', network: 'allow' }),
    project: [
      source({
        version: 1,
        rules: [{ id: 'no', effect: 'deny', category: 'network', host: ['evil.io', '127.0.0.1'], match: ['evil.io'] }],
      }),
    ],
  })
  test.each(['evil.io', 'EVIL.io.', 'ｅｖｉｌ.io', 'http://2130706433/', 'http://0x7f.1/', 'http://127.1:8080/', 'u@evil.io'])(
    'P-18 %s is the host that a rule denies',
    address => {
      expect(decide(shell(`curl '${address}'`, { context: context({ agent: 'coder' }) }), denying, readShell)).toMatchObject({
        verdict: 'deny',
        rule: { layer: 'project', id: 'no' },
      })
    },
  )
})

describe('secret files below a folder', () => {
  const known = facts({ sensitiveBelow: { '/p/node_modules': ['/p/node_modules/x/test.pem'], '/p/keys': ['/p/keys/a.pem'] } })
  test('P-9 a folder that holds some can be deleted when a person says so', () => {
    expect(answer(shell('rm -rf node_modules', { facts: known }))).toBe('ask destructive floor:destructive')
  })

  test('P-43 it cannot be moved or copied to where its files have another name', () => {
    const folders = { '/p/keys': { real: '/p/keys', exists: true, type: 'folder' as const, device: 1, inode: 1, links: 1 } }
    const here = facts({ ...known, paths: folders })
    expect(answer(shell('mv keys pub', { facts: here }))).toBe('deny secret floor:secret')
    expect(answer(shell('cp -r keys pub', { facts: here }))).toBe('deny secret floor:secret')
  })
})

test.each([
  ['tar czf out.tgz .', 'deny'],
  ['tar czf out.tgz --exclude=.env --exclude=keys .', 'ask'],
  ['rsync -a . out/', 'deny'],
  ['rsync -a --exclude .env --exclude=keys . out/', 'ask'],
  ['rsync -a --exclude /keys/a.pem . out/', 'deny'],
])('P-43 packing and copying a folder with secret files: %s: %s', (command, verdict) => {
  const known = facts({ sensitiveBelow: { '/p': ['/p/.env', '/p/keys/a.pem'] } })
  expect(decide(shell(command, { facts: known }), layers(), readShell).verdict).toBe(verdict)
})

describe('what a change of a whole folder takes along', () => {
  const folder = (real: string) => ({ real, exists: true, type: 'folder' as const, device: 1, inode: 1, links: 1 })
  const known = facts({
    paths: Object.fromEntries(['/p/src', '/p/vendor', '/p/docs', '/p/infra', '/p/huge'].map(path => [path, folder(path)])),
    below: {
      '/p/src': ['/p/src/a.ts', '/p/src/auth', '/p/src/auth/login.ts'],
      '/p/vendor': ['/p/vendor/x', '/p/vendor/x/.git'],
      '/p/docs': ['/p/docs/a.md'],
      '/p/infra': ['/p/infra/prod', '/p/infra/prod/main.tf', '/p/infra/keep.txt'],
      '/p/huge': 'too-many',
    },
  })
  const everything = inBrief({ files_owned: ['**'], destructive: ['rm **'] })

  test.each([
    ['mv src lib', 'ask sacred floor:sacred:auth'],
    ['ln -s src lib', 'ask sacred floor:sacred:auth'],
    ['chmod -R u+w src', 'ask sacred floor:sacred:auth'],
    ['chown -R me src', 'ask sacred floor:sacred:auth'],
    ['rsync -a docs/ src', 'ask sacred floor:sacred:auth'],
    ['mv vendor old', 'deny self-protection floor:self-protection'],
    ['rm -rf vendor', 'deny self-protection floor:self-protection'],
    ['cp -r docs/. vendor', 'deny self-protection floor:self-protection'],
    ['chgrp -R me vendor', 'deny self-protection floor:self-protection'],
    ['mv huge large', 'ask ambiguous floor:ambiguous'],
    ['mv docs texts', 'ask default defaults:ask'],
    ['cp -r src lib', 'ask default defaults:ask'],
    ['chmod u+w src', 'ask default defaults:ask'],
  ])('P-9, P-46 %s: %s', (command, expected) => {
    expect(answer(shell(command, { facts: known }))).toBe(expected)
  })

  test.each([
    ['mv src lib', 'deny sacred floor:sacred:auth'],
    ['mv docs texts', 'allow default defaults:file-effect'],
    ['mv infra i2', 'deny sacred floor:sacred:prod'],
  ])('P-45 inside a brief that owns everything, %s: %s', (command, expected) => {
    const row = compileSacred({ id: 'prod', paths: ['infra/prod/**'], unlock: 'nobody', match: [], not_match: [] })
    expect(answer(shell(command, { facts: known, context: everything }), layers({ sacred: [row] }))).toBe(expected)
  })

  test('P-44 names that a layer added count below a folder too, and excepted ones do not', () => {
    const added = layers({ project: [source({ version: 1, sensitive: ['infra/keep.txt'], rules: [] })] })
    expect(answer(shell('mv infra i2', { facts: known }), added)).toBe('deny secret floor:secret')
    expect(answer(shell('grep -r x infra', { facts: known }), added)).toBe('deny secret floor:secret')
    expect(answer(shell('grep -r x infra', { facts: known }))).toBe('allow default defaults:read-only')
    const one = facts({ sensitiveBelow: { '/p/keys': ['/p/keys/a.pem'] } })
    expect(answer(shell('grep -r x keys', { facts: one }), layers({ sensitiveExcept: ['/p/keys/a.pem'] }))).toBe(
      'allow default defaults:read-only',
    )
  })
})

describe('ordinary clean-ups', () => {
  test.each([
    "find . -name '*.pyc' -delete",
    "find . -name '*.o' -exec rm {} +",
    "find . -name '*.tmp' -print0 | xargs -0 rm -f",
    'git ls-files -d | xargs rm',
    "find . -not -path './.git/*' -name '*.orig' -delete",
  ])('P-35 %s is for a person to answer', command => {
    expect(decide(shell(command), layers(), readShell)).toMatchObject({ verdict: 'ask', code: 'destructive' })
  })

  test.each(['find . -delete', 'find . -exec rm -rf {} +', 'find . | xargs rm -rf', "find . -path './.git/*' -delete"])(
    'P-9 %s takes the folders of git and QED with it',
    command => {
      expect(decide(shell(command), layers(), readShell).verdict).toBe('deny')
    },
  )

  test('P-10 taking a file off the stage changes no file', () => {
    const over = inBrief({ allow_commands: ['git restore **'] })
    expect(answer(shell('git restore --staged lib/a.ts', { context: over }))).toBe('allow rule brief:allow_commands')
  })
})

describe('P-31 what a search passes over by itself', () => {
  const below = { '/p': ['/p/certs/a.pem', '/p/keys/b.pem'] }
  const known = facts({ sensitiveBelow: below, ignoredBelow: { '/p': ['/p/certs/a.pem', '/p/keys/b.pem'] } })
  test.each([
    ['rg foo', 'allow'],
    ['rg --no-ignore foo', 'deny'],
    ['rg -u foo', 'deny'],
    ['rg --no-ignore-vcs foo', 'deny'],
    ['rg --files', 'allow'],
    ['rg -u --files', 'allow'],
    ['grep -r foo .', 'deny'],
  ])('P-31 %s over ignored secrets is %s', (command, verdict) => {
    expect(decide(shell(command, { facts: known }), layers(), readShell).verdict).toBe(verdict)
  })

  test('P-31 one secret that is not ignored refuses the search', () => {
    const some = facts({ sensitiveBelow: below, ignoredBelow: { '/p': ['/p/certs/a.pem'] } })
    expect(decide(shell('rg foo', { facts: some }), layers(), readShell)).toMatchObject({ verdict: 'deny', code: 'secret' })
  })
})

test.each([
  ['cat .e*', 'ask'],
  ['cat .env?local', 'ask'],
  ['cat id_r[s]a', 'ask'],
  ['cat *.ts', 'allow'],
  ['ls src/*', 'allow'],
  ['cat *.pem', 'deny'],
])('I-17 without looking anything up, %s is for %s', (command, verdict) => {
  const known = textFacts({ roots: [{ path: '/p', access: 'write' }], home: '/home/user', tmp: '/tmp' })
  expect(decide(shell(command, { facts: known }), layers(), readShell).verdict).toBe(verdict)
})
