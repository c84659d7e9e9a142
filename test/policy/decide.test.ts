import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, exitCodeOfVerdict, orderedByPerson } from '../../src/policy/decide.ts'
import type { PolicyLayers } from '../../src/policy/layers/layer.ts'
import { advisorProfile } from '../../src/policy/profiles.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { CATEGORIES, type Facts, type PolicyOperation, VERDICTS } from '../../src/policy/types.ts'
import { agentLayers, context, facts, inBrief, layers, operation, path, remembered, shell, source } from '../support/policy.ts'

const judged = (asked: PolicyOperation, over: PolicyLayers = layers()) => decide(asked, over, readShell)
/** Verdict, code and rule: what callers act on. */
const answer = (asked: PolicyOperation, over?: PolicyLayers) => {
  const { verdict, code, rule } = judged(asked, over)
  return `${verdict} ${code} ${rule.layer}:${rule.id}`
}

describe('the whole decision', () => {
  test('P-5 the strictest facet gives verdict, rule, code and reason, and the trace shows who said what', () => {
    expect(judged(shell('cat src/a.ts && make x'), layers({ project: [source({ categories: { shell: 'deny' } })] }))).toEqual({
      verdict: 'deny',
      code: 'rule',
      reason: 'The project policy says deny for shell.',
      rule: { layer: 'project', id: 'categories.shell' },
      facets: [
        {
          category: 'shell',
          verb: 'process.exec',
          segment: 0,
          class: 'read-only',
          argv: ['cat', 'src/a.ts'],
          flags: [],
          verdict: 'deny',
          rule: { layer: 'project', id: 'categories.shell' },
        },
        {
          category: 'read',
          verb: 'file.read',
          segment: 0,
          path: '/p/src/a.ts',
          real: '/p/src/a.ts',
          binding: { device: 1, inode: 1, type: 'file' },
          access: 'read',
          flags: [],
          verdict: 'allow',
          rule: { layer: 'defaults', id: 'read' },
        },
        {
          category: 'shell',
          verb: 'process.exec',
          segment: 1,
          class: 'other',
          argv: ['make', 'x'],
          flags: [],
          verdict: 'deny',
          rule: { layer: 'project', id: 'categories.shell' },
        },
      ],
      trace: [
        { facet: 0, layer: 'project', rule: 'categories.shell', answer: 'deny' },
        { facet: 1, layer: 'defaults', rule: 'read', answer: 'allow' },
        { facet: 2, layer: 'project', rule: 'categories.shell', answer: 'deny' },
      ],
      flags: [],
      rememberable: false,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('P-5 one denied part denies all and ties go to the lowest facet', () => {
    expect(
      judged(
        operation({
          verb: 'file.read',
          paths: [
            { path: 'a', access: 'read' },
            { path: '../x', access: 'read' },
            { path: '/etc/y', access: 'read' },
          ],
        }),
      ),
    ).toMatchObject({
      verdict: 'deny',
      code: 'outside-roots',
      reason: expect.stringContaining('/x is outside'),
    })
  })

  test('the digest is about what would be done, not about the world around it', () => {
    const one = judged(shell('make x')).digest
    expect(judged(shell('make x', { facts: facts({ home: '/root' }), context: context({ mode: 'plan' }) })).digest).toBe(one)
    expect(judged(shell('make y')).digest).not.toBe(one)
    expect(judged(shell('make x', { cwd: '/p/src' })).digest).not.toBe(one)
  })
})

describe('P-3 decide never throws', () => {
  test('P-3 on anything at all, and what it cannot read is asked about', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        expect(decide(value as PolicyOperation, layers(), readShell)).toMatchObject({ verdict: 'ask', code: 'malformed-operation' })
      }),
      { numRuns: 300 },
    )
  })

  test('P-3 on an operation with any one member replaced by anything', () => {
    const good = shell('make x')
    const members = fc.constantFrom(
      ...(Object.keys(good) as (keyof PolicyOperation)[]),
      'argv',
      'paths',
      'url',
      'tool',
      'secret',
      'memory',
      'category',
    )
    fc.assert(
      fc.property(members, fc.anything({ withNullPrototype: true }), (member, value) => {
        expect(VERDICTS).toContain(decide({ ...good, [member]: value }, layers(), readShell).verdict)
      }),
      { numRuns: 500 },
    )
  })

  test('P-3 on facts and contexts with any one member replaced by anything', () => {
    const base = facts()
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(base) as (keyof Facts)[])), fc.anything(), (member, value) => {
        expect(VERDICTS).toContain(judged(shell('cat a', { facts: { ...base, [member]: value } })).verdict)
      }),
      { numRuns: 300 },
    )
  })

  test('P-3 when the reader itself fails, or a getter does', () => {
    const failing = () => {
      throw new Error('broken')
    }
    expect(decide(shell('ls'), layers(), failing)).toMatchObject({ verdict: 'ask', code: 'malformed-operation' })
    const trap = Object.defineProperty({ ...shell('ls') }, 'context', { get: failing, enumerable: true })
    expect(decide(trap, layers(), readShell)).toMatchObject({ verdict: 'ask', code: 'malformed-operation' })
  })
})

