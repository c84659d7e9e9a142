import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/kernel/finding.ts'
import { codeaudit } from '../../../src/proof/gates/codeaudit.ts'
import { SINKS, secaudit, sinksIn } from '../../../src/proof/gates/secaudit.ts'
import { SINK_KINDS } from '../../../src/proof/gates/sink-kinds.ts'
import { Source } from '../../../src/proof/source/source.ts'
import { type Edit, factsOf } from '../findings/facts.ts'

const ACCEPTED = { by: 'a', role: 'person', at: 'now', reason: 'fine' } as const
const finding = (id: string, more: Partial<Finding> = {}): Finding => ({ id, severity: 'review', hint: 'x', ...more })
const code = (edit: Edit, findings: Finding[] = [], diagnostics: string[] = [], moved = {}): number =>
  codeaudit({ facts: factsOf(edit, { moved }), findings, diagnostics }).score

const lines = (count: number, text = (i: number): string => `const x${i} = ${i}`): string =>
  Array.from({ length: count }, (_, i) => `${text(i)}\n`).join('')
const longFunction = (name: string, count: number): string => `function ${name}() {\n${lines(count - 2, i => `  ${name}(${i})`)}}\n`

describe('F-23 codeaudit', () => {
  test('a plain change keeps all points', () => {
    expect(codeaudit({ facts: factsOf({ 'a.ts': ['a\n', 'b\n'] }), findings: [], diagnostics: [] })).toEqual({
      score: 100,
      critical: [],
      findings: [],
    })
  })

  test('what was let pass, suppressions and stubs cost', () => {
    const findings = [
      finding('blob.large', { accepted: ACCEPTED, path: 'a' }),
      finding('blob.large'),
      finding('verify.red', { severity: 'error' }),
      finding('code.suppression', { path: 'a.ts', line: 3 }),
      finding('code.stub', { path: 'b.ts' }),
    ]
    expect(codeaudit({ facts: factsOf({}), findings, diagnostics: [] })).toEqual({
      score: 80,
      critical: [],
      findings: ['Accepted: blob.large a (−5)', 'code.suppression a.ts:3 (−5)', 'code.stub b.ts (−10)'],
    })
  })

  test('new diagnostics cost three points each and thirty at most', () => {
    expect(code({}, [], ['a.ts:1 no'])).toBe(97)
    expect(
      code(
        {},
        [],
        Array.from({ length: 40 }, () => 'no'),
      ),
    ).toBe(70)
  })

  test.each<[string, Edit, number]>([
    ['grown past 500 lines', { 'a.ts': [lines(500), lines(501)] }, 95],
    ['new with more than 500 lines', { 'a.ts': [null, lines(501)] }, 95],
    ['long already', { 'a.ts': [lines(501), lines(900)] }, 100],
    ['exactly 500 lines', { 'a.ts': [null, lines(500)] }, 100],
    ['a long text that is no program', { 'a.csv': [null, lines(900)] }, 100],
    ['deleted', { 'a.ts': [lines(900), null] }, 100],
  ])('a file %s', (_name, edit, score) => {
    expect(code(edit)).toBe(score)
  })

  test.each<[string, Edit, number]>([
    ['of 81 lines', { 'a.ts': [null, longFunction('f', 81)] }, 95],
    ['of 80 lines', { 'a.ts': [null, longFunction('f', 80)] }, 100],
    ['that was there already', { 'a.ts': [longFunction('f', 90), `${longFunction('f', 90)}// x\n`] }, 100],
    ['that moved as it was', { 'a.ts': [longFunction('f', 90), 'x\n'], 'b.ts': [null, longFunction('f', 90)] }, 100],
    ['of Python', { 'a.py': [null, `def f():\n${lines(81, i => `    g(${i})`)}`] }, 95],
  ])('an added function %s', (_name, edit, score) => {
    expect(code(edit)).toBe(score)
  })

  const block = lines(20, i => `call${i}()`)
  test.each<[string, Edit, number]>([
    ['of a file that was there', { 'a.ts': [block, `${block}x\n`], 'b.ts': [null, block] }, 95],
    ['of another added one', { 'a.ts': [null, block], 'b.ts': [null, `y\n${block}`] }, 95],
    ['in the same file', { 'a.ts': [null, `${block}between()\n${block}`] }, 95],
    ['of 40 lines, once', { 'a.ts': [null, lines(40, i => `call${i}()`)], 'b.ts': [null, lines(40, i => `call${i}()`)] }, 95],
    ['twice', { 'a.ts': [null, block], 'b.ts': [null, block], 'c.ts': [null, block] }, 90],
    ['indented otherwise', { 'a.ts': [null, block], 'b.ts': [null, block.replaceAll(/^/gm, '  ')] }, 95],
    ['of 19 lines', { 'a.ts': [null, block], 'b.ts': [null, lines(19, i => `call${i}()`)] }, 100],
    ['that moved', { 'a.ts': [block, 'x\n'], 'b.ts': [null, block] }, 100],
    ['of comments', { 'a.ts': [null, lines(30, i => `// licence ${i}`)], 'b.ts': [null, lines(30, i => `// licence ${i}`)] }, 100],
    ['of zeros', { 'a.ts': [null, lines(60, () => '0,')] }, 100],
    ['of data', { 'a.json': [null, block], 'b.json': [null, block] }, 100],
  ])('an added block equal to another %s', (_name, edit, score) => {
    expect(code(edit)).toBe(score)
  })

  test('no score is below 0', () => {
    expect(
      code(
        {},
        Array.from({ length: 30 }, () => finding('code.stub')),
      ),
    ).toBe(0)
  })
})

