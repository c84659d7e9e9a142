import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/policy/decide.ts'
import { MALFORMED_FORMS, malformed } from '../../src/policy/paths/malformed.ts'
import { changedManifestKeys, changesDependencies } from '../../src/policy/paths/manifest.ts'
import { foldName, isWithin } from '../../src/policy/paths/names.ts'
import { type Entry, resolveReal } from '../../src/policy/paths/resolve-real.ts'
import { builtInSacred, SACRED_ROWS } from '../../src/policy/paths/sacred.ts'
import { SENSITIVE_ROWS, sensitivityOf } from '../../src/policy/paths/sensitive.ts'
import { expandBraces } from '../../src/policy/patterns/braces.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { everythingBelow, expandGlob, ignoresCase, pathFact, realFacts, sensitiveBelow } from '../../src/sandbox/facts.ts'
import { temporaryFolder, temporaryRepository } from '../support/folders.ts'
import { context, facts, inBrief, layers, path, shell, source } from '../support/policy.ts'

describe('P-36 resolving part by part', () => {
  const tree: Record<string, Entry> = {
    '/p': { kind: 'folder' },
    '/p/a': { kind: 'folder' },
    '/p/out': { kind: 'link', target: '/etc' },
    '/p/up': { kind: 'link', target: '../other/deep' },
    '/other': { kind: 'folder' },
    '/other/deep': { kind: 'folder' },
    '/etc': { kind: 'folder' },
    '/p/dangling': { kind: 'link', target: '/gone/x' },
    '/p/loop': { kind: 'link', target: 'loop' },
    '/p/file': { kind: 'other' },
  }
  const resolved = (name: string) => resolveReal(name, '/p', at => tree[at] ?? null)

  test.each([
    ['a', { kind: 'resolved', real: '/p/a', exists: true, links: 0 }],
    ['a/new/b', { kind: 'resolved', real: '/p/a/new/b', exists: false, links: 0 }],
    ['../../..', { kind: 'resolved', real: '/', exists: true, links: 0 }],
    ['out/passwd', { kind: 'resolved', real: '/etc/passwd', exists: false, links: 1 }],
    ['up/../x', { kind: 'resolved', real: '/other/x', exists: false, links: 1 }],
    ['dangling', { kind: 'resolved', real: '/gone/x', exists: false, links: 1 }],
    ['loop', { kind: 'too-many-links' }],
    ['file/x', { kind: 'not-a-folder', real: '/p/file/x' }],
    ['new/../a', { kind: 'resolved', real: '/p/a', exists: true, links: 0 }],
  ])('P-36 %s', (name, expected) => {
    expect(resolved(name)).toEqual(expected)
  })
})

