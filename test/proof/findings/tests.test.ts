import { describe, expect, test } from 'vitest'
import { TEST_RULES } from '../../../src/proof/findings/tests/rules.ts'
import { type Edit, factsOf, found } from './facts.ts'

type Row = [name: string, edit: Edit, expected: string[], circumstances?: Parameters<typeof factsOf>[1]]

const changed = (path: string, before: string, after: string): Edit => ({ [path]: [before, after] })
const js = (body: string): string => `import { sum } from '../src/sum.js'\n\ntest('adds', () => {\n${body}\n})\n`
const py = (body: string): string => `def test_adds():\n${body}\n`
const go = (body: string): string => `func TestAdds(t *testing.T) {\n${body}\n}\n`
const rust = (body: string): string => `#[test]\nfn adds() {\n${body}\n}\n`
const java = (body: string): string => `class SumTest {\n  @Test\n  void adds() {\n${body}\n  }\n}\n`

const weaker = (path: string, wrap: (body: string) => string, before: string, after: string): Edit =>
  changed(path, wrap(before), wrap(after))
const inJs = (before: string, after: string): Edit => weaker('test/sum.test.js', js, before, after)
const inPy = (before: string, after: string): Edit => weaker('tests/test_sum.py', py, before, after)
const inGo = (before: string, after: string): Edit => weaker('sum_test.go', go, before, after)
const inRust = (before: string, after: string): Edit => weaker('tests/sum.rs', rust, before, after)
const inJava = (before: string, after: string): Edit => weaker('src/test/SumTest.java', java, before, after)

const GONE: Row[] = [
  ['a deleted test', { 'test/a.test.ts': ["it('adds', () => { expect(1).toBe(x) })", null] }, ['test.deleted test/a.test.ts']],
  [
    'a test renamed so that the runner misses it',
    { 'test/a.test.ts': [js('expect(sum(1)).toBe(1)'), null], 'test/a.old.ts': [null, js('expect(sum(1)).toBe(1)')] },
    ['test.deleted test/a.test.ts'],
    { moved: { 'test/a.test.ts': 'test/a.old.ts' } },
  ],
  [
    'a deleted test whose title is left in a comment and in a string',
    {
      'a.test.ts': ["it('adds', () => { expect(s).toBe(1) })", null],
      'b.test.ts': [null, "// it('adds'\nit('subs', () => { expect(\"it('adds', f)\").toBe(2) })"],
    },
    ['test.deleted a.test.ts'],
  ],
  ['a deleted Python test', { 'tests/test_a.py': ['def test_a():\n    assert f() == 1\n', null] }, ['test.deleted tests/test_a.py']],
  ['a deleted Go test', { 'a_test.go': [go('\tif f() != 1 {\n\t\tt.Fatal()\n\t}'), null] }, ['test.deleted a_test.go']],
  ['a deleted test without a title that can be read', { 'test/a.js': ['assert.equal(f(), 1)\n', null] }, ['test.deleted test/a.js']],
  [
    '§13 row 3: a moved test',
    {
      'test/a.test.ts': [js('expect(sum(1)).toBe(1)'), null],
      'test/unit/a.test.ts': [null, js('expect(sum(1)).toBe(1)').replace('../', '../../')],
    },
    [],
    { moved: { 'test/a.test.ts': 'test/unit/a.test.ts' } },
  ],
  [
    '§13 row 3: a split test file, with a test that was skipped before',
    {
      'a.test.ts': [`it('one', () => { expect(a).toBe(1) })\nit.skip('two', () => { expect(b).toBe(2) })\n`, null],
      'a-one.test.ts': [null, `it('one', () => { expect(a).toBe(1) })\n`],
      'a-two.test.ts': [null, `describe('rest', () => {\n  it.skip('two', () => {\n    expect(b).toBe(2)\n  })\n})\n`],
    },
    [],
  ],
  [
    '§13 row 3: half of a file moved to an existing one',
    {
      'test_a.py': [
        'def test_one():\n    assert f() == 1\n\ndef test_two():\n    assert f() == 2\n',
        'def test_one():\n    assert f() == 1\n',
      ],
      'test_b.py': ['def test_x():\n    assert g()\n', 'def test_x():\n    assert g()\n\ndef test_two():\n    assert f() == 2\n'],
    },
    [],
  ],
  ['a deleted helper of the tests', { 'test/support/build.ts': ['export const build = () => 1\n', null] }, []],
  ['a deleted document beside the tests', { 'test/README.md': ["it('adds')", null] }, []],
  [
    'a test whose title is kept, but not its assertions',
    {
      'a.test.ts': [`it('one', () => { expect(a).toBe(1); expect(b).toBe(2) })\n`, null],
      'b.test.ts': [null, `it('one', () => { expect(a).toBe(1) })\n`],
    },
    ['test.assertions-fell a.test.ts'],
  ],
]