describe('P-4 facets', () => {
  test.each<[PolicyOperation, string[]]>([
    [path('a'), ['read']],
    [path('a', 'write'), ['edit']],
    [path('/etc/x', 'write'), ['external-directory']],
    [path('.env'), ['secrets']],
    [path('.env', 'list'), ['read']],
    [shell('git status'), ['git']],
    [shell('cat a | curl x.io'), ['shell', 'read', 'shell', 'network']],
    [operation({ verb: 'net.get', url: 'https://x.io/a' }), ['network']],
    [operation({ verb: 'net.get', url: 'file:///p/a' }), ['read']],
    [operation({ verb: 'tool.call', tool: 'jira.search' }), ['provider-tool']],
    [operation({ verb: 'file.read', tool: 'read', paths: [{ path: 'a', access: 'read' }] }), ['read']],
    [operation({ verb: 'memory.save', memory: { scope: 'project' } }), ['memory']],
    [operation({ verb: 'secret.use', secret: 'DB' }), ['secrets']],
  ])('P-4 %# has the categories it touches', (asked, categories) => {
    expect(judged(asked).facets.map(facet => facet.category)).toEqual(categories)
  })
})

describe('P-6 … P-8 layers', () => {
  const allowMake = { rules: [{ id: 'make', effect: 'allow', category: 'shell', command: 'make **', match: ['make'], not_match: ['ls'] }] }

  test('P-6 a deny anywhere wins, and a tie names the earliest layer', () => {
    const over = layers({ project: [source(allowMake)], personal: [source({ shell: 'ask' })], agents: { coder: source({ shell: 'ask' }) } })
    expect(answer(shell('make x', { context: context({ agent: 'coder' }) }), over)).toBe('ask rule personal:categories.shell')
  })

  test('P-6 defaults answer only when all others are silent', () => {
    expect(answer(shell('make x'))).toBe('ask default defaults:ask')
    expect(answer(shell('make x'), layers({ project: [source(allowMake)] }))).toBe('allow rule project:make')
  })

  test('P-8 a deny for a category plus an allow rule in one layer allows exactly the rule', () => {
    const over = layers({ project: [source({ categories: { shell: 'deny' }, ...allowMake })] })
    expect(answer(shell('make x'), over)).toBe('allow rule project:make')
    expect(answer(shell('cat a'), over)).toBe('deny rule project:categories.shell')
    expect(answer(shell('make x'), { ...over, personal: [source({ shell: 'deny' })] })).toBe('deny rule personal:categories.shell')
  })

  test('P-8 among the matching rules of one layer the strictest answers, the first on a tie', () => {
    const rule = (id: string, effect: string) => ({ id, effect, category: 'shell', command: 'make **', match: ['make'], not_match: ['ls'] })
    expect(
      answer(shell('make x'), layers({ project: [source({ rules: [rule('a', 'allow'), rule('b', 'ask'), rule('c', 'ask')] })] })),
    ).toBe('ask rule project:b')
  })

  test('P-8 ask for shell does not speak about reading and file effects, deny does', () => {
    expect(answer(shell('cat a'), agentless('ask'))).toBe('allow default defaults:read-only')
    expect(answer(shell('touch src/a', { context: inBrief() }), agentless('ask'))).toBe('allow default defaults:file-effect')
    expect(answer(shell('make x'), agentless('ask'))).toBe('ask rule project:categories.shell')
    expect(answer(shell('cat a'), agentless('deny'))).toBe('deny rule project:categories.shell')
  })

  const agentless = (shellAnswer: string) => layers({ project: [source({ shell: shellAnswer })] })
})

