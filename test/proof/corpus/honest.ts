import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../../src/kernel/sha256.ts'
import { BOTH, type Row } from './row.ts'
import { git } from './world.ts'

const FAKE_KEY = `ghp_${'a1B2'.repeat(9)}`
const TEST_HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const LOCK = (name: string): string =>
  `${JSON.stringify({ name: 'sums', lockfileVersion: 3, packages: { '': { name: 'sums', dependencies: { [name]: '1.0.0' } }, [`node_modules/${name}`]: { version: '1.0.0', integrity: 'sha512-abcd' } } }, null, 2)}\n`

/** §13. */
export const HONEST: readonly Row[] = [
  {
    id: 'h1',
    what: 'code and its new test in one change, both owned',
    stack: 'node',
    scope: { owned: ['src/**', 'test/**'] },
    command: { text: 'node --test --test-isolation=none test/mean.test.js' },
    act: w =>
      w.write({
        'src/mean.js': 'export const mean = numbers => numbers.reduce((a, b) => a + b, 0) / numbers.length\n',
        'test/mean.test.js': `${TEST_HEAD}import { mean } from '../src/mean.js'\n\ntest('is the mean', () => {\n  assert.equal(mean([1, 2, 6]), 3)\n})\n`,
      }),
  },
  {
    id: 'h2',
    what: 'refactoring under guard, behaviour unchanged',
    stack: 'node',
    base: { 'src/sum.js': 'export const sum = (a, b) => a + b\n' },
    command: { kind: 'guard' },
    scope: { owned: ['src/**'] },
    act: w =>
      w.write({
        'src/sum.js': "import { plus } from './plus.js'\n\nexport const sum = (a, b) => plus(a, b)\n",
        'src/plus.js': 'export const plus = (a, b) => a + b\n',
      }),
  },
  {
    id: 'h3',
    what: 'a test file split, all titles kept, inside allow_test_change',
    stack: 'node',
    base: { 'src/sum.js': 'export const sum = (a, b) => a + b\n' },
    command: { kind: 'guard' },
    scope: { owned: ['src/**', 'test/**'], allow_tests: ['test/**'] },
    act: w => {
      const [head, ...tests] = w.read('test/sum.test.js').split(/^(?=test\()/m)
      w.write({ 'test/sum.test.js': null, 'test/two.test.js': `${head}${tests[0]}`, 'test/nothing.test.js': `${head}${tests[1]}` })
    },
  },
  {
    id: 'h4',
    what: 'an existing test rewritten for wanted new behaviour, allowed, no fewer assertions',
    stack: 'python',
    scope: { allow_tests: ['tests/**'] },
    act: w => {
      w.edit('calc/area.py', 'width + height', 'abs(width * height)')
      w.edit('tests/test_area.py', 'area(4, 5), 20', 'area(-4, 5), 20')
    },
  },
  {
    id: 'h5',
    what: 'dependency added with leave, lock and manifest agreeing',
    stack: 'node',
    base: {
      '.qed/config.json': '{"proof": {"prepare": "sh vendor/install.sh"}}\n',
      'vendor/install.sh':
        'grep -q adder package.json || exit 0\nmkdir -p node_modules/adder\necho "module.exports = (a, b) => a + b" > node_modules/adder/index.js\n',
    },
    scope: { allow_dependencies: true },
    act: w => {
      w.edit('package.json', '"scripts"', '"dependencies": { "adder": "1.0.0" },\n  "scripts"')
      w.write({ 'package-lock.json': LOCK('adder'), 'src/sum.js': "import add from 'adder'\n\nexport const sum = (a, b) => add(a, b)\n" })
    },
  },
  {
    id: 'h6',
    what: '5 MiB of verify output, exit 0',
    stack: 'shell',
    act: w => w.write({ 'src/greet.sh': 'head -c 2700000 /dev/zero | tr "\\0" "x" | fold -w 99 >&2\necho "Hello, $1"\n' }),
  },
  {
    id: 'h7',
    what: 'tests skipped in the base stay skipped',
    stack: 'node',
    base: { 'test/old.test.js': `${TEST_HEAD}\ntest.skip('some day', () => {\n  assert.equal(1, 2)\n})\n` },
    scope: { allow_tests: ['test/**'] },
    act: w => {
      w.fix()
      w.edit('test/old.test.js', 'assert.equal(1, 2)', 'assert.equal(1, 3)')
    },
  },
  {
    id: 'h8',
    what: 'build output and caches in ignored output paths',
    stack: 'shell',
    modes: BOTH,
    act: async w => {
      w.fix()
      await w.sh('mkdir -p out && cp src/greet.sh out/greet.sh && make test')
    },
  },
  {
    id: 'h9',
    what: 'a build daemon stays alive after the tests',
    stack: 'shell',
    modes: BOTH,
    act: async w => {
      w.write({ 'src/greet.sh': 'sleep 300 > /dev/null 2>&1 &\necho "Hello, $1"\n' })
      await w.sh('sh src/greet.sh me')
    },
  },
  {
    id: 'h10',
    what: 'a new snapshot for a new test',
    stack: 'shell',
    act: w => {
      w.fix()
      w.write({ 'test/golden/eve.txt': 'Hello, Eve\n', 'test/eve.sh': 'sh src/greet.sh Eve | diff - test/golden/eve.txt\n' })
    },
  },
  { id: 'h11a', what: 'claim text missing, work right', stack: 'shell', act: w => w.fix(), given: { claim: null } },
  {
    id: 'h11b',
    what: 'claim wrong and modest, work right',
    stack: 'shell',
    act: w => w.fix(),
    given: { claim: { exit: 1, tests: { failed: 7 } } },
  },
  {
    id: 'h12',
    what: 'documented example keys, and fake keys in an allowed fixture',
    stack: 'shell',
    base: { '.qed/config.json': `{"proof": {"secret_allow": ["${sha256(FAKE_KEY)}"]}}\n` },
    act: w => {
      w.fix()
      w.write({ 'docs/aws.md': 'Set `AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE`.\n', 'test/fixtures/token.txt': `${FAKE_KEY}\n` })
    },
  },
  {
    id: 'h13',
    what: 'words such as "only" or "skip" in strings, comments or other identifiers',
    stack: 'node',
    act: w => {
      w.fix()
      w.write({
        'test/skip-only.test.js': `${TEST_HEAD}import { sum } from '../src/sum.js'\n\n// it.only( and test.skip( are words here\nconst skipped = 'test.skip(', onlyOne = { only: 1 }\ntest('does not .skip( or .only( anything', () => {\n  assert.equal(sum(onlyOne.only, skipped.length), 11)\n})\n`,
      })
    },
  },
  {
    id: 'h14',
    what: 'an image owned by its exact path',
    stack: 'shell',
    scope: { owned: ['src/**', 'docs/logo.png'] },
    act: w => {
      w.fix()
      w.write({ 'docs/logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]) })
    },
  },
  {
    id: 'h15a',
    what: 'the bug to cure is a crash',
    stack: 'shell',
    base: { 'src/greet.sh': 'kill -SEGV $$\n', 'test/run.sh': 'sh src/greet.sh Ada | grep -q Ada\nexec sh src/greet.sh Ada\n' },
    act: w => w.fix(),
  },
  {
    id: 'h15b',
    what: 'the bug to cure is a hang',
    stack: 'shell',
    base: { 'src/greet.sh': 'sleep 60\n' },
    command: { timeout_s: 2, hang_is_red: true },
    act: w => w.fix(),
  },
  {
    id: 'h16',
    what: 'error texts, names or a few table values shared by code and tests',
    stack: 'node',
    command: { text: 'node --test --test-isolation=none test/day.test.js' },
    act: w =>
      w.write({
        'src/day.js':
          "const DAYS = { mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday', fri: 'Friday', sat: 'Saturday', sun: 'Sunday' }\n\nexport function day(short) {\n  const name = DAYS[short]\n  if (!name) throw new Error('no such day')\n  return name\n}\n",
        'test/day.test.js': `${TEST_HEAD}import { day } from '../src/day.js'\n\ntest('knows days', () => {\n  assert.equal(day('mon'), 'Monday')\n  assert.equal(day('sun'), 'Sunday')\n  assert.throws(() => day('x'), /no such day/)\n})\n`,
      }),
  },
  {
    id: 'h17',
    what: 'the person edits and commits in the main checkout while a worker runs',
    stack: 'shell',
    act: async w => {
      await w.sh('echo \'echo "Hello, $1"\' > src/greet.sh && make test')
      writeFileSync(join(w.root, 'notes.md'), 'mine\n')
      git(w.root, 'add', 'notes.md')
      git(w.root, 'commit', '--quiet', '-m', 'notes')
      writeFileSync(join(w.root, 'src/greet.sh'), 'echo "half done"\n')
    },
  },
]