describe('P-36 no path escapes', () => {
  const names = fc.constantFrom('a', 'b', 'c')
  const step = fc.oneof({ weight: 4, arbitrary: names }, { weight: 2, arbitrary: fc.constant('..') }, fc.constantFrom('.', ''))
  const walk = fc.array(step, { minLength: 1, maxLength: 6 }).map(parts => parts.join('/'))
  const entry = fc.record({
    at: fc.array(names, { minLength: 1, maxLength: 3 }),
    kind: fc.constantFrom('folder', 'file', 'link', 'link'),
    target: walk,
    absolute: fc.boolean(),
  })

  test('P-36 in random trees full of links, what is judged inside is inside for the kernel too', () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'qed-escape-')))
    const root = join(base, 'root')
    try {
      fc.assert(
        fc.property(fc.array(entry, { maxLength: 10 }), fc.array(walk, { minLength: 1, maxLength: 6 }), (entries, asked) => {
          rmSync(root, { recursive: true, force: true })
          mkdirSync(root)
          for (const { at, kind, target, absolute } of entries) make(join(root, ...at), kind, absolute ? join(root, target) : target || '.')
          const there = asked.map(name => ({ name, real: kernelReal(`${root}/${name}`) })).filter(({ real }) => real !== null)
          const judged = there.map(({ name }) => ({ name, real: pathFact(`${root}/${name}`)?.real }))
          expect(judged).toEqual(there)
        }),
        { numRuns: 250 },
      )
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  })

  test('P-36 what stands at a path is told the same whether its parts are walked or not', () => {
    const base = realpathSync(temporaryFolder())
    mkdirSync(join(base, 'root/folder'), { recursive: true })
    writeFileSync(join(base, 'root/file'), '')
    symlinkSync('root', join(base, 'linked'))
    for (const name of ['file', 'folder', 'new', 'file/x', 'folder/new', 'gone/new', 'folder/', 'folder/.', 'folder/..', 'folder//new']) {
      const [plain, walked] = ['root', 'linked'].map(way => pathFact(`${base}/${way}/${name}`))
      expect([name, plain]).toEqual([name, walked])
    }
  })

  // The kernel's own answer for a path that exists, and null for one that does not.
  function kernelReal(at: string): string | null {
    try {
      return realpathSync.native(at)
    } catch {
      return null
    }
  }

  function make(at: string, kind: string, target: string): void {
    try {
      mkdirSync(dirname(at), { recursive: true })
      if (kind === 'folder') mkdirSync(at, { recursive: true })
      else if (kind === 'file') writeFileSync(at, '', { flag: 'wx' })
      else symlinkSync(target, at)
    } catch {
      // Something else stands there already, or a link leads nowhere: as good a tree as any.
    }
  }

  test('P-36 a link out of the root is denied for reading and for what does not exist yet behind it', () => {
    const base = temporaryFolder()
    mkdirSync(join(base, 'root'))
    mkdirSync(join(base, 'outside'))
    symlinkSync('../outside', join(base, 'root/linked'))
    const root = join(base, 'root')
    const known = realFacts({ roots: [{ path: root, access: 'write' }], home: '/home/ann', tmp: '/tmp' })
    for (const [name, access] of [
      ['linked/a', 'read'],
      ['linked/new/b', 'create'],
      ['linked/../outside/x', 'read'],
    ] as const) {
      expect(decide(path(name, access, { cwd: root, facts: known }), layers(), readShell)).toMatchObject({
        verdict: 'deny',
        code: 'outside-roots',
      })
    }
    expect(decide(path('linked/../root/new', 'read', { cwd: root, facts: known }), layers(), readShell)).toMatchObject({
      verdict: 'allow',
    })
  })
})

describe('P-37 comparing', () => {
  test.each([
    ['/a/b/c', '/a/b', true],
    ['/a/b', '/a/b', true],
    ['/a/bc', '/a/b', false],
    ['/a', '/', true],
    ['/A/B', '/a/b', false],
  ])('P-37 %s within %s: %s', (inner, outer, within) => {
    expect(isWithin(inner, outer, false)).toBe(within)
  })

  test('P-37 where the file system ignores case, so does the comparison', () => {
    expect([isWithin('/P/SRC', '/p', true), isWithin('/p/\u00c4', '/p/a\u0308', true)]).toEqual([true, true])
    const insensitive = facts({ caseInsensitive: true })
    expect(decide(path('SRC/a', 'write', { facts: insensitive, context: inBrief() }), layers(), readShell).verdict).toBe('deny')
    const deny = layers({
      project: [source({ rules: [{ id: 'd', effect: 'deny', category: 'edit', path: 'docs/**', match: ['docs/a'] }] })],
    })
    expect(decide(path('DOCS/a', 'write', { facts: insensitive }), deny, readShell).verdict).toBe('deny')
  })

  test.each([
    ['.Git', '.git'],
    ['.git.', '.git'],
    ['.git  .', '.git'],
    ['.g\u200bit', '.git'],
    ['GIT~1', '.git'],
    ['..', '..'],
    ['a', 'a'],
  ])('P-37 %j is compared as %j', (name, folded) => {
    expect(foldName(name)).toBe(folded)
  })
})

describe.each(Object.entries(MALFORMED_FORMS))('P-38 on %s', (platform, forms) => {
  test.each(forms.map(form => [form.id, form] as const))('P-38 %s', (_, form) => {
    expect(form.hits.map(form.test)).toEqual(form.hits.map(() => true))
    expect(form.misses.map(form.test)).toEqual(form.misses.map(() => false))
    expect(form.hits.every(hit => malformed(hit, platform as 'posix' | 'windows') !== null)).toBe(true)
  })
})