const MARKED: Row[] = [
  [
    'it.skip',
    inJs('expect(sum(1)).toBe(1)', 'expect(sum(1)).toBe(1)\n})\nit.skip("x", () => { expect(sum(2)).toBe(2)'),
    ['test.skipped test/sum.test.js:6'],
  ],
  ...(
    [
      ['a.test.ts', "it('a', f)", "it.skip('a', f)", 'test.skipped'],
      ['a.test.ts', "it('a', f)", "it.only('a', f)", 'test.only'],
      ['a.test.ts', "it('a', f)", "it.concurrent.only('a', f)", 'test.only'],
      ['a.test.ts', "it('a', f)", "xit('a', f)", 'test.skipped'],
      ['a.test.ts', "it('a', f)", "it.todo('a')", 'test.skipped'],
      ['a.test.ts', "it('a', f)", "it.fails('a', f)", 'test.skipped'],
      ['a.test.ts', "it('a', f)", "it.skipIf(isSlow)('a', f)", 'test.skipped'],
      ['a.test.ts', "it('a', f)", "fit('a', f)", 'test.only'],
      ['a.test.ts', "describe('a', f)", "fdescribe('a', f)", 'test.only'],
      ['a.test.ts', "describe('a', f)", "describe.only('a', f)", 'test.only'],
      ['a.test.ts', "test('a', f)", "test('a', { skip: true }, f)", 'test.skipped'],
      ['a.test.ts', "test('a', f)", "test('a', { skip: 'slow' }, f)", 'test.skipped'],
      ['a.test.ts', "test('a', f)", "test('a', { only: true }, f)", 'test.only'],
      ['a.test.ts', "myTest('a', () => {})", "myTest.only('a', () => {})", 'test.only'],
      ['a.test.ts', 'const o = {}', 'const o = { skip: true }', 'test.skipped'],
      ['a.test.ts', "it('a', function () { f() })", "it('a', function () { this.skip() })", 'test.skipped'],
      ['test_a.py', 'def test_a():\n  f()', '@pytest.mark.skip\ndef test_a():\n  f()', 'test.skipped'],
      ['test_a.py', 'def test_a():\n  f()', "@pytest.mark.xfail(reason='x')\ndef test_a():\n  f()", 'test.skipped'],
      ['test_a.py', 'def test_a():\n  f()', "@unittest.skipIf(True, 'x')\ndef test_a():\n  f()", 'test.skipped'],
      ['test_a.py', 'def test_a():\n  f()', "def test_a():\n  pytest.skip('x')", 'test.skipped'],
      ['test_a.py', 'class T:\n  def test_a(self):\n    f()', "class T:\n  def test_a(self):\n    self.skipTest('x')", 'test.skipped'],
      ['a_test.go', go('\tf()'), go('\tt.Skip("x")'), 'test.skipped'],
      ['a_test.go', 'package a\n', '//go:build never\n\npackage a\n', 'test.skipped'],
      ['tests/a.rs', rust('f();'), `#[ignore]\n${rust('f();')}`, 'test.skipped'],
      [
        'src/a.rs',
        '#[cfg(test)]\nmod tests {\n#[test]\nfn a() { f() }\n}',
        '#[cfg(test)]\nmod tests {\n#[test]\n#[ignore]\nfn a() { f() }\n}',
        'test.skipped',
      ],
      ['ATest.java', java('f();'), java('f();').replace('@Test', '@Test @Disabled("x")'), 'test.skipped'],
      ['ATests.cs', '[Fact]\nvoid A() { }', '[Fact(Skip = "x")]\nvoid A() { }', 'test.skipped'],
      ['a_spec.rb', "it 'a' do\n  f\nend", "xit 'a' do\n  f\nend", 'test.skipped'],
      ['a_spec.rb', "it 'a' do\n  f\nend", "it 'a', :focus do\n  f\nend", 'test.only'],
      ['a_spec.rb', "it 'a' do\n  f\nend", "it 'a' do\n  skip 'x'\nend", 'test.skipped'],
      ['ATest.php', '<?php\nfunction testA() { f(); }', "<?php\nfunction testA() { $this->markTestSkipped('x'); }", 'test.skipped'],
      ['test/a.bats', '@test "a" {\n  f\n}', '@test "a" {\n  skip "x"\n}', 'test.skipped'],
    ] as const
  ).map(
    ([path, before, after, id]): Row => [
      `${path}: ${after}`,
      changed(path, before, after),
      [expect.stringMatching(`^${id} ${path}:\\d+$`) as string],
    ],
  ),
]

