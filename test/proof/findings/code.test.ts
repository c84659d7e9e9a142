import { describe, expect, test } from 'vitest'
import { CODE_RULES } from '../../../src/proof/findings/code/rules.ts'
import { type Edit, factsOf, found } from './facts.ts'

type Row = [name: string, edit: Edit, expected: string[], circumstances?: Parameters<typeof factsOf>[1]]

const fresh = (path: string, text: string): Edit => ({ [path]: [null, text] })
const one = (id: string, rows: [path: string, text: string][]): Row[] =>
  rows.map(([path, text]) => [`${path}: ${text}`, fresh(path, text), [expect.stringMatching(`^${id} ${path}:\\d+$`) as string]])
const none = (rows: [path: string, text: string][]): Row[] => rows.map(([path, text]) => [`${path}: ${text}`, fresh(path, text), []])

const DETECTS = one('review code.detects-test', [
  ['src/a.ts', "if (process.env.NODE_ENV === 'test') f()"],
  ['src/a.ts', "if (process.env['NODE_ENV'] !== 'test') f()"],
  ['src/a.ts', "const isTest = 'test' === process.env.NODE_ENV"],
  ['src/a.ts', "const { NODE_ENV } = process.env, t = NODE_ENV == 'test'"],
  ['src/a.ts', 'if (process.env.JEST_WORKER_ID) f()'],
  ['src/a.ts', "if (process.env['VITEST']) f()"],
  ['src/a.ts', "if ('VITEST' in process.env) f()"],
  ['src/a.ts', "if (typeof jest !== 'undefined') f()"],
  ['src/a.ts', "if (process.argv.some(a => a.includes('vitest'))) f()"],
  ['src/a.ts', 'if (globalThis.expect) f()'],
  ['src/a.ts', "if (new Error().stack.includes('.test.')) f()"],
  ['a.py', "if os.environ.get('PYTEST_CURRENT_TEST'):\n  f()"],
  ['a.py', "if 'PYTEST_CURRENT_TEST' in os.environ:\n  f()"],
  ['a.py', "if 'pytest' in sys.modules:\n  f()"],
  ['a.py', 'if sys.argv[0].endswith("pytest"):\n  f()'],
  ['a.go', 'func A() {\n\tif testing.Testing() {\n\t\tf()\n\t}\n}'],
  ['a.go', 'var x = flag.Lookup("test.v") != nil'],
  ['a.go', 'var x = strings.HasSuffix(os.Args[0], ".test")'],
  ['src/a.rs', 'fn a() { if cfg!(test) { f() } }'],
  ['A.java', 'class A { boolean t() { return Class.forName("org.junit.Test") != null; } }'],
  ['a.rb', 'f if defined?(RSpec)'],
  ['a.php', "<?php if (defined('PHPUNIT_COMPOSER_INSTALL')) f();"],
  ['a.sh', 'if [ -n "$BATS_TEST_NAME" ]; then f; fi'],
])

const DETECTS_NOT = none([
  ['src/a.ts', "// process.env.NODE_ENV === 'test'\nconst doc = \"process.env.NODE_ENV === 'test'\""],
  ['src/a.ts', "if (process.env.NODE_ENV === 'production') f()"],
  ['src/a.ts', "const names = ['JEST_WORKER_ID', 'VITEST', 'PYTEST_CURRENT_TEST']"],
  ['src/a.ts', 'const vitest = runners.find(r => r.name === "vitest"); test(vitest)'],
  ['src/a.ts', 'if (import.meta.vitest) { const { it, expect } = import.meta.vitest; it("a", () => expect(f(1)).toBe(2)) }'],
  ['test/a.test.ts', 'if (process.env.VITEST) f()'],
  ['a.py', '"""Set PYTEST_CURRENT_TEST in os.environ."""\nrunner = "pytest"'],
  ['src/a.rs', '#[cfg(test)]\nmod tests {\n  fn a() { if cfg!(test) { f() } }\n}'],
])