test.each<[string, Parameters<typeof path>[1], string]>([
  ['/dev/null', 'write', 'allow'],
  ['/dev/null', 'read', 'allow'],
  ['/dev/null', 'delete', 'deny'],
  ['/dev/urandom', 'read', 'allow'],
  ['/dev/urandom', 'write', 'deny'],
  ['/dev/stdout', 'write', 'allow'],
  ['/dev/fd/2', 'write', 'allow'],
  ['/dev/fd/9', 'write', 'deny'],
  ['/dev/mem', 'read', 'deny'],
  ['/proc/cpuinfo', 'read', 'allow'],
  ['/proc/self/environ', 'read', 'deny'],
  ['/sys/kernel/x', 'read', 'deny'],
  ['/etc/os-release', 'read', 'allow'],
  ['/etc/os-release', 'write', 'deny'],
  ['/etc/passwd', 'read', 'deny'],
])('P-39 %s for %s: %s', (name, access, verdict) => {
  expect(decide(path(name, access), layers(), readShell).verdict).toBe(verdict)
})

test('P-39 /proc stays closed even below a configured root, and a FIFO inside the project too', () => {
  const open = facts({
    roots: [{ path: '/', real: '/', access: 'write' }],
    paths: { '/p/pipe': { real: '/p/pipe', exists: true, type: 'fifo', device: 1, inode: 1, links: 1 } },
  })
  expect([
    decide(path('/proc/1/maps', 'read', { facts: open }), layers(), readShell).code,
    decide(path('pipe', 'read', { facts: open }), layers(), readShell).code,
  ]).toEqual(['device', 'device'])
})

describe.each(SENSITIVE_ROWS.map(row => [row.id, row] as const))('P-43 %s', (_, row) => {
  const below = row.below === 'home' ? '/home/ann/' : '/p/'
  const isSensitive = (name: string) =>
    sensitivityOf({ real: below + name, relative: name, home: '/home/ann', added: [], excepted: [] })?.kind === 'sensitive'
  test.each(row.hits.map(name => [name]))('P-43 %j is secret', name => {
    expect(isSensitive(name)).toBe(true)
  })
  test.each(row.misses.map(name => [name]))('P-43 %j is not', name => {
    expect(isSensitive(name)).toBe(false)
  })
})

test('P-43 a plain path is judged like the same path in a disguise that must be taken off first', () => {
  const spelled = SENSITIVE_ROWS.flatMap(({ patterns }) => patterns.flatMap(expandBraces))
  const filled = fc
    .tuple(fc.constantFrom(...spelled), fc.constantFrom('', 'x', 'a.b'), fc.constantFrom('y', 'y/z'))
    .map(([pattern, run, deep]) => pattern.replaceAll('**', deep).replaceAll('*', run))
  const shouted = fc.tuple(filled, fc.boolean()).map(([name, loud]) => (loud ? name.toUpperCase() : name))
  const judged = (real: string) => sensitivityOf({ real, relative: null, home: '/home/ann', added: [], excepted: [] })
  const seen = new Set<string | undefined>()
  fc.assert(
    fc.property(fc.constantFrom('/home/ann/', '/p/', '/p/d/'), shouted, (below, name) => {
      const found = judged(below + name)
      if (found?.kind === 'sensitive') seen.add(found.row)
      expect(found).toEqual(judged(`${below}${name}\u200b`))
    }),
    { numRuns: 2000 },
  )
  expect(seen.size).toBe(SENSITIVE_ROWS.length)
})

describe('P-44 more and fewer secret names', () => {
  test('P-44 any layer may add; only the personal config excepts, and explain shows it', () => {
    const added = layers({ project: [source({ version: 1, sensitive: ['*.private', 'keys/**'] }, { trusted: false })] })
    expect(decide(path('a/b.private'), added, readShell)).toMatchObject({ verdict: 'deny', code: 'secret' })
    expect(decide(path('keys/x'), added, readShell)).toMatchObject({ verdict: 'deny', code: 'secret' })
    const excepted = { ...added, sensitiveExcept: ['/p/test/dummy.pem'] }
    expect(decide(path('test/dummy.pem'), excepted, readShell)).toMatchObject({
      verdict: 'allow',
      trace: [{ facet: 0, layer: 'personal', rule: 'sensitive_except', answer: 'allow' }, { layer: 'defaults' }],
    })
    expect(decide(path('other/dummy.pem'), excepted, readShell).verdict).toBe('deny')
  })

  test('P-44 a secret name may be listed, never read, written, moved or deleted', () => {
    const verdicts = (['list', 'read', 'write', 'create', 'delete', 'move', 'link'] as const).map(
      access => decide(path('.env', access), layers(), readShell).verdict,
    )
    expect(verdicts).toEqual(['allow', 'deny', 'deny', 'deny', 'deny', 'deny', 'deny'])
  })
})

