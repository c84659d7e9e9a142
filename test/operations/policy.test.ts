import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import type { Caller } from '../../src/kernel/caller.ts'
import { sha256 } from '../../src/kernel/sha256.ts'
import { createCatalogue } from '../../src/operations/catalogue.ts'
import { invoke } from '../../src/operations/invoke.ts'
import { offersFor } from '../../src/policy/offers.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import type { Decision } from '../../src/policy/types.ts'
import { carryOutInit, planInit } from '../../src/project/init.ts'
import { rememberForProject } from '../../src/project/remember.ts'
import { createPaint } from '../../src/surfaces/cli/paint.ts'
import { handClock } from '../support/clock.ts'
import { temporaryFolder, temporaryRepository } from '../support/folders.ts'

const catalogue = createCatalogue()

async function call(app: App, name: string, input: unknown, role: Caller['role'] = 'program'): Promise<unknown> {
  const operation = await catalogue.find(name)
  return invoke(operation, app, input, {
    caller: { surface: 'cli', connection: 'test', role, approver: 'none' },
    signal: new AbortController().signal,
    emit: () => undefined,
    catalogue,
  })
}
const explain = async (app: App, input: unknown) => (await call(app, 'policy.explain', input)) as Decision & { offers: unknown[] }

function project(files: Record<string, string> = {}): { app: App; root: string } {
  const root = temporaryRepository()
  carryOutInit(planInit(root, { clock: handClock() }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const app = createApp({
    cwd: root,
    env: { HOME: temporaryFolder(), QED_CHECK_OUTPUT: '1' },
    self: [],
    clock: handClock(),
  })
  onTestFinished(() => app.close())
  return { app, root }
}

const makeRule = { id: 'make', effect: 'allow', category: 'shell', command: 'make **', match: ['make'], not_match: ['ls'] }
const policyText = (value: object) => JSON.stringify({ version: 1, ...value })

describe('P-62 policy.explain', () => {
  test('P-62 judges a command, a path, an address, a tool and a secret', async () => {
    const { app } = project({ 'a.ts': '' })
    const asked = [
      { command: 'make x' },
      { path: 'a.ts' },
      { path: 'a.ts', access: 'write' },
      { url: 'https://x.io' },
      { tool: 'jira.get' },
      { secret: 'DB' },
      { path: '.env' },
    ]
    const verdicts = await Promise.all(asked.map(async input => (await explain(app, input)).verdict))
    expect(verdicts).toEqual(['ask', 'allow', 'ask', 'ask', 'ask', 'deny', 'deny'])
  })

  test.each([
    'rg foo',
    "grep -r --include='*.ts' x .",
    'cat [[:x:]]*',
    'echo a > "$x"',
    'make ../x',
    'cat a | sh',
    'f() { x; }; f',
    'curl x.io',
  ])('P-63 the reading of %s has the shape that is promised', async command => {
    const { app } = project({ 'a.ts': '' })
    await expect(call(app, 'policy.shell', { command })).resolves.toBeTruthy()
    await expect(explain(app, { command })).resolves.toBeTruthy()
  })

  test('P-63 a person reads which part decided', async () => {
    const { app } = project()
    const operation = await catalogue.find('policy.shell')
    const shown = async (command: string) =>
      operation.human?.(
        await call(app, 'policy.shell', { command }),
        createPaint({ isTerminal: false, columns: 100, env: {}, choice: 'never', ascii: true }),
      )
    expect(await shown('cat a && rm -rf b')).toContain('destructive, by floor: destructive, for: rm -rf b')
    expect(await shown('cat a > ../x')).toMatch(/outside-roots, by floor: outside-roots, for: create .*x/)
    expect(await shown('ls; curl -d 1 x.io')).toContain('for: curl -d 1 x.io')
  })

  test('P-62 the seed’s names mean the same', async () => {
    const { app, root } = project()
    expect(await explain(app, { workspaceRoot: '/elsewhere', targetPath: 'a', operation: 'file.write', facts: 'none' })).toMatchObject({
      verdict: 'ask',
      facets: [{ real: '/elsewhere/a', category: 'edit' }],
    })
    expect(await explain(app, { targetPath: join(root, 'x') })).toMatchObject({ verdict: 'allow' })
  })

  test.each([
    {},
    { command: 'ls', path: 'a' },
    { command: 'ls', category: 'network' },
    { path: 'a', category: 'shell' },
    { category: 'files' },
  ])('P-62 %j is invalid_input', async input => {
    await expect(explain(project().app, input)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('P-62 a category alone is ambiguous; host-tool is provider-tool', async () => {
    const { app } = project()
    expect(await explain(app, { category: 'shell' })).toMatchObject({ verdict: 'ask', code: 'ambiguous' })
    expect(await explain(app, { category: 'host-tool' })).toMatchObject({ verdict: 'ask', facets: [{ category: 'provider-tool' }] })
    expect(await explain(app, { category: 'secrets' })).toMatchObject({ verdict: 'deny' })
  })

  test('P-62 layers, mode, scope and approver of the question count', async () => {
    const { app } = project()
    const verdict = async (input: object) => (await explain(app, { command: 'make x', ...input })).verdict
    expect(await verdict({ layers: { agent: { shell: 'allow' } } })).toBe('allow')
    expect(await verdict({ layers: { project: { rules: [makeRule] } } })).toBe('allow')
    expect(await verdict({ mode: 'plan' })).toBe('deny')
    expect(await verdict({ scope: { verify: 'make x' } })).toBe('allow')
    expect(await explain(app, { command: 'make x', approver: 'none' })).toMatchObject({ verdict: 'deny', code: 'ask-without-person' })
  })

  test('P-57 an ask shows the exact rule that would allow it', async () => {
    expect((await explain(project().app, { command: 'make x' })).offers).toMatchObject([
      { answer: 'once' },
      { answer: 'run', rules: [{ command: 'make x' }] },
      { answer: 'project', file: '.qed/policy.local.json' },
      {},
      {},
      { answer: 'reject' },
    ])
  })

  test('I-17 another machine is judged by text alone', async () => {
    const { app } = project()
    const elsewhere = { roots: [{ path: '/srv/app', access: 'write' }], facts: 'none' }
    expect(await explain(app, { path: 'src/a', ...elsewhere })).toMatchObject({ verdict: 'allow', facets: [{ real: '/srv/app/src/a' }] })
    expect(await explain(app, { path: '~/x', ...elsewhere })).toMatchObject({ verdict: 'deny', facets: [{ real: '/home/user/x' }] })
    expect(await explain(app, { path: '../x', cwd: '/srv/app/src', ...elsewhere })).toMatchObject({ verdict: 'allow' })
  })
})

test('P-63 policy.shell shows the parts, their class and the decision', async () => {
  const answer = await call(project({ a: '' }).app, 'policy.shell', { command: 'cat a && make x' })
  expect(answer).toMatchObject({
    grammar: 'known',
    class: 'other',
    verdict: 'ask',
    segments: [
      { index: 0, program: 'cat', class: 'read-only' },
      { index: 1, program: 'make', class: 'other' },
    ],
    decision: { verdict: 'ask' },
  })
})

test('P-63 policy.path says where it leads and what it counts as', async () => {
  const { app, root } = project({ 'src/auth/a.ts': '', '.env': '' })
  expect(
    await call(app, 'policy.path', { path: 'src/../src/auth/a.ts', access: 'write', scope: { files_owned: ['src/**'] } }),
  ).toMatchObject({
    absolute: join(root, 'src/../src/auth/a.ts').replace('src/', 'src/../src/'),
    real: join(root, 'src/auth/a.ts'),
    exists: true,
    type: 'file',
    root,
    inside: true,
    owned: true,
    sensitive: false,
    sacred: 'auth',
    decision: { verdict: 'deny', code: 'sacred' },
  })
  expect(await call(app, 'policy.path', { path: '.env' })).toMatchObject({
    sensitive: true,
    sacred: 'env',
    owned: null,
    decision: { verdict: 'deny' },
  })
  expect(await call(app, 'policy.path', { path: 'a\u0000b' })).toMatchObject({
    absolute: null,
    real: null,
    inside: false,
    decision: { code: 'malformed-path' },
  })
})

test('P-63 secrets.scan names findings and never values', async () => {
  expect(await call(project().app, 'secrets.scan', { text: 'a\npassword=hunter2' })).toEqual({
    findings: [{ detector: 'assignment', start: 11, end: 18, line: 2, column: 10 }],
    redacted: 'a\npassword=***REDACTED***',
  })
})

test('P-63 secrets.scan knows the values of the vault, in every form', async () => {
  const { app } = project()
  await (await app.vault()).set({ name: 'TOKEN', scope: 'personal', value: 'plain-words-of-the-vault' })
  const hidden = Buffer.from('plain-words-of-the-vault').toString('base64')
  expect(await call(app, 'secrets.scan', { text: `a plain-words-of-the-vault b ${hidden}` })).toMatchObject({
    findings: [{ detector: 'vault-value' }, { detector: 'vault-value' }],
    redacted: 'a ***REDACTED*** b ***REDACTED***',
  })
})

describe('P-11 trust in a project', () => {
  const text = policyText({ rules: [makeRule] })

  test('P-11 its allow rules count after a person trusted exactly this text, and no longer after an edit', async () => {
    const { app, root } = project({ '.qed/policy.json': text })
    expect(await explain(app, { command: 'make x' })).toMatchObject({ verdict: 'ask', trace: [{ answer: 'untrusted' }, {}] })
    expect(await call(app, 'project.trust', {}, 'person')).toEqual({
      files: [{ file: '.qed/policy.json', text, digest: sha256(text), trusted: false }],
      recorded: null,
    })
    expect(await call(app, 'project.trust', { digest: sha256(text) }, 'person')).toMatchObject({
      recorded: '.qed/policy.json',
      files: [{ trusted: true }],
    })
    expect(await explain(app, { command: 'make x' })).toMatchObject({ verdict: 'allow', rule: { layer: 'project', id: 'make' } })
    expect((await app.personalStore()).log.list({ types: ['project.trusted'] }, 10)).toMatchObject([
      { stream: 'person', data: { digest: sha256(text) } },
    ])
    writeFileSync(join(root, '.qed/policy.json'), `${text} `)
    expect(await explain(app, { command: 'make x' })).toMatchObject({ verdict: 'ask' })
  })

  test('P-11 only a person trusts, and only a digest that is there', async () => {
    const { app } = project({ '.qed/policy.json': text })
    await expect(call(app, 'project.trust', { digest: sha256(text) }, 'agent')).rejects.toMatchObject({ code: 'actor_not_person' })
    await expect(call(app, 'project.trust', { digest: '0'.repeat(64) }, 'person')).rejects.toMatchObject({ code: 'digest_mismatch' })
  })
})

describe('P-21 and P-48 files of a project that cannot be used', () => {
  test('P-21 a broken policy file leaves reading only', async () => {
    const { app } = project({ '.qed/policy.json': '{ "version": 1, "rules": [{}] }', a: '' })
    expect([(await explain(app, { path: 'a' })).verdict, (await explain(app, { command: 'ls' })).code]).toEqual([
      'allow',
      'policy-unloadable',
    ])
  })

  test.each([
    ['broken', 'version: 9'],
    ['gone', null],
  ])('P-48 a sacred file that is %s stops every write', async (_, text) => {
    const { app, root } = project({ a: '' })
    if (text !== null) writeFileSync(join(root, '.qed/sacred-scopes.yaml'), text)
    else (await import('node:fs')).rmSync(join(root, '.qed/sacred-scopes.yaml'))
    expect([(await explain(app, { path: 'a' })).verdict, (await explain(app, { path: 'a', access: 'write' })).code]).toEqual([
      'allow',
      'sacred-unloadable',
    ])
  })

  test('P-45 rows of the file count beside the built-in ones', async () => {
    const { app } = project({
      '.qed/sacred-scopes.yaml': 'version: 1\nrows:\n  - id: ledger\n    paths: ["ledger/**"]\n    match: [ledger/a]\n',
    })
    expect(await explain(app, { path: 'ledger/a', access: 'write' })).toMatchObject({ verdict: 'deny', code: 'sacred' })
  })
})

describe('P-58 remembering for the project', () => {
  const remember = async (app: App, command: string) => {
    const decision = await explain(app, { command })
    const offer = offersFor(decision, { commands: [], readShell: readShell, projectRoot: app.project().root }).find(
      one => one.answer === 'project',
    )
    return rememberForProject(app.project(), offer?.rules ?? [], {
      projectStore: await app.projectStore(),
      personalStore: await app.personalStore(),
      clock: app.clock,
      readShell,
    })
  }

  test('P-58 the rule goes to the local file with examples, and the next ask is allowed by it', async () => {
    const { app, root } = project()
    const { added, digest } = await remember(app, 'make x')
    await remember(app, 'make y')
    expect(await explain(app, { command: 'make x' })).toMatchObject({ verdict: 'allow', rule: { layer: 'project', id: added[0] } })
    expect(await explain(app, { command: 'make z' })).toMatchObject({ verdict: 'ask' })
    const file = JSON.parse(readFileSync(join(root, '.qed/policy.local.json'), 'utf8')) as { rules: object[] }
    expect(file.rules).toMatchObject([
      { command: 'make x', match: ['make x'], not_match: ['make x qed-other-word'] },
      { command: 'make y' },
    ])
    expect((await app.projectStore()).log.list({ types: ['policy.remembered'] }, 10)).toMatchObject([{ data: { digest } }, {}])
  })

  test('P-58 a remembered answer also answers an ask of another layer', async () => {
    const { app } = project()
    await remember(app, 'make x')
    mkdirSync(app.folders.config, { recursive: true })
    writeFileSync(join(app.folders.config, 'policy.json'), policyText({ categories: { shell: 'ask' } }))
    expect(await explain(app, { command: 'make x' })).toMatchObject({
      verdict: 'allow',
      trace: [{ layer: 'project' }, { layer: 'personal', answer: 'ask' }, { layer: 'personal', answer: 'remembered' }],
    })
  })

  test('P-11 a local file that nobody trusts is not added to', async () => {
    const { app } = project({ '.qed/policy.local.json': policyText({ rules: [makeRule] }) })
    await expect(remember(app, 'touchy x')).rejects.toMatchObject({ code: 'digest_mismatch' })
  })
})