describe('F-24 every sink hits what it must and nothing that only looks like it', () => {
  const rows = SINKS.flatMap(sink => sink.languages.map(language => ({ sink, language, label: `${sink.kind} in ${language}` })))
  const kindsIn = (text: string, row: (typeof rows)[number]): string[] => {
    const source = new Source(`${text}\n`, row.language)
    return sinksIn({ plain: source.lineOf('plain', 0), code: source.lineOf('code', 0) }, [row.sink])
  }
  // Examples of a row for several languages are in one of them each.
  const inOne = (text: string, sink: (typeof SINKS)[number]): boolean =>
    rows.filter(row => row.sink === sink).some(row => kindsIn(text, row).length > 0)

  test.each(SINKS.flatMap(sink => sink.hits.map(hit => [sink.kind, hit, sink] as const)))('%s: %s', (_kind, hit, sink) => {
    expect(inOne(hit, sink)).toBe(true)
  })

  test.each(SINKS.flatMap(sink => sink.misses.map(miss => [sink.kind, miss, sink] as const)))('not %s: %s', (_kind, miss, sink) => {
    const comment = miss.startsWith('//') || miss.startsWith('#')
    const all = rows.filter(row => row.sink === sink && (!comment || ['javascript', 'typescript', 'python'].includes(row.language)))
    expect(all.filter(row => kindsIn(miss, row).length > 0).map(row => row.label)).toEqual([])
  })

  test('every kind has a row', () => {
    expect(new Set(SINKS.map(({ kind }) => kind))).toEqual(new Set(Object.keys(SINK_KINDS)))
  })

  test('a long line of anything is looked at in no time that matters', () => {
    const pieces = ['a', '"', "'", '`', '${', '(', 'exec(', 'password', 'SELECT ', 'chmod(', '0', ' ', '+', 'curl -']
    for (const piece of pieces) {
      const text = piece.repeat(Math.floor(1990 / piece.length))
      expect(Array.isArray(sinksIn({ plain: text, code: text }, SINKS))).toBe(true)
    }
  })
})

describe('F-24 secaudit', () => {
  const audit = (edit: Edit, findings: Finding[] = []): ReturnType<typeof secaudit> => secaudit({ facts: factsOf(edit), findings })

  test('a plain change keeps all points', () => {
    expect(audit({ 'a.ts': ['a\n', 'b\n'] })).toEqual({ score: 100, critical: [], findings: [] })
  })

  test('each added sink costs 20 points and is named with its line', () => {
    const after = 'const a = 1\neval(a)\n\ndb.query(`SELECT * FROM t WHERE a = ${a}`)\n'
    expect(audit({ 'src/a.ts': ['const a = 1\n', after] })).toEqual({
      score: 60,
      critical: [],
      findings: [
        'dynamic-code: runs text as code, src/a.ts:2 (−20)',
        'sql-string: asks a database with text that is joined from pieces, src/a.ts:4 (−20)',
      ],
    })
  })

  test('sinks that were there, that moved, or that stand in tests cost nothing', () => {
    expect(audit({ 'a.ts': ['eval(a)\n', 'eval(a)\nb()\n'] }).score).toBe(100)
    expect(audit({ 'a.ts': ['eval(a)\n', 'b()\n'], 'c.ts': [null, 'eval(a)\n'] }).score).toBe(100)
    expect(audit({ 'test/a.test.ts': [null, 'eval(a)\n'] }).score).toBe(100)
    expect(audit({ 'a.md': [null, 'eval(a)\n'] }).score).toBe(100)
  })

  test('TLS that does not check is critical', () => {
    const found = audit({ 'a.ts': [null, 'get(url, { rejectUnauthorized: false })\n'] })
    expect([found.score, found.critical]).toEqual([80, ['tls-off: does not check who is at the other end, a.ts:1']])
  })

  test('a secret takes all points and is critical', () => {
    const found = audit({}, [finding('secret.in-diff', { path: 'a.ts', line: 2 }), finding('secret.in-output')])
    expect([found.score, found.critical]).toEqual([0, ['secret.in-diff a.ts:2', 'secret.in-output']])
  })

  test('a dependency that runs scripts costs 20 points', () => {
    expect(audit({}, [finding('deps.scripts', { path: 'package-lock.json' }), finding('deps.changed')]).score).toBe(80)
  })
})