describe.each(SACRED_ROWS.map(row => [row.id, row] as const))('P-45 %s', (id, row) => {
  const compiled = builtInSacred.find(one => one.id === id)
  test('P-45 covers its examples and nothing beside them', () => {
    expect(row.match.map(name => compiled?.covers(name))).toEqual(row.match.map(() => true))
    expect(row.not_match.map(name => compiled?.covers(name))).toEqual(row.not_match.map(() => false))
  })
})

describe('P-46 who may write what is sacred', () => {
  const owning = { files_owned: ['**'] }
  const answer = (name: string, changes = {}, others: Parameters<typeof path>[2] = {}) => {
    const { verdict, code } = decide(path(name, 'write', { context: inBrief({ ...owning, ...changes }), ...others }), layers(), readShell)
    return `${verdict} ${code}`
  }
  test.each([
    ['src/auth/a.ts', {}, 'deny sacred'],
    ['src/auth/a.ts', { audit_gates: ['secaudit'], rubric: ['auth-surface'] }, 'allow rule'],
    ['src/auth/a.ts', { audit_gates: ['secaudit'] }, 'deny sacred'],
    ['src/billing/a.ts', {}, 'deny sacred'],
    ['src/billing/a.ts', { allow_billing: true }, 'allow rule'],
    ['src/billing/webhook.ts', { allow_billing: true }, 'deny sacred'],
    ['.gitconfig', { allow_billing: true }, 'deny sacred'],
    ['package-lock.json', {}, 'deny sacred'],
    ['package-lock.json', { allow_dependency_change: true }, 'allow rule'],
  ])('P-46 %s in a brief with %j: %s', (name, changes, expected) => {
    expect(answer(name, changes)).toBe(expected)
  })

  test('P-46 without a brief a person may answer for the five rows, for no other', () => {
    const asked = ['src/auth/a.ts', 'src/billing/a.ts', 'webhooks/stripe.ts', 'yarn.lock', 'db/migrations/1.sql', '.gitconfig']
    expect(asked.map(name => answer(name, {}, { context: context() }))).toEqual([
      'ask sacred',
      'ask sacred',
      'ask sacred',
      'ask sacred',
      'ask sacred',
      'deny sacred',
    ])
  })

  test('P-46 reading is not writing', () => {
    expect(decide(path('src/auth/a.ts'), layers(), readShell).verdict).toBe('allow')
  })

  test('P-45 a migration that is live is nobody’s to change, a new one is free', () => {
    const live = { facts: facts({ deployed: ['db/migrations/1.sql'] }) }
    expect([
      answer('db/migrations/1.sql', {}, { ...live, context: inBrief(owning) }),
      answer('db/migrations/2.sql', {}, { ...live, context: inBrief(owning) }),
    ]).toEqual(['deny sacred', 'allow rule'])
  })

  test('P-47 a manifest is judged by the keys that change', () => {
    const changed = (manifestKeysChanged: string[] | undefined) =>
      answer(
        'package.json',
        {},
        { context: inBrief(owning), facts: facts(manifestKeysChanged === undefined ? {} : { manifestKeysChanged }) },
      )
    expect([changed(['scripts']), changed(['dependencies']), changed(undefined)]).toEqual(['allow rule', 'deny sacred', 'deny sacred'])
  })

  test('P-47 a command that changes dependencies counts as writing them', () => {
    const install = (changes = {}) =>
      decide(shell('npm install left-pad', { context: inBrief({ allow_commands: ['npm install *'], ...changes }) }), layers(), readShell)
    expect(install()).toMatchObject({ verdict: 'deny', code: 'dependency-change' })
    expect(install({ allow_dependency_change: true }).facets.map(({ category, verdict }) => `${verdict} ${category}`)).toEqual([
      'allow shell',
      'allow network',
    ])
  })

  test('P-48 while the list is not loaded nothing is written, and reading goes on', () => {
    const broken = facts({ sacredLoaded: false })
    const asked = [
      path('a', 'write', { facts: broken }),
      shell('make', { facts: broken }),
      shell('touch a', { facts: broken }),
      shell('cat a', { facts: broken }),
      path('a', 'read', { facts: broken }),
    ]
    expect(asked.map(one => decide(one, layers(), readShell).verdict)).toEqual(['deny', 'deny', 'deny', 'allow', 'allow'])
  })
})