describe('P-9 the floor', () => {
  const everything = Object.fromEntries(CATEGORIES.map(category => [category, 'allow']))
  const open = layers({ project: [source(everything)], personal: [source(everything)] })

  test.each<[string, PolicyOperation, string]>([
    ['outside', path('../x'), 'deny outside-roots floor:outside-roots'],
    ['outside for writing', path('/etc/x', 'write'), 'deny outside-roots floor:outside-roots'],
    [
      'a root given for reading',
      path('/r/a', 'write', {
        facts: facts({
          roots: [
            { path: '/p', real: '/p', access: 'write' },
            { path: '/r', real: '/r', access: 'read' },
          ],
        }),
      }),
      'deny outside-roots floor:outside-roots',
    ],
    ['a secret file', path('a/.env'), 'deny secret floor:secret'],
    ['a secret value', operation({ verb: 'secret.read', secret: 'DB' }), 'deny secret floor:secret'],
    [
      'the list of what is sacred is gone',
      path('a', 'write', { facts: facts({ sacredLoaded: false }) }),
      'deny sacred-unloadable floor:sacred-unloadable',
    ],
    ['.qed', path('.qed/policy.json', 'write'), 'deny self-protection floor:self-protection'],
    ['.git under another name', path('GIT~1/config', 'write'), 'deny self-protection floor:self-protection'],
    ['a nested .git', path('vendor/x/.git/hooks/a', 'create'), 'deny self-protection floor:self-protection'],
    [
      'the personal folder',
      path('/home/ann/.local/share/qed/qed.db', 'write', { facts: personal() }),
      'deny self-protection floor:self-protection',
    ],
    [
      'the personal settings',
      path('/home/ann/.config/qed/policy.json', 'write', { facts: personal() }),
      'deny self-protection floor:self-protection',
    ],
    ['a NUL', path('a\u0000b'), 'deny malformed-path floor:malformed-path'],
    ['a device', path('/dev/sda'), 'deny device floor:device'],
    ['/proc', path('/proc/1/environ'), 'deny device floor:device'],
    ['catastrophe', shell('rm -rf /'), 'deny catastrophic floor:catastrophic'],
    ['a destructive command without a brief', shell('git push -f'), 'ask destructive floor:destructive'],
    ['sudo', shell('sudo make x'), 'ask privileged floor:privileged'],
    ['unknown grammar', shell('f() { ls; }'), 'ask unknown-grammar floor:unknown-grammar'],
    ['a dynamic word', shell('make $X'), 'ask dynamic-word floor:dynamic-word'],
    ['qed inside a run', shell('qed approval resolve x'), 'deny self-protection floor:self-protection'],
    ['qed through a launcher', shell('npx qed run start'), 'deny self-protection floor:self-protection'],
    [
      'a hard link',
      path('a', 'write', {
        facts: facts({ paths: { '/p/a': { real: '/p/a', exists: true, type: 'file', device: 1, inode: 2, links: 2 } } }),
      }),
      'ask hard-linked floor:hard-linked',
    ],
    ['git settings', shell('git config user.name x'), 'deny sacred floor:sacred:git-config'],
  ])('P-9 %s: no allow lifts it', (_, asked, expected) => {
    expect(answer(asked, open)).toBe(expected)
  })

  function personal(): Facts {
    return facts({
      personal: ['/home/ann/.local/share/qed', '/home/ann/.config/qed'],
      roots: [{ path: '/home/ann', real: '/home/ann', access: 'write' }],
    })
  }

  test('P-9 its own place and scratch folder inside the personal folder may be written', () => {
    const place = '/home/ann/.local/share/qed/places/x'
    const inPlace = facts({
      personal: ['/home/ann/.local/share/qed', '/home/ann/.config/qed'],
      roots: [{ path: place, real: place, access: 'write' }],
    })
    expect(answer(path(`${place}/src/a.ts`, 'write', { facts: inPlace, context: inBrief() }))).toBe('allow rule brief:files_owned')
  })

  test('P-9 reading operations of qed pass, and its help', () => {
    const over = layers({ readOperations: ['events.list', 'status'] })
    expect(answer(shell('qed events list'), over)).toBe('ask default defaults:ask')
    expect(answer(shell('qed --version'), over)).toBe('ask default defaults:ask')
    expect(answer(shell('qed events redact 1'), over)).toBe('deny self-protection floor:self-protection')
  })

  test('P-9 a command that reads a folder with secret files is refused with the way on; the built-in tool is not', () => {
    const known = facts({ sensitiveBelow: { '/p/src': ['/p/src/.env'] } })
    const reading = (segment: boolean) =>
      operation({
        verb: 'file.read',
        facts: known,
        paths: [{ path: 'src', access: 'read', recursive: true }],
        ...(segment && { command: 'x' }),
      })
    expect(judged(reading(false))).toMatchObject({ verdict: 'allow' })
    const recursive = {
      ...readShell('x', { cwd: '/p', facts: known }),
      facets: [
        { category: 'read' as const, verb: 'file.read', segment: 0, path: 'src', access: 'read' as const, recursive: true, flags: [] },
      ],
    }
    expect(decide(operation({ verb: 'process.exec', command: 'grep -r x src', facts: known }), layers(), () => recursive)).toMatchObject({
      verdict: 'deny',
      code: 'secret',
      reason: expect.stringContaining('built-in grep'),
    })
  })

  test('P-25 a path whose facts are missing is asked about', () => {
    const unknown = { ...facts(), paths: {} }
    expect(answer(path('a', 'read', { facts: unknown }))).toBe('ask ambiguous floor:ambiguous')
  })

  test('P-41 a guessed path outside asks, a guessed secret denies', () => {
    const guessed = (name: string) => ({
      ...readShell('x', { cwd: '/p', facts: facts() }),
      facets: [
        { category: 'read' as const, verb: 'file.read', segment: 0, path: name, access: 'read' as const, inferred: true, flags: [] },
      ],
    })
    expect(decide(shell('x'), open, () => guessed('/opt/x'))).toMatchObject({ verdict: 'ask', code: 'outside-roots' })
    expect(decide(shell('x'), open, () => guessed('/opt/.env'))).toMatchObject({ verdict: 'deny', code: 'secret' })
  })
})