const NOT_MARKED: Row[] = [
  [
    '§13 row 13: words in strings, comments and other names',
    changed(
      'a.test.ts',
      "it('a', () => {})",
      `// it.only('x') and xit('y')
       it('does not skip: it.skip(', () => {
         expect(list.skip(3)).toBe(\`it.only('z', f)\`)
         expect(query.skip(10).only('name', 'age')).toEqual(exit(1))
         model.fit(data); benefit(x); const skipped = onlyIf(only); request({ skip: true })
         expect(/it\\.only\\(/.test(text)).toBe(true)
       })`,
    ),
    [],
  ],
  [
    '§13 row 13: the same in Python',
    changed(
      'test_a.py',
      'x = 1',
      '# pytest.mark.skip\ndef test_skip_lines():\n    """unittest.skip("x")"""\n    assert reader.skip(2) == "pytest.skip()"\n',
    ),
    [],
  ],
  [
    '§13 row 13: the same in Go',
    changed(
      'a_test.go',
      'package a',
      'package a\n\n// t.Skip()\nfunc TestSkip(t *testing.T) {\n\tif skip("t.Skip()") != 1 {\n\t\tt.Fatal("x")\n\t}\n}\n',
    ),
    [],
  ],
  [
    '§13 row 13: the same in Ruby',
    changed('a_spec.rb', 'x = 1', "it 'skips' do\n  skip_all = focus(1) # skip\n  expect(list.skip).to eq 'xit'\nend\n"),
    [],
  ],
  [
    '§13 row 7: tests that were skipped stay so',
    changed('a.test.ts', "it.skip('a', f)\n", "it.skip('a', f)\nit('b', () => { expect(g()).toBe(1) })\n"),
    [],
  ],
  ['§13 row 7: a skipped test gets another title', changed('a.test.ts', "it.skip('a', f)\n", "it.skip('a thing', f)\n"), []],
  [
    '§13 row 7: a skipped Python test moves to another file',
    {
      'test_a.py': ['@pytest.mark.skip\ndef test_a():\n  assert f() == 1\n', null],
      'test_b.py': [null, '@pytest.mark.skip\ndef test_a():\n  assert f() == 1\n'],
    },
    [],
  ],
  [
    'production code with such words',
    changed('src/query.ts', '', "export const q = { skip: true, only: true }\ndb.skip('x', () => 1)\n"),
    [],
  ],
]

const SWAPPED: Row[] = [
  [
    'one mark taken away does not pay for another',
    changed('a.test.ts', "it.skip('a', f)\nit('b', f)\n", "it('a', f)\nit.skip('b', f)\n"),
    ['test.skipped a.test.ts:2'],
  ],
  [
    'the same with a mark that names no title',
    changed(
      'test_a.py',
      '@pytest.mark.skip\ndef test_a():\n  assert f()\n\ndef test_b():\n  assert g()\n',
      'def test_a():\n  assert f()\n\n@pytest.mark.skip\ndef test_b():\n  assert g()\n',
    ),
    ['test.skipped test_a.py:4'],
  ],
]