describe('P-47 manifests', () => {
  test.each<[string, string | null, string | null, string[] | undefined]>([
    ['package.json', '{"scripts":{"a":"b"}}', '{"scripts":{"a":"c"}}', ['scripts']],
    ['package.json', null, '{"name":"x","dependencies":{}}', ['dependencies', 'name']],
    ['package.json', '{"a":1}', 'not json', undefined],
    ['Cargo.toml', '[package]\nname = "a"\n[dependencies]\nx = "1"', '[package]\nname = "b"\n[dependencies]\nx = "1"', ['package.name']],
    ['Cargo.toml', '[dependencies]\nx = "1"', '[dependencies]\nx = "2"', ['dependencies.x']],
    ['Cargo.toml', '[dependencies]\nx = "1"', 'dependencies = { "x" = \'1\' } # the same', []],
    ['Cargo.toml', '', 'dependencies.x = "2"', ['dependencies.x']],
    ['pyproject.toml', '[tool.ruff]\na = 1', '[tool.ruff]\na = """x"""', ['tool.ruff.a']],
    ['pyproject.toml', '', '[tool.ruff]\na = """x', undefined],
    ['go.mod', 'a', 'b', undefined],
    ['readme.md', 'a', 'b', undefined],
  ])('P-47 %s changes in %#', (name, before, after, keys) => {
    expect(changedManifestKeys(name, before, after)).toEqual(keys)
  })

  test('P-47 only what depends counts', () => {
    expect([
      changesDependencies('Cargo.toml', ['package.name']),
      changesDependencies('pyproject.toml', ['project.version']),
      changesDependencies('pyproject.toml', ['project.dependencies']),
      changesDependencies('Cargo.toml', ['dependencies.x']),
      changesDependencies('a.toml', ['dependencies']),
    ]).toEqual([false, false, true, true, false])
  })
})

describe('facts of the disk', () => {
  test('P-40 a second name of a file is counted and asked about', () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'a'), '')
    linkSync(join(root, 'a'), join(root, 'b'))
    expect(pathFact(join(root, 'a'))).toMatchObject({ exists: true, type: 'file', links: 2 })
    const known = realFacts({ roots: [{ path: root, access: 'write' }], home: '/home/ann', tmp: '/tmp' })
    expect(decide(path('a', 'write', { cwd: root, facts: known }), layers(), readShell)).toMatchObject({
      verdict: 'ask',
      code: 'hard-linked',
    })
  })

  test('P-42 the decision holds what was there', () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'a'), '')
    const { device, inode } = pathFact(join(root, 'a')) ?? {}
    const known = realFacts({ roots: [{ path: root, access: 'write' }], home: '/home/ann', tmp: '/tmp' })
    expect(decide(path('a', 'read', { cwd: root, facts: known }), layers(), readShell).facets).toMatchObject([
      { real: join(root, 'a'), binding: { device, inode, type: 'file' } },
    ])
    expect(Object.keys(known.paths)).toEqual([join(root, 'a')])
  })

  test('P-25 globs are expanded as a shell would, up to a limit', () => {
    const root = temporaryFolder()
    for (const name of ['a.ts', 'b.ts', '.hidden.ts', 'c.js']) writeFileSync(join(root, name), '')
    expect(expandGlob(`${root}/*.ts`)).toEqual([join(root, 'a.ts'), join(root, 'b.ts')])
    expect(expandGlob(`${root}/.*.ts`)).toEqual([join(root, '.hidden.ts')])
    expect(expandGlob(`${root}/none*`)).toEqual([])
    expect(expandGlob(`${root}/[[:alpha:]]*`)).toBeUndefined()
    for (let i = 0; i < 1001; i++) writeFileSync(join(root, `n${i}.txt`), '')
    expect(expandGlob(`${root}/*.txt`)).toBe('too-many')
  })

  test('P-31 secret files below a folder are named', () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'a/b'), { recursive: true })
    writeFileSync(join(root, 'a/b/.env'), '')
    writeFileSync(join(root, 'a/x.ts'), '')
    expect(sensitiveBelow(root, '/home/ann')).toEqual([join(root, 'a/b/.env')])
  })

  test('P-9 what is below a folder is seen up to a bound, and what packages and git keep is only named', () => {
    const root = temporaryFolder()
    for (const folder of ['a/.git/hooks', 'node_modules/x', 'many']) mkdirSync(join(root, folder), { recursive: true })
    symlinkSync('/etc', join(root, 'a/link'))
    const seen = everythingBelow(root)
    expect(Array.isArray(seen) && [...seen].sort()).toEqual(['a', 'a/.git', 'a/link', 'many', 'node_modules'].map(name => join(root, name)))
    expect(everythingBelow(join(root, 'node_modules'))).toEqual([])
    for (let i = 0; i < 20_001; i++) writeFileSync(join(root, 'many', `n${i}`), '')
    expect(everythingBelow(root)).toBe('too-many')
  })

  test('P-37 whether a file system ignores case is tried, not guessed', () => {
    expect(ignoresCase(temporaryFolder())).toBe(process.platform === 'darwin')
  })
})