describe('P-10 a brief', () => {
  test.each<[string, PolicyOperation, string]>([
    ['an owned file', path('src/a.ts', 'write', { context: inBrief() }), 'allow rule brief:files_owned'],
    ['another file', path('lib/a.ts', 'write', { context: inBrief() }), 'deny outside-scope brief:outside-scope'],
    [
      'the scratch folder',
      path('/s/a', 'create', {
        context: inBrief(),
        facts: facts({ scratch: '/s', roots: [...facts().roots, { path: '/s', real: '/s', access: 'write' }] }),
      }),
      'allow rule brief:scratch',
    ],
    ['a recursive write that one pattern covers', recursive('src/ui', ['src/**']), 'allow rule brief:files_owned'],
    ['a recursive write that only covers some of it', recursive('src/ui', ['src/ui/*.ts']), 'deny outside-scope brief:outside-scope'],
    ['a recursive write above its pattern', recursive('src', ['src/ui/**']), 'deny outside-scope brief:outside-scope'],
    ['the verify command, word for word', shell('make check', { context: inBrief({ verify: 'make check' }) }), 'allow rule brief:verify'],
    ['nearly the verify command', shell('make  check', { context: inBrief({ verify: 'make check' }) }), 'ask default defaults:ask'],
    [
      'an allowed command',
      shell('make lint -q', { context: inBrief({ allow_commands: ['make lint **'] }) }),
      'allow rule brief:allow_commands',
    ],
    [
      'an allowed host',
      operation({ verb: 'net.get', url: 'https://registry.npmjs.org/x', context: inBrief({ allow_network: ['registry.npmjs.org'] }) }),
      'allow rule brief:allow_network',
    ],
    ['another command', shell('make x', { context: inBrief() }), 'ask default defaults:ask'],
    ['a read', path('lib/a.ts', 'read', { context: inBrief() }), 'allow default defaults:read'],
  ])('P-10 %s', (_, asked, expected) => {
    expect(answer(asked)).toBe(expected)
  })

  function recursive(name: string, files_owned: string[]): PolicyOperation {
    return operation({ verb: 'file.write', paths: [{ path: name, access: 'write', recursive: true }], context: inBrief({ files_owned }) })
  }

  test('P-10 a move needs both ends inside', () => {
    const move = (to: string) =>
      operation({
        verb: 'file.write',
        paths: [
          { path: 'src/a', access: 'move' },
          { path: to, access: 'move' },
        ],
        context: inBrief(),
      })
    expect(judged(move('src/b')).verdict).toBe('allow')
    expect(judged(move('lib/b')).verdict).toBe('deny')
  })

  test('I-2 a command without flags is allowed in a brief while the sandbox really holds, and not elsewhere', () => {
    const held = isolation()
    expect(answer(shell('make x', { context: inBrief(), facts: facts({ isolation: held }) }))).toBe('allow rule brief:sandboxed-shell')
    expect(answer(shell('sudo make x', { context: inBrief(), facts: facts({ isolation: held }) }))).toBe('ask privileged floor:privileged')
    expect(answer(shell('git commit', { context: inBrief(), facts: facts({ isolation: held }) }))).toBe('ask default defaults:ask')
    const whole = { ...held, facets: { ...held.facets, scope: 'place' as const } }
    expect(answer(shell('make x', { context: inBrief(), facts: facts({ isolation: whole }) }))).toBe('allow rule brief:sandboxed-shell')
    for (const weaker of [
      { ...held, network: 'host' as const },
      { ...held, facets: { ...held.facets, scope: 'directory' as const } },
      { ...held, degraded: 'x' },
      { ...held, level: 'worktree' as const },
    ]) {
      expect(answer(shell('make x', { context: inBrief(), facts: facts({ isolation: weaker }) }))).toBe('ask default defaults:ask')
    }
    expect(answer(shell('make x', { facts: facts({ isolation: held }) }))).toBe('ask default defaults:ask')
  })

  test('P-13 shell_in_sandbox makes a default ask an allow in the same sandbox, no other ask', () => {
    const over = layers({ shellInSandbox: 'allow' })
    const held = facts({ isolation: isolation() })
    expect(answer(shell('make x', { facts: held }), over)).toBe('allow default defaults:shell_in_sandbox')
    expect(answer(shell('make x'), over)).toBe('ask default defaults:ask')
    expect(answer(shell('make x', { facts: held }), { ...over, personal: [source({ shell: 'ask' })] })).toBe(
      'ask rule personal:categories.shell',
    )
  })

  function isolation() {
    return {
      level: 'bubblewrap' as const,
      planned: 'bubblewrap',
      filesystem: 'read-only-root' as const,
      writable: ['/p/src'],
      hidden: [],
      network: 'off' as const,
      pid_namespace: true,
      environment: 'filtered' as const,
      facets: {
        scope: 'owned' as const,
        tmp: 'private' as const,
        home: 'masked' as const,
        git: 'read-only' as const,
        sockets: 'masked' as const,
        userns: 'disabled' as const,
      },
      probe: { at: '', tool: 'bwrap', checks: {} },
      degraded: null,
      limitations: [],
    }
  }
})