const FEWER: Row[] = [
  [
    'half of the assertions removed',
    inJs('  expect(a).toBe(1)\n  expect(b).toBe(2)', '  expect(a).toBe(1)'),
    ['test.assertions-fell test/sum.test.js'],
  ],
  [
    'the same in a comment',
    inJs('  expect(a).toBe(1)\n  expect(b).toBe(2)', '  expect(a).toBe(1)\n  // expect(b).toBe(2)'),
    ['test.assertions-fell test/sum.test.js'],
  ],
  ['in Python', inPy('    assert a == 1\n    assert b == 2', '    assert a == 1'), ['test.assertions-fell tests/test_sum.py']],
  ['in Go', inGo('\tif a != 1 {\n\t\tt.Error()\n\t}', '\t_ = a'), ['test.assertions-fell sum_test.go']],
  ['in Rust', inRust('assert_eq!(a, 1); assert!(b);', 'assert_eq!(a, 1);'), ['test.assertions-fell tests/sum.rs']],
  [
    'in a Rust module of tests inside production code',
    changed(
      'src/a.rs',
      'fn f() { assert!(x); }\n#[cfg(test)]\nmod t {\n#[test]\nfn a() { assert!(y == 1); assert!(z == 2); }\n}',
      'fn f() { assert!(x); assert!(w); assert!(v); }\n#[cfg(test)]\nmod t {\n#[test]\nfn a() { assert!(y == 1); }\n}',
    ),
    ['test.assertions-fell src/a.rs'],
  ],
  ['production code loses an assertion', changed('src/a.rs', 'fn f() { assert!(x); }', 'fn f() { }'), []],
  ['in Java', inJava('assertEquals(1, a); assertEquals(2, b);', 'assertEquals(1, a);'), ['test.assertions-fell src/test/SumTest.java']],
  [
    'with leave it is a question',
    inJs('  expect(a).toBe(1)\n  expect(b).toBe(2)', '  expect(a).toBe(1)'),
    ['review test.assertions-fell test/sum.test.js'],
    { allow_tests: ['test/**'] },
  ],
  [
    '§13 row 4: rewritten for new behaviour, as many assertions',
    inJs(
      '  expect(sum(1, 2)).toBe(3)\n  expect(sum()).toBe(0)',
      '  expect(sum([1, 2])).toEqual({ total: 3 })\n  expect(() => sum()).toThrow(/empty/)',
    ),
    [],
    { allow_tests: ['test/**'] },
  ],
]