const SUPPRESSED = one('review code.suppression', [
  ['src/a.ts', 'f() // eslint-disable-line no-console'],
  ['src/a.ts', '/* eslint-disable */'],
  ['src/a.ts', '// oxlint-disable-next-line no-shadow'],
  ['src/a.ts', '// biome-ignore lint/x: y'],
  ['src/a.ts', '// @ts-ignore'],
  ['src/a.ts', '// @ts-expect-error'],
  ['src/a.ts', '// @ts-nocheck'],
  ['src/a.ts', '/* istanbul ignore next */'],
  ['src/a.ts', '/* c8 ignore start */'],
  ['src/a.ts', '/* v8 ignore next 3 */'],
  ['src/A.tsx', 'const a = <p>{/* eslint-disable-next-line */}</p>'],
  ['test/a.test.ts', '// @ts-ignore'],
  ['a.py', 'import x  # noqa: F401'],
  ['a.py', 'x = f()  # type: ignore[attr]'],
  ['a.py', '# pylint: disable=all'],
  ['a.py', 'if x:  # pragma: no cover\n  f()'],
  ['a.py', 'subprocess.run(x)  # nosec'],
  ['a.go', 'x() //nolint:errcheck'],
  ['src/a.rs', '#[allow(dead_code)]\nfn a() { f() }'],
  ['src/a.rs', '#![allow(clippy::all)]'],
  ['A.java', '@SuppressWarnings("unchecked")\nclass A { }'],
  ['A.kt', '@Suppress("UNUSED")\nclass A'],
  ['A.cs', '#pragma warning disable CS0168'],
  ['a.rb', 'x # rubocop:disable all'],
  ['a.php', '<?php f(); // phpcs:ignore'],
  ['a.sh', '# shellcheck disable=SC2086\nf'],
  ['A.vue', '<!-- eslint-disable -->'],
  ['.trivyignore', 'CVE-2024-1'],
  ['.npmrc', 'audit=false'],
])

const SUPPRESSED_NOT: Row[] = [
  ...none([
    ['src/a.ts', "const rule = 'eslint-disable-next-line'; const t = `@ts-ignore`"],
    ['test/a.test.ts', '// @ts-expect-error a number is no string'],
    ['src/a.ts', '// ignore the type here, it is not known'],
    ['a.py', 'text = "# noqa"'],
    ['src/a.rs', 'fn allow(x: u8) { f("#[allow(x)]") }'],
    ['README.md', 'Use `// eslint-disable` sparingly.'],
    ['.trivyignore', '# nothing here'],
  ]),
  [
    'one that moved',
    {
      'src/a.ts': ['// eslint-disable-next-line no-console\nf()\n', null],
      'src/b.ts': [null, 'g()\n  // eslint-disable-next-line no-console\n  f()\n'],
    },
    [],
  ],
  ['one that was there', { 'src/a.ts': ['f() // eslint-disable-line\n', 'g()\nf() // eslint-disable-line\n'] }, []],
]

const STUBS = one('review code.stub', [
  ['src/a.ts', "export function a(x: number): number {\n  throw new Error('not implemented')\n}"],
  ['src/a.ts', 'const a = (x: number): number => {\n  throw new TypeError()\n}'],
  ['src/a.ts', 'class A {\n  a(): number {\n    // TODO: write this\n  }\n}'],
  ['src/a.ts', "function a() {\n  console.warn('Not implemented yet')\n  return null\n}"],
  ['a.py', 'def a(x):\n    """Adds."""\n    raise NotImplementedError\n'],
  ['a.py', 'def a(x):\n    pass\n'],
  ['a.py', 'def a(x): ...\n'],
  ['a.go', 'func A(x int) int {\n\tpanic("not implemented")\n}'],
  ['a.go', 'func A(x int) error {\n\treturn errors.New("not implemented")\n}'],
  ['src/a.rs', 'pub fn a(x: u8) -> u8 {\n  todo!()\n}'],
  ['src/a.rs', 'pub fn a(x: u8) -> u8 { unimplemented!("later") }'],
  ['A.java', 'class A {\n  int a() {\n    throw new UnsupportedOperationException();\n  }\n}'],
  ['A.kt', 'fun a(): Int {\n  TODO("later")\n}'],
  ['A.cs', 'class A {\n  int B() {\n    throw new NotImplementedException();\n  }\n}'],
  ['a.rb', 'def a(x)\n  raise NotImplementedError\nend'],
  ['a.php', "<?php function a() { throw new Exception('not implemented'); }"],
  ['a.sh', 'a() {\n  echo "not implemented"\n  return 1\n}'],
])