describe('P-11 trust', () => {
  test('P-11 an untrusted allow is silent and traced, its asks and denies count', () => {
    const untrusted = source(
      {
        categories: { network: 'deny' },
        rules: [{ id: 'make', effect: 'allow', category: 'shell', command: 'make **', match: ['make'], not_match: ['ls'] }],
      },
      { trusted: false },
    )
    expect(judged(shell('make x'), layers({ project: [untrusted] }))).toMatchObject({
      verdict: 'ask',
      trace: [
        { facet: 0, layer: 'project', rule: 'make', answer: 'untrusted' },
        { facet: 0, layer: 'defaults', rule: 'ask', answer: 'ask' },
      ],
    })
    expect(answer(operation({ verb: 'net.get', url: 'https://x.io' }), layers({ project: [untrusted] }))).toBe(
      'deny rule project:categories.network',
    )
  })

  test('P-11 an agent that nobody trusts gets nothing by its own word', () => {
    const over = layers({ agents: { coder: source({ shell: 'allow' }, { trusted: false }) } })
    expect(answer(shell('make x', { context: context({ agent: 'coder' }) }), over)).toBe('ask default defaults:ask')
  })
})

describe('P-13 limits', () => {
  const use = operation({ verb: 'secret.use', secret: 'DB_URL', context: context({ agent: 'coder' }) })
  const rule = (secret: string) => ({
    rules: [{ id: 's', effect: 'allow', category: 'secrets', secret, match: ['DB_URL'], not_match: ['OTHER'] }],
  })

  test.each<[string, PolicyLayers, string]>([
    ['nothing', layers(), 'deny default defaults:secrets'],
    ['agent secrets: allow', agentLayers({ secrets: 'allow' }), 'ask rule agent:categories.secrets'],
    ['a project rule', layers({ project: [source(rule('DB_URL'))] }), 'ask rule project:s'],
    ['a personal category', layers({ personal: [source({ secrets: 'allow' })] }), 'ask rule personal:categories.secrets'],
    ['a personal glob', layers({ personal: [source(rule('DB_*'))] }), 'ask rule personal:s'],
    ['a personal rule that names it', layers({ personal: [source(rule('DB_URL'))] }), 'allow rule personal:s'],
  ])('P-13 secret.use under %s', (_, over, expected) => {
    expect(answer(use, over)).toBe(expected)
  })
})