const WEAKER: Row[] = (
  [
    ['truthiness for equality', inJs('  expect(sum(1)).toBe(1)', '  expect(sum(1)).toBeTruthy()')],
    ['definedness for equality', inJs('  expect(sum(1)).toEqual([1])', '  expect(sum(1)).toBeDefined()')],
    ['ok for strictEqual', inJs('  assert.strictEqual(sum(1), 1)', '  assert.ok(sum(1))')],
    ['anything for a value', inJs('  expect(sum(1)).toEqual({ a: 1 })', '  expect(sum(1)).toEqual({ a: expect.anything() })')],
    ['any error for this one', inJs("  expect(() => sum('x')).toThrow('no number')", "  expect(() => sum('x')).toThrow()")],
    ['a type for a value', inJs('  expect(sum(1)).toBe(1)', "  expect(typeof sum(1)).toBe('number')")],
    ['fewer digits', inJs('  expect(x).toBeCloseTo(0.3, 5)', '  expect(x).toBeCloseTo(0.3, 1)')],
    ['a wider delta', inJs('  expect(Math.abs(x - y) < 0.001).toBe(true)', '  expect(Math.abs(x - y) < 0.5).toBe(true)')],
    ['a constant', inJs('  expect(sum(1)).toBe(1)', '  expect(true).toBe(true)')],
    ['ok for strictEqual, in the context of the test', inJs('  t.assert.strictEqual(sum(1), 1)', '  t.assert.ok(sum(1))')],
    ['a constant by or', inJs('  assert(sum(1) === 1)', '  assert(sum(1) === 1 || true)')],
    ['a catch that swallows', inJs('  expect(sum(1)).toBe(1)', '  try {\n    expect(sum(1)).toBe(1)\n  } catch {}')],
    [
      'a promise whose failure is dropped',
      inJs('  await expect(sum(1)).resolves.toBe(1)', '  await expect(sum(1)).resolves.toBe(1).catch(() => {})'),
    ],
    ['a promise that nobody waits for', inJs('  await expect(sum(1)).resolves.toBe(1)', '  expect(sum(1)).resolves.toBe(1)')],
    ['a condition', inJs('  expect(sum(1)).toBe(1)', '  if (sum) {\n    expect(sum(1)).toBe(1)\n  }')],
    ['a condition on the line', inJs('  expect(sum(1)).toBe(1)', '  sum.ready && expect(sum(1)).toBe(1)')],
    ['an early return', inJs('  expect(sum(1)).toBe(1)', '  return\n  expect(sum(1)).toBe(1)')],
    ['an early return under a condition', inJs('  expect(sum(1)).toBe(1)', '  if (process.env.CI) return\n  expect(sum(1)).toBe(1)')],
    [
      'an early return in a property',
      inJs(
        '  fc.assert(fc.property(n, x => {\n    expect(sum(x)).toBe(x)\n  }))',
        '  fc.assert(fc.property(n, x => {\n    return\n    expect(sum(x)).toBe(x)\n  }))',
      ),
    ],
    [
      'a condition in a property',
      inJs(
        '  fc.assert(fc.property(n, x => {\n    expect(sum(x)).toBe(x)\n  }))',
        '  fc.assert(fc.property(n, x => {\n    if (x > 9) {\n      expect(sum(x)).toBe(x)\n    }\n  }))',
      ),
    ],
    [
      'a helper of the tests that returns early',
      changed('test/a.py', 'def check(x):\n    assert x == 1\n', 'def check(x):\n    return\n    assert x == 1\n'),
    ],
    ['Python: truthiness', inPy('    assert total(1) == 1', '    assert total(1)')],
    ['Python: not None', inPy('    assert total(1) == 1', '    assert total(1) is not None')],
    ['Python: assertTrue', inPy('    self.assertEqual(total(1), 1)', '    self.assertTrue(total(1))')],
    [
      'Python: any exception',
      inPy('    with pytest.raises(ValueError):\n        total("x")', '    with pytest.raises(Exception):\n        total("x")'),
    ],
    ['Python: a wider tolerance', inPy('    assert x == pytest.approx(0.3, rel=1e-6)', '    assert x == pytest.approx(0.3, rel=0.5)')],
    ['Python: a constant', inPy('    assert total(1) == 1', '    assert True')],
    ['Python: a tuple', inPy('    assert total(1) == 1, "total"', '    assert (total(1) == 1, "total")')],
    [
      'Python: a swallowed failure',
      inPy('    assert total(1) == 1', '    try:\n        assert total(1) == 1\n    except AssertionError:\n        pass'),
    ],
    ['Python: suppress', inPy('    assert total(1) == 1', '    with suppress(AssertionError):\n        assert total(1) == 1')],
    ['Python: a condition', inPy('    assert total(1) == 1', '    if total:\n        assert total(1) == 1')],
    ['Python: an early return', inPy('    assert total(1) == 1', '    return\n    assert total(1) == 1')],
    [
      'Go: not empty',
      inGo('\tif got := sum(1); got != 1 {\n\t\tt.Errorf("x")\n\t}', '\tif got := sum(1); got == 0 {\n\t\tt.Errorf("x")\n\t}'),
    ],
    ['Go: testify', inGo('\tassert.Equal(t, 1, sum(1))', '\tassert.NotNil(t, sum(1))')],
    ['Go: a constant', inGo('\tif sum(1) != 1 {\n\t\tt.Fatal()\n\t}', '\tif false {\n\t\tt.Fatal()\n\t}')],
    [
      'Go: one more condition',
      inGo('\tif sum(1) != 1 {\n\t\tt.Fatal()\n\t}', '\tif debug {\n\t\tif sum(1) != 1 {\n\t\t\tt.Fatal()\n\t\t}\n\t}'),
    ],
    ['Go: an early return', inGo('\tif sum(1) != 1 {\n\t\tt.Fatal()\n\t}', '\treturn\n\tif sum(1) != 1 {\n\t\tt.Fatal()\n\t}')],
    ['Rust: is_some', inRust('assert_eq!(sum(1), Some(1));', 'assert!(sum(1).is_some());')],
    ['Rust: a constant', inRust('assert_eq!(sum(1), 1);', 'assert!(true);')],
    ['Rust: a wider tolerance', inRust('assert!((a - b).abs() < 1e-9);', 'assert!((a - b).abs() < 0.5);')],
    ['Rust: a condition', inRust('assert_eq!(sum(1), 1);', 'if ok {\n assert_eq!(sum(1), 1);\n}')],
    ['Rust: an early return', inRust('assert_eq!(sum(1), 1);', 'return;\nassert_eq!(sum(1), 1);')],
    ['Java: not null', inJava('assertEquals(1, sum(1));', 'assertNotNull(sum(1));')],
    ['Java: a constant', inJava('assertEquals(1, sum(1));', 'assertTrue(true);')],
    ['Java: a swallowed failure', inJava('assertEquals(1, sum(1));', 'try { assertEquals(1, sum(1)); } catch (Throwable e) { }')],
    ['Java: a wider delta', inJava('assertEquals(0.3, sum(1), 0.001);', 'assertEquals(0.3, sum(1), 0.5);')],
    ['Java: an early return', inJava('assertEquals(1, sum(1));', 'if (ci) return;\nassertEquals(1, sum(1));')],
    ['C#: not null', changed('ATests.cs', '[Fact]\nvoid A() { Assert.Equal(1, Sum(1)); }', '[Fact]\nvoid A() { Assert.NotNull(Sum(1)); }')],
    [
      'a test that moved and got weaker',
      { 'a.test.js': [js('  expect(sum(1)).toBe(1)'), null], 'b.test.js': [null, js('  expect(sum(1)).toBeDefined()')] },
    ],
    [
      'a test that got another title and got weaker',
      changed('a.test.js', "it('a', () => {\n  expect(sum(1)).toBe(1)\n})\n", "it('b', () => {\n  expect(sum(1)).toBeDefined()\n})\n"),
    ],
  ] as [string, Edit][]
).map(([name, edit]): Row => [name, edit, [expect.stringMatching(/^test\.weakened \S+:\d+$/) as string]])