describe('P-31 what ripgrep passes over', () => {
  const repository = (files: Record<string, string>): string => {
    const root = temporaryRepository()
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(root, name, '..'), { recursive: true })
      writeFileSync(join(root, name), text)
    }
    return root
  }
  const secrets = { 'certs/a.pem': '', 'deep/keys/b.pem': '' }

  test('P-31 is what git ignores below the folder that is searched', () => {
    const root = repository({ ...secrets, '.gitignore': 'certs/\n*/keys\n', 'c.pem': '' })
    const facts = realFacts({ roots: [{ path: root, access: 'write' }], home: '/home/ann', tmp: '/tmp' })
    expect(facts.ignoredBelow?.[root]).toEqual([join(root, 'certs/a.pem'), join(root, 'deep/keys/b.pem')])
    // A folder that is named is searched, whatever stands above it.
    expect(facts.ignoredBelow?.[join(root, 'certs')]).toEqual([])
    expect(facts.ignoredBelow?.[join(root, 'deep')]).toEqual([join(root, 'deep/keys/b.pem')])
  })

  test('P-31 is nothing where a file of ripgrep could open it again, or outside a repository', () => {
    const root = repository({ ...secrets, '.gitignore': 'certs/\n', '.ignore': '!certs/\n' })
    const plain = temporaryFolder()
    writeFileSync(join(plain, 'a.pem'), '')
    writeFileSync(join(plain, '.gitignore'), '*.pem')
    const facts = realFacts({ roots: [{ path: root, access: 'write' }], home: '/home/ann', tmp: '/tmp' })
    expect(facts.ignoredBelow?.[root]).toEqual([])
    expect(facts.ignoredBelow?.[plain]).toEqual([])
  })
})

test('P-39 a link of the kernel is not followed, because it leads each process elsewhere', () => {
  const root = temporaryFolder()
  writeFileSync(join(root, 'a'), '')
  symlinkSync('/proc/self/cwd', join(root, 'here'))
  const known = realFacts({
    roots: [
      { path: root, access: 'write' },
      { path: process.cwd(), access: 'write' },
    ],
    home: '/home/ann',
    tmp: '/tmp',
  })
  const verdicts = [
    '/proc/self/cwd/package.json',
    'here/package.json',
    '/proc/self/root/etc/passwd',
    '/proc/self/environ',
    '/proc/uptime',
    '/dev/stdin',
  ].map(name => decide(path(name, 'read', { cwd: root, facts: known }), layers(), readShell).verdict)
  expect(verdicts).toEqual(['deny', 'deny', 'deny', 'deny', 'allow', 'allow'])
})