describe('P-52 modes', () => {
  const advisor = (profile: string, tool?: string) => ({
    ...(tool !== undefined && { tool }),
    context: context({ mode: 'advisor' as const, profile: advisorProfile(profile).profile }),
  })

  test.each<[string, PolicyOperation, string]>([
    ['plan reads', path('a', 'read', { context: context({ mode: 'plan' }) }), 'allow default defaults:read'],
    ['plan looks around', shell('cat a', { context: context({ mode: 'plan' }) }), 'allow default defaults:read-only'],
    ['plan does not edit', path('a', 'write', { context: context({ mode: 'plan' }) }), 'deny mode-read-only mode:plan'],
    ['ask does not run', shell('make x', { context: context({ mode: 'ask' }) }), 'deny mode-read-only mode:ask'],
    ['ask does not touch files', shell('touch a', { context: context({ mode: 'ask' }) }), 'deny mode-read-only mode:ask'],
    ['plan does not write memory', operation({ verb: 'memory.save', context: context({ mode: 'plan' }) }), 'deny mode-read-only mode:plan'],
    ['plan searches memory', operation({ verb: 'memory.search', context: context({ mode: 'plan' }) }), 'ask default defaults:ask'],
    [
      'plan asks for foreign tools',
      operation({ verb: 'tool.call', tool: 'a.b', context: context({ mode: 'plan' }) }),
      'ask mode-read-only mode:plan',
    ],
    ['advisor reads', path('a', 'read', advisor('read-only-lite', 'read')), 'allow default defaults:read'],
    ['advisor runs nothing', shell('ls', advisor('read-only-lite')), 'deny mode-read-only mode:advisor'],
    [
      'advisor has no other tool',
      operation({ verb: 'tool.call', ...advisor('read-only-lite', 'jira.get') }),
      'deny tool-disallowed mode:advisor',
    ],
    ['advisor without tools', path('a', 'read', advisor('none', 'read')), 'deny tool-disallowed mode:advisor'],
    [
      'advisor reads git with its profile',
      operation({ verb: 'process.exec', argv: ['git', 'log', '--oneline'], ...advisor('git-review-readonly', 'git_read') }),
      'allow default defaults:read-only',
    ],
    [
      'advisor reads git without it',
      operation({ verb: 'process.exec', argv: ['git', 'log'], ...advisor('read-only-lite', 'git_read') }),
      'deny tool-disallowed mode:advisor',
    ],
    [
      'advisor with another git',
      operation({ verb: 'process.exec', argv: ['git', 'log', '--output=x'], ...advisor('git-review-readonly', 'git_read') }),
      'deny tool-disallowed mode:advisor',
    ],
  ])('P-52 %s', (_, asked, expected) => {
    expect(answer(asked)).toBe(expected)
  })

  test('P-52 a custom profile keeps only what an advisor can have and tells the rest', () => {
    expect(advisorProfile('custom-read-only', ['read', 'bash', 'git_read'])).toEqual({
      profile: { name: 'custom-read-only', tools: ['read', 'git_read'] },
      dropped: ['bash'],
    })
  })
})