const NOT_WEAKER: Row[] = [
  [
    'a property whose body got a name',
    changed(
      'a.test.ts',
      "test('a', () => {\n  fc.assert(fc.property(n, x => {\n    expect(sum(x)).toBe(x)\n  }))\n})\n",
      "const same = (x: number) => expect(sum(x)).toBe(x)\n\ntest('a', () => {\n  fc.assert(fc.property(n, same))\n  fc.assert(anyOf(m, same))\n})\n",
    ),
    [],
  ],
  ['stricter', inJs('  expect(sum(1)).toBeTruthy()', '  expect(sum(1)).toBe(1)'), []],
  ['equality in another form', inJs('  expect(sum(1)).toBe(1)', '  assert.strictEqual(sum(1), 1)'), []],
  ['another expected value', inJs('  expect(sum(1)).toBe(1)', '  expect(sum(1)).toBe(2)'), []],
  ['a loose one beside the strict one', inJs('  expect(sum(1)).toBe(1)', '  expect(sum(1)).toBeDefined()\n  expect(sum(1)).toBe(1)'), []],
  ['a narrower tolerance', inJs('  expect(x).toBeCloseTo(0.3, 1)', '  expect(x).toBeCloseTo(0.3, 5)'), []],
  ['a renamed variable', inJs('  const a = sum(1)\n  expect(a).toBe(1)', '  const total = sum(1)\n  expect(total).toBe(1)'), []],
  ['another formatting', inJs('  expect(sum(1)).toEqual({ a: 1, b: 2 })', '  expect(sum(1))\n    .toEqual({\n      a: 1, b: 2 })'), []],
  [
    'a loop over cases',
    inJs('  expect(sum(1)).toBe(1)', '  for (const n of [1, 2]) {\n    expect(sum(1)).toBe(1)\n    expect(sum(n)).toBe(n)\n  }'),
    [],
  ],
  [
    'a place that must not be reached',
    inJs(
      '  expect(sum(1)).toBe(1)',
      "  expect(sum(1)).toBe(1)\n  try {\n    sum('x')\n    expect(true).toBe(false)\n  } catch (e) {\n    expect(e.message).toBe('no')\n  }",
    ),
    [],
  ],
  [
    'a helper inside the test that returns',
    inJs('  expect(sum(1)).toBe(1)', '  const one = () => {\n    return 1\n  }\n  expect(sum(1)).toBe(1)\n  expect(sum(one())).toBe(1)'),
    [],
  ],
  ['a returned promise', inJs('  return expect(sum(1)).resolves.toBe(1)', '  return expect(sum(2)).resolves.toBe(1)'), []],
  ['the same call twice', inJs('  expect(sum(1)).toBe(1)', '  expect(sum(1)).toBe(1)\n  expect(cached(1)).toBe(cached(1))'), []],
  [
    'Go: cases that want errors',
    inGo(
      '\tif got != tt.want {\n\t\tt.Error()\n\t}',
      '\tif (err != nil) != tt.wantErr {\n\t\tt.Fatal(err)\n\t}\n\tif tt.wantErr {\n\t\treturn\n\t}\n\tif got != tt.want {\n\t\tt.Error()\n\t}',
    ),
    [],
  ],
  ['Python: another message', inPy('    assert total(1) == 1, "a"', '    assert total(1) == 1, "b"'), []],
  [
    'Python: a nested function that returns',
    inPy('    assert total(1) == 1', '    def one():\n        return 1\n    assert total(1) == 1\n    assert total(one()) == 1'),
    [],
  ],
  [
    'with leave it is a question',
    inJs('  expect(sum(1)).toBe(1)', '  expect(sum(1)).toBeTruthy()'),
    ['review test.weakened test/sum.test.js:4'],
    { allow_tests: ['test/sum.test.js'] },
  ],
]