const STUBS_NOT: Row[] = [
  ...none([
    ['src/a.ts', 'function unreachable(x: never): never {\n  throw new Error(`unreachable ${x}`)\n}'],
    ['src/a.ts', 'function fail(why: string) {\n  throw new Failure(why)\n}'],
    ['src/a.ts', "function a(x) {\n  if (!x) throw new Error('no x')\n  return x\n}"],
    ['src/a.ts', 'const noop = () => {}'],
    ['a.py', 'class A(Protocol):\n    def a(self) -> int: ...\n\n    def b(self) -> str:\n        ...\n'],
    ['a.py', 'class A(ABC):\n    @abstractmethod\n    def a(self):\n        raise NotImplementedError\n'],
    ['a.py', 'class Missing(Exception):\n    pass\n'],
    ['a.go', 'func must(err error) {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n}'],
    ['src/a.rs', 'fn die() -> ! {\n  panic!("x")\n}'],
    ['src/a.rs', '#[cfg(test)]\nmod tests {\n  fn a() { todo!() }\n}'],
    ['test/a.test.ts', "function a() {\n  throw new Error('not implemented')\n}"],
  ]),
  [
    'one that was there',
    {
      'src/a.ts': [
        "function a() {\n  throw new Error('x')\n}\n",
        "function a() {\n  throw new Error('y')\n}\nfunction b() {\n  return 1\n}\n",
      ],
    },
    [],
  ],
  [
    'a function that became one',
    { 'src/a.ts': ['function a() {\n  return 1\n}\n', "function a() {\n  throw new Error('later')\n}\n"] },
    ['review code.stub src/a.ts:1'],
  ],
]

const HIDDEN = one('code.hidden-characters', [
  ['src/a.ts', 'if (x) { // \u202e admin \u2066'],
  ['README.md', 'pay \u202eyenom'],
  ['src/a.ts', 'const is\u200bAdmin = 1'],
  ['src/a.ts', 'const user\u2060Name = 1'],
  ['src/a.ts', 'const \u3164 = 1'],
  ['src/a.ts', 'const p\u0430ssword = 1'],
  ['src/a.ts', 'const p\u03b1ssword = 1'],
  ['a.py', 'is_\u0430 = 1'],
  ['a.go', 'var us\u0435r int'],
  ['src/a.ts', 'x // \u200f'],
])

const HIDDEN_NOT: Row[] = [
  ...none([
    ['src/a.ts', '\ufeffconst a = 1'],
    ['src/a.ts', "const family = '👨‍👩‍👧', flag = '🏳️‍🌈', joined = 'a\u200bb'"],
    ['src/a.ts', 'const имя = 1; const 名前 = 2; const όνομα = 3; const שם = 4'],
    ['a.py', 'def test_привет():\n    Δx = 1; ρ_water = 2; get名前 = μs(αRate)\n'],
    ['src/a.ts', 'const naïve = café // ёжик и кот'],
    ['messages/he.json', '{ "a": "\u200fשלום" }'],
  ]),
  ['one that was there', { 'src/a.ts': ['const x\u200by = 1\nf()\n', 'const x\u200by = 1\ng()\n'] }, []],
]