describe('P-55 children', () => {
  test('P-55 a child gets at most what its parent has', () => {
    const over = layers({ agents: { child: source({ shell: 'allow' }), parent: source({ shell: 'deny' }) } })
    const asked = shell('make x', { context: context({ agent: 'child', parent: context({ agent: 'parent' }) }) })
    expect(judged(asked, over)).toMatchObject({
      verdict: 'deny',
      rule: { layer: 'agent', id: 'categories.shell' },
      facets: [{ verdict: 'deny' }],
    })
  })

  test('P-55 the scope of every ancestor holds', () => {
    const nested = context({
      brief: { files_owned: ['src/**'] },
      parent: context({ parent: context({ brief: { files_owned: ['src/ui/**'] } }) }),
    })
    expect(
      answer(path('src/ui/a', 'write', { context: { ...nested, parent: { ...nested.parent!, brief: { files_owned: ['**'] } } } })),
    ).toBe('allow rule brief:files_owned')
    expect(answer(path('src/a', 'write', { context: nested }))).toBe('deny outside-scope brief:outside-scope')
  })

  test('P-55 child and parent together are never weaker than the parent alone', () => {
    const names = fc.constantFrom('a', 'b', 'c')
    const over = layers({
      agents: {
        a: source({ shell: 'allow', edit: 'allow', network: 'deny' }),
        b: source({ shell: 'deny', edit: 'ask' }),
        c: source({ network: 'allow', edit: 'allow' }),
      },
    })
    const one = fc.record({
      mode: fc.constantFrom('act' as const, 'plan' as const),
      agent: names,
      owned: fc.option(fc.constantFrom('src/**', '**')),
      approver: fc.constantFrom('person' as const, 'none' as const),
    })
    const asked = fc.constantFrom(
      shell('make x'),
      path('src/a', 'write'),
      operation({ verb: 'net.get', url: 'https://x.io' }),
      path('a'),
      shell('cat a'),
    )
    const made = ({ owned, ...rest }: { owned: string | null; mode: 'act' | 'plan'; agent: string; approver: 'person' | 'none' }) =>
      context({ ...rest, ...(owned !== null && { brief: { files_owned: [owned] } }) })
    fc.assert(
      fc.property(one, one, asked, (child, parent, what) => {
        const alone = judged({ ...what, context: made(parent) }, over).verdict
        const both = judged({ ...what, context: { ...made(child), parent: made(parent) } }, over).verdict
        expect(VERDICTS.indexOf(both)).toBeGreaterThanOrEqual(VERDICTS.indexOf(alone))
      }),
      { numRuns: 200 },
    )
  })
})

describe('P-56 people', () => {
  test('P-56 with nobody to ask an ask is a deny of its own kind that keeps the rule; exit code 5', () => {
    const decision = judged(shell('make x', { context: context({ approver: 'none' }) }))
    expect(decision).toMatchObject({
      verdict: 'deny',
      code: 'ask-without-person',
      rule: { layer: 'defaults', id: 'ask' },
      rememberable: true,
    })
    expect(exitCodeOfVerdict(decision)).toBe(5)
  })

  test('P-56 allow, ask and deny exit 0, 5 and 4', () => {
    expect([shell('cat a'), shell('make x'), path('/x')].map(asked => exitCodeOfVerdict(judged(asked)))).toEqual([0, 5, 4])
  })

  test('P-56 a direct order answers its own ask and no deny', () => {
    expect(orderedByPerson(judged(shell('make x'))).verdict).toBe('allow')
    expect(orderedByPerson(judged(path('/x'))).verdict).toBe('deny')
  })
})