const fresh = (path: string, text: string): Edit => ({ [path]: [null, text] })
const TRIVIAL: Row[] = [
  ['a new test without an assertion', fresh('a.test.ts', "it('a', () => {\n  sum(1)\n})\n"), ['review test.trivial a.test.ts:1']],
  [
    'a new test with a constant one',
    fresh('a.test.ts', "it('a', () => {\n  sum(1)\n  expect(true).toBe(true)\n})\n"),
    ['review test.trivial a.test.ts:1'],
  ],
  [
    'a name compared with itself',
    fresh('a.test.ts', "it('a', () => {\n  const x = sum(1)\n  expect(x).toEqual(x)\n})\n"),
    ['review test.trivial a.test.ts:1'],
  ],
  [
    'an assertion in a comment',
    fresh('a.test.ts', "it('a', () => {\n  sum(1) // expect(sum(1)).toBe(1)\n})\n"),
    ['review test.trivial a.test.ts:1'],
  ],
  ['in Python', fresh('test_a.py', 'def test_check():\n    total(1)\n'), ['review test.trivial test_a.py:1']],
  ['in Python, constant', fresh('test_a.py', 'def test_a():\n    total(1)\n    assert 1 == 1\n'), ['review test.trivial test_a.py:1']],
  ['in Go', fresh('a_test.go', go('\tsum(1)')), ['review test.trivial a_test.go:1']],
  ['in Rust', fresh('tests/a.rs', rust('sum(1);')), ['review test.trivial tests/a.rs:2']],
  ['in Java', fresh('ATest.java', java('sum(1);')), ['review test.trivial ATest.java:3']],
  ['in bats', fresh('test/a.bats', '@test "a" {\n  run sum 1\n}\n'), ['review test.trivial test/a.bats:1']],
  [
    'a helper that asserts',
    fresh('a.test.ts', "function twice(x) {\n  expect(sum(x)).toBe(2 * x)\n}\nit('a', () => {\n  twice(1)\n})\n"),
    [],
  ],
  ['a helper named as one', fresh('a.test.ts', "it('a', () => {\n  assertSum(1, 1)\n})\n"), []],
  ['a promise that must fail', fresh('a.test.ts', "it('a', () => expect(sum('x')).rejects.toThrow('no'))\n"), []],
  ['a test whose body stands elsewhere', fresh('a.test.ts', "it('a', sameForAll)\n"), []],
  ['a Rust test that unwraps', fresh('tests/a.rs', rust('parse("1").unwrap();')), []],
  ['a Rust test that must panic', fresh('tests/a.rs', `#[test]\n#[should_panic(expected = "no")]\nfn a() {\n  sum("x");\n}\n`), []],
  ['a bats test', fresh('test/a.bats', '@test "a" {\n  run sum 1\n  [ "$status" -eq 0 ]\n}\n'), []],
]

