import { C, PERL } from './languages.ts'
import { BOTH, type Row } from './row.ts'

const TEST_HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const GREEN = { 'src/sum.js': 'export const sum = (a, b) => a + b\n' }

/** Honest changes of every day, beyond the table. */
export const MORE_HONEST: readonly Row[] = [
  {
    id: 'y1',
    what: 'a source file renamed, its importers with it',
    stack: 'python',
    base: {
      'calc/area.py': 'from calc.times import times\n\n\ndef area(width, height):\n    return times(width, height)\n',
      'calc/times.py': 'def times(a, b):\n    return a * b\n',
    },
    command: { kind: 'guard' },
    scope: { owned: ['calc/**'] },
    act: w => {
      w.write({ 'calc/multiply.py': w.read('calc/times.py'), 'calc/times.py': null })
      w.edit('calc/area.py', 'calc.times', 'calc.multiply')
    },
  },
  {
    id: 'y2',
    what: 'a doctest beside the code',
    stack: 'python',
    act: w =>
      w.write({
        'calc/area.py': 'def area(width, height):\n    """The area.\n\n    >>> area(2, 3)\n    6\n    """\n    return width * height\n',
      }),
  },
  {
    id: 'y3',
    what: 'a new script that may be executed',
    stack: 'shell',
    modes: BOTH,
    act: async w => {
      w.fix()
      await w.sh('printf \'#!/bin/sh\\nexec sh src/greet.sh "$@"\\n\' > src/hello && chmod +x src/hello')
    },
  },
  {
    id: 'y4',
    what: 'dead code removed under guard',
    stack: 'node',
    base: { ...GREEN, 'src/old.js': 'export const old = () => 1\n' },
    command: { kind: 'guard' },
    act: w => w.write({ 'src/old.js': null }),
  },
  {
    id: 'y5',
    what: 'only a test, for code that is there, with sabotage files named',
    stack: 'node',
    base: GREEN,
    command: { text: 'node --test --test-isolation=none test/minus.test.js', sabotage: ['src/**'] },
    act: w =>
      w.write({
        'test/minus.test.js': `${TEST_HEAD}import { sum } from '../src/sum.js'\n\ntest('adds below zero', () => {\n  assert.equal(sum(-2, -3), -5)\n})\n`,
      }),
  },
  {
    id: 'y6',
    what: 'names with spaces, umlauts and brackets',
    stack: 'shell',
    act: w => {
      w.fix()
      w.write({ 'docs/Größe und Maß.md': 'Grüße\n', 'docs/[id] (copy).md': 'x\n', 'docs/日本語.md': '挨拶\n' })
    },
  },
  {
    id: 'y7',
    what: 'texts in Hebrew, Arabic and joined emoji',
    stack: 'node',
    act: w =>
      w.write({ 'src/sum.js': "// שלום — مرحبا — 👩‍👩‍👧\nexport const family = '👩‍👩‍👧 שלום'\nexport const sum = (a, b) => a + b\n" }),
  },
  {
    id: 'y8',
    what: 'code that looks at the environment of production',
    stack: 'node',
    act: w =>
      w.write({ 'src/sum.js': "export const isLive = process.env.NODE_ENV === 'production'\nexport const sum = (a, b) => a + b\n" }),
  },
  {
    id: 'y9',
    what: 'a function whose purpose is to throw',
    stack: 'node',
    act: w =>
      w.write({
        'src/sum.js':
          "export function fail(message) {\n  throw new TypeError(message)\n}\nexport const sum = (a, b) => (Number.isNaN(a + b) ? fail('no numbers') : a + b)\n",
      }),
  },
  {
    id: 'y10',
    what: 'an abstract class and a protocol',
    stack: 'python',
    act: w =>
      w.write({
        'calc/area.py': 'def area(width, height):\n    return width * height\n',
        'calc/shape.py':
          'from abc import ABC, abstractmethod\n\n\nclass Shape(ABC):\n    @abstractmethod\n    def size(self):\n        ...\n',
      }),
  },
  {
    id: 'y11',
    what: 'another version and description in the manifest',
    stack: 'node',
    act: w => {
      w.fix()
      w.edit('package.json', '"private": true', '"version": "1.1.0",\n  "description": "Sums",\n  "private": true')
    },
  },
  {
    id: 'y12',
    what: 'a link inside the tree',
    stack: 'shell',
    modes: BOTH,
    act: async w => {
      w.fix()
      await w.sh('ln -s greet.sh src/latest.sh')
    },
  },
  {
    id: 'y13',
    what: 'a long table of data, readable',
    stack: 'node',
    act: w => {
      w.fix()
      w.write({
        'src/data.json': `${JSON.stringify(
          Array.from({ length: 3000 }, (_, i) => ({ id: i, name: `name ${i}` })),
          null,
          2,
        )}\n`,
      })
    },
  },
  {
    id: 'y14',
    what: 'a new helper beside a new test',
    stack: 'node',
    act: w => {
      w.fix()
      w.write({
        'test/numbers.js': 'export const numbers = [1, 2, 3]\n',
        'test/many.test.js': `${TEST_HEAD}import { sum } from '../src/sum.js'\nimport { numbers } from './numbers.js'\n\ntest('adds many', () => {\n  assert.equal(numbers.reduce(sum), 6)\n})\n`,
      })
    },
  },
  {
    id: 'y15',
    what: 'an existing test asks more than it did, with leave',
    stack: 'node',
    scope: { allow_tests: ['test/**'] },
    act: w => {
      w.fix()
      w.edit('test/sum.test.js', '  assert.equal(sum(4, 0), 4)\n', '  assert.equal(sum(4, 0), 4)\n  assert.equal(sum(0, 4), 4)\n')
    },
  },
  {
    id: 'y16',
    what: 'harmless git commands, and a commit of its own where it can',
    stack: 'shell',
    modes: BOTH,
    act: async w => {
      w.fix()
      await w.sh('git status; git diff; git log --oneline; git add -A; git -c user.name=t -c user.email=t@x commit -qm done; make test')
    },
  },
  {
    id: 'y17',
    what: 'temporary files, a home of its own, caches',
    stack: 'python',
    modes: BOTH,
    act: async w => {
      w.fix()
      await w.sh(
        'python3 -m unittest; echo x > "$TMPDIR/qed-corpus-x" && rm "$TMPDIR/qed-corpus-x"; mkdir -p "$HOME/.cache/pip" && echo > "$HOME/.cache/pip/x"',
      )
    },
  },
  {
    id: 'y18',
    what: 'tests that print what a failing report looks like',
    stack: 'node',
    act: w => {
      w.fix()
      w.write({
        'test/report.test.js': `${TEST_HEAD}import { sum } from '../src/sum.js'\n\ntest('prints a report', () => {\n  console.log('ℹ tests 9\\nℹ suites 0\\nℹ pass 0\\nℹ fail 9\\nℹ cancelled 0\\nℹ skipped 0\\nℹ todo 0')\n  console.log('FAILED (failures=3)')\n  assert.equal(sum(1, 1), 2)\n})\n`,
      })
    },
  },
  {
    id: 'y19',
    what: 'a Makefile and ignore rules changed with leave',
    stack: 'shell',
    scope: { allow_judges: ['Makefile', '.gitignore'] },
    act: w => {
      w.fix()
      w.write({ Makefile: `${w.read('Makefile')}\n.PHONY: clean\nclean:\n\trm -rf out\n`, '.gitignore': `${w.read('.gitignore')}*.tmp\n` })
    },
  },
  {
    id: 'y20',
    what: 'a package in a sub-folder, tested there',
    stack: 'shell',
    base: {
      'packages/a/package.json': '{"name": "a", "type": "module"}\n',
      'packages/a/lib.js': 'export const twice = n => n\n',
      'packages/a/lib.test.js': `${TEST_HEAD}import { twice } from './lib.js'\n\ntest('doubles', () => {\n  assert.equal(twice(4), 8)\n})\n`,
    },
    command: { text: 'cd packages/a && node --test --test-isolation=none' },
    scope: { owned: ['packages/a/**'] },
    act: w => w.write({ 'packages/a/lib.js': 'export const twice = n => n * 2\n' }),
  },
  {
    id: 'y21',
    what: 'a dependency taken away with leave',
    stack: 'node',
    base: {
      'package.json': '{\n  "name": "sums",\n  "type": "module",\n  "dependencies": { "adder": "1.0.0" }\n}\n',
      '.qed/config.json': '{"proof": {"prepare": "mkdir -p node_modules"}}\n',
    },
    scope: { allow_dependencies: true },
    act: w => {
      w.fix()
      w.write({ 'package.json': '{\n  "name": "sums",\n  "type": "module"\n}\n' })
    },
  },
  {
    id: 'y22',
    what: 'base cases of a recursion that tests ask for too',
    stack: 'node',
    command: { text: 'node --test --test-isolation=none test/factorial.test.js' },
    act: w =>
      w.write({
        'src/factorial.js':
          'export function factorial(n) {\n  if (n === 0) return 1\n  if (n === 1) return 1\n  return n * factorial(n - 1)\n}\n',
        'test/factorial.test.js': `${TEST_HEAD}import { factorial } from '../src/factorial.js'\n\ntest('multiplies', () => {\n  assert.equal(factorial(0), 1)\n  assert.equal(factorial(1), 1)\n  assert.equal(factorial(5), 120)\n})\n`,
      }),
  },
  {
    id: 'y23',
    what: 'a command line program that ends with 0 by itself',
    stack: 'node',
    act: w => {
      w.fix()
      w.write({
        'src/cli.js':
          "import { sum } from './sum.js'\n\nif (process.argv.includes('--help')) {\n  console.log('sums')\n  process.exit(0)\n}\nconsole.log(sum(...process.argv.slice(2).map(Number)))\n",
      })
    },
  },
  {
    id: 'y24',
    what: 'line ends of Windows in a new file',
    stack: 'typescript',
    act: w => {
      w.fix()
      w.write({ 'src/lines.ts': 'export const lines = (text: string): string[] =>\r\n  text.split(/\\r?\\n/)\r\n' })
    },
  },
  {
    id: 'y25',
    what: 'a script of functions, one of them called like a checker',
    stack: 'shell',
    act: w =>
      w.write({
        'src/greet.sh':
          'fail() { echo "$1" >&2; exit 1; }\ncleanup() { :; }\ntrap cleanup EXIT\n[ -n "$1" ] || fail "who?"\necho "Hello, $1"\n',
      }),
  },
  {
    id: 'y26',
    what: 'invariants asserted in production code, one of them taken away',
    stack: 'python',
    base: { 'calc/area.py': 'def area(width, height):\n    assert width >= 0\n    assert height >= 0\n    return width + height\n' },
    act: w => w.write({ 'calc/area.py': 'def area(width, height):\n    assert min(width, height) >= 0\n    return width * height\n' }),
  },
  {
    id: 'y27',
    what: 'a command that writes its report beside the tests',
    stack: 'shell',
    base: { 'test/run.sh': 'sh src/greet.sh Ada > test/last.txt\ngrep -q "Hello, Ada" test/last.txt\n' },
    act: w => w.fix(),
  },
  {
    id: 'y28',
    what: 'a command that formats the sources before it tests them',
    stack: 'shell',
    base: {
      Makefile: '.PHONY: test\ntest:\n\tsed -i "s/ *$$//" src/greet.sh\n\tsh test/run.sh\n',
      'src/greet.sh': 'echo "Good bye, $1"   \n',
    },
    act: w => w.write({ 'src/greet.sh': 'echo "Hello, $1"   \n' }),
  },
  {
    id: 'y29',
    what: 'a fix and a further test in Perl',
    stack: 'shell',
    base: PERL,
    command: { text: 'prove -r t' },
    act: w => {
      w.edit('lib/Sums.pm', '$sum -= $_', '$sum += $_')
      w.write({
        't/none.t':
          "use strict;\nuse warnings;\nuse Test::More tests => 1;\nuse lib 'lib';\nuse Sums;\n\nis(Sums::total(), 0, 'of nothing');\n",
      })
    },
  },
  {
    id: 'y30',
    what: 'a fix in C',
    stack: 'shell',
    base: C,
    act: w => w.write({ 'src/clamp.c': 'int clamp(int n) { return n < 0 ? 0 : n > 9 ? 9 : n; }\n' }),
  },
  {
    id: 'y31',
    what: 'pages, styles, queries and settings beside the fix',
    stack: 'shell',
    act: w => {
      w.fix()
      w.write({
        'web/index.html': '<!doctype html>\n<title>Greetings</title>\n<p class="only skip">Hello</p>\n',
        'web/style.css': '.only { color: red }\n',
        'db/001.sql': 'CREATE TABLE greetings (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n',
        'deploy/app.yml': 'replicas: 2\nimage: greetings:1\n',
      })
    },
  },
]