describe('P-58 remembered answers', () => {
  const rule = remembered({ id: 'r', effect: 'allow', category: 'shell', command: 'make x', match: ['make x'], not_match: ['make y'] })
  const wide = remembered({ id: 'w', effect: 'allow', category: 'shell', command: 'make **', match: ['make x'], not_match: ['ls'] })
  const over = (...rules: (typeof rule)[]) => layers({ remembered: rules })

  test('P-58 an ask of project, personal, agent or defaults becomes allow, and the trace says so', () => {
    expect(judged(shell('make x'), over(rule))).toMatchObject({
      verdict: 'allow',
      rule: { layer: 'defaults', id: 'r' },
      trace: [
        { layer: 'defaults', answer: 'ask' },
        { facet: 0, layer: 'defaults', rule: 'r', answer: 'remembered' },
      ],
    })
    expect(answer(shell('make x'), { ...over(rule), personal: [source({ shell: 'ask' })] })).toBe('allow rule personal:r')
    expect(answer(shell('make y'), over(rule))).toBe('ask default defaults:ask')
  })

  test('P-58 never a deny, a floor, a mode or a brief', () => {
    expect(answer(shell('make x'), { ...over(rule), personal: [source({ shell: 'deny' })] })).toBe('deny rule personal:categories.shell')
    expect(answer(shell('make $X'), over(wide))).toBe('ask dynamic-word floor:dynamic-word')
    expect(answer(shell('make x', { context: context({ mode: 'plan' }) }), over(rule))).toBe('deny mode-read-only mode:plan')
  })

  test('P-58 what runs in the background is remembered literally only', () => {
    const literal = remembered({
      id: 'l',
      effect: 'allow',
      category: 'shell',
      command: 'make x',
      match: ['make x &'],
      not_match: ['make'],
    })
    expect(answer(shell('make x &'), over(wide))).toBe('ask default defaults:ask')
    expect(answer(shell('make x &'), over(literal))).toBe('allow rule defaults:l')
  })

  test('P-58 secrets, flagged and floor asks are not rememberable, plain ones are', () => {
    const asked = [
      operation({ verb: 'secret.use', secret: 'X', context: context({ agent: 'coder' }) }),
      shell('sudo make x'),
      shell('make x'),
      operation({ verb: 'tool.call', category: 'memory' }),
    ]
    expect(asked.map(one => judged(one, agentLayers({ secrets: 'allow' })).rememberable)).toEqual([false, false, true, false])
  })
})

test('adding an ask or deny rule never weakens a verdict', () => {
  const asked = fc.constantFrom(
    shell('make x'),
    shell('cat a'),
    shell('sudo make x'),
    shell('touch src/a', { context: inBrief() }),
    path('src/a', 'write'),
    path('.env'),
    operation({ verb: 'tool.call', tool: 'a.b' }),
  )
  const rule = fc.record({
    effect: fc.constantFrom('ask', 'deny'),
    category: fc.constantFrom('shell', 'read', 'edit', 'provider-tool'),
    verb: fc.constantFrom('*', 'file.*', 'process.exec', 'tool.call'),
  })
  const base = fc.constantFrom<unknown>({}, { shell: 'allow', edit: 'allow' }, { shell: 'deny' })
  const layer = fc.constantFrom('project' as const, 'personal' as const)
  fc.assert(
    fc.property(asked, base, fc.array(rule, { minLength: 1, maxLength: 4 }), layer, (what, permissions, rules, name) => {
      const before = layers({ [name]: [source(permissions)] })
      const file = {
        version: 1,
        categories: permissions,
        rules: rules.map((one, i) => ({
          id: `r${i}`,
          ...one,
          match: ['process.exec', 'file.read', 'tool.call']
            .slice(0, 0)
            .concat(one.category === 'shell' ? ['make'] : [one.verb.replace('*', 'read')]),
        })),
      }
      const after = layers({ [name]: [source(file)] })
      const [weak, strong] = [judged(what, before).verdict, judged(what, after).verdict]
      // An ask rule beside a category deny speaks instead of it: that is what rules are for.
      if (weak === 'deny' && JSON.stringify(permissions).includes('deny')) return
      expect(VERDICTS.indexOf(strong)).toBeGreaterThanOrEqual(VERDICTS.indexOf(weak))
    }),
    { numRuns: 200 },
  )
})