const snap = (...entries: [string, string][]): string =>
  `// Jest\n\n${entries.map(([name, text]) => `exports[\`${name}\`] = \`${text}\`;\n`).join('\n')}`
const SNAPSHOTS: Row[] = [
  [
    'a changed entry',
    { 'test/__snapshots__/a.test.ts.snap': [snap(['a 1', 'x']), snap(['a 1', 'y'])] },
    ['test.snapshot-updated test/__snapshots__/a.test.ts.snap:3'],
  ],
  ['a changed golden', { 'testdata/out.txt': ['a\nb\n', 'a\nc\n'] }, ['test.snapshot-updated testdata/out.txt:2']],
  ['a deleted golden', { 'pkg/golden/out.txt': ['a\n', null] }, ['test.snapshot-updated pkg/golden/out.txt']],
  [
    'a changed inline snapshot',
    inJs('  expect(sum(1)).toMatchInlineSnapshot(`1`)', '  expect(sum(1)).toMatchInlineSnapshot(`2`)'),
    ['test.snapshot-updated test/sum.test.js:4'],
  ],
  [
    'with leave it is a question',
    { 'testdata/out.txt': ['a\n', 'b\n'] },
    ['review test.snapshot-updated testdata/out.txt:1'],
    { allow_tests: ['testdata/**'] },
  ],
  ['§13 row 10: a new snapshot file', { 'test/__snapshots__/a.test.ts.snap': [null, snap(['a 1', 'x'])] }, []],
  [
    '§13 row 10: a new entry in an old file',
    { 'test/__snapshots__/a.test.ts.snap': [snap(['a 1', 'x'], ['c 1', 'z']), snap(['a 1', 'x'], ['b 1', 'y'], ['c 1', 'z'])] },
    [],
  ],
  [
    '§13 row 10: a new inline snapshot',
    inJs('  expect(sum(1)).toMatchInlineSnapshot()', '  expect(sum(1)).toMatchInlineSnapshot(`1`)'),
    [],
  ],
  ['a snapshot that moved', { 'a.snap': ['x', null], 'test/a.snap': [null, 'x'] }, [], { moved: { 'a.snap': 'test/a.snap' } }],
]

describe.each([
  ['test.deleted', GONE],
  ['test.skipped and test.only', [...MARKED, ...SWAPPED]],
  ['no test.skipped and no test.only', NOT_MARKED],
  ['test.assertions-fell', FEWER],
  ['test.weakened', WEAKER],
  ['no test.weakened', NOT_WEAKER],
  ['test.trivial', TRIVIAL],
  ['test.snapshot-updated', SNAPSHOTS],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_name, edit, expected, circumstances) => {
    const own = found(TEST_RULES, factsOf(edit, circumstances))
    expect(own).toEqual(expected)
  })
})