const squares = "test('squares', () => {\n  expect(square(2)).toBe(4)\n  expect(square(3)).toBe(9)\n})\n"
const answers = (code: string): Edit => ({ 'src/square.ts': [null, code], 'test/square.test.ts': [null, squares] })
const special = ['review code.special-cased src/square.ts:1']
const SPECIAL: Row[] = [
  [
    'comparisons',
    answers('export function square(n: number) {\n  if (n === 2) return 4\n  if (n === 3) return 9\n  return 0\n}\n'),
    special,
  ],
  [
    'a switch',
    answers('export function square(n: number) {\n  switch (n) {\n    case 2: return 4\n    case 3:\n      return 9\n  }\n}\n'),
    special,
  ],
  ['nested choices', answers('export const square = (n: number) => {\n  return n === 2 ? 4 : n === 3 ? 9 : 0\n}\n'), special],
  [
    'a table',
    answers('const answers: Record<number, number> = { 2: 4, 3: 9 }\nexport function square(n: number) {\n  return answers[n]\n}\n'),
    special,
  ],
  ['a map', answers('export function square(n: number) {\n  return new Map([[2, 4], [3, 9]]).get(n)\n}\n'), special],
  [
    'Python, rows of cases',
    {
      'add.py': [null, 'def add(a, b):\n    if a == 1 and b == 2:\n        return 3\n    if a == 2 and b == 5:\n        return 7\n'],
      'test_add.py': [
        null,
        "@pytest.mark.parametrize('a,b,want', [(1, 2, 3), (2, 5, 7)])\ndef test_add(a, b, want):\n    assert add(a, b) == want\n",
      ],
    },
    ['review code.special-cased add.py:1'],
  ],
  [
    'Go, a table test',
    {
      'sq.go': [null, 'func Square(n int) int {\n\tswitch n {\n\tcase 2:\n\t\treturn 4\n\tcase 3:\n\t\treturn 9\n\t}\n\treturn 0\n}\n'],
      'sq_test.go': [
        null,
        'func TestSquare(t *testing.T) {\n\tfor _, tt := range []struct{ in, want int }{{2, 4}, {3, 9}} {\n\t\tif got := Square(tt.in); got != tt.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n',
      ],
    },
    ['review code.special-cased sq.go:1'],
  ],
  [
    'Rust, a match',
    {
      'src/sq.rs': [null, 'pub fn square(n: u8) -> u8 {\n  match n {\n    2 => 4,\n    3 => 9,\n    _ => 0,\n  }\n}\n'],
      'tests/sq.rs': [null, '#[test]\nfn squares() {\n  assert_eq!(square(2), 4);\n  assert_eq!(square(3), 9);\n}\n'],
    },
    ['review code.special-cased src/sq.rs:1'],
  ],
  [
    'texts',
    {
      'src/up.js': [null, "export function up(s) {\n  if (s === 'a b') return 'A B'\n  if (s === 'c') return 'C'\n}\n"],
      'test/up.test.js': [null, "it('ups', () => {\n  assert.equal(up('a b'), 'A B')\n  assert.equal(up('c'), 'C')\n})\n"],
    },
    ['review code.special-cased src/up.js:1'],
  ],
]

const SPECIAL_NOT: Row[] = [
  ['§13 row 16: a general solution', answers('export function square(n: number) {\n  return n * n\n}\n'), []],
  [
    '§13 row 16: base cases, with another test',
    { ...answers('export function square(n: number) {\n  if (n === 2) return 4\n  return n * n\n}\n') },
    [],
  ],
  [
    '§13 row 16: a table that knows more',
    answers('const roman = { 2: 4, 3: 9, 4: 16 }\nexport function square(n: number) {\n  return roman[n]\n}\n'),
    [],
  ],
  [
    '§13 row 16: error texts and names shared with tests',
    {
      'src/load.ts': [
        null,
        "export function load(name: string) {\n  if (name === '') throw new Missing('no name')\n  if (name === 'a') return 'alpha'\n  return read(name)\n}\n",
      ],
      'test/load.test.ts': [
        null,
        "it('loads', () => {\n  expect(() => load('')).toThrow('no name')\n  expect(load('a')).toBe('alpha')\n  expect(load('b')).toBe('beta')\n})\n",
      ],
    },
    [],
  ],
  [
    'a single pair',
    {
      'src/one.ts': [null, 'export function one(n: number) {\n  if (n === 1) return 2\n  return n\n}\n'],
      'test/one.test.ts': [null, "it('a', () => { expect(one(1)).toBe(2) })\n"],
    },
    [],
  ],
  [
    'code that did not change',
    {
      'src/square.ts': [
        'export function square(n: number) {\n  if (n === 2) return 4\n  if (n === 3) return 9\n}\n',
        'export function square(n: number) {\n  if (n === 2) return 4\n  if (n === 3) return 9\n}\nexport const x = 1\n',
      ],
      'test/square.test.ts': [null, squares],
    },
    [],
  ],
]

describe.each([
  ['code.detects-test', DETECTS],
  ['no code.detects-test', DETECTS_NOT],
  ['code.suppression', SUPPRESSED],
  ['no code.suppression', SUPPRESSED_NOT],
  ['code.stub', STUBS],
  ['no code.stub', STUBS_NOT],
  ['code.hidden-characters', HIDDEN],
  ['no code.hidden-characters', HIDDEN_NOT],
  ['code.special-cased', SPECIAL],
  ['no code.special-cased', SPECIAL_NOT],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_name, edit, expected, circumstances) => {
    expect(found(CODE_RULES, factsOf(edit, circumstances))).toEqual(expected)
  })
})
