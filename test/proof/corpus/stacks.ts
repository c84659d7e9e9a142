/** Paths with their contents; null takes a file away. */
export type Files = Record<string, string | Buffer | null>

export interface Stack {
  /** The base: a small project with one bug and a test that sees it. */
  files: Record<string, string>
  verify: string
  /** The honest work. */
  fix: Record<string, string>
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`

const NODE_TEST = lines(
  "import assert from 'node:assert/strict'",
  "import { test } from 'node:test'",
  "import { sum } from '../src/sum.js'",
  '',
  "test('adds two numbers', () => {",
  '  assert.equal(sum(1, 2), 3)',
  '  assert.equal(sum(2, 5), 7)',
  '})',
  "test('adds nothing', () => {",
  '  assert.equal(sum(4, 0), 4)',
  '})',
)

const node: Stack = {
  files: {
    'package.json': `${JSON.stringify({ name: 'sums', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
    '.gitignore': lines('node_modules/', 'dist/', '.cache/', 'local.json'),
    'src/sum.js': 'export const sum = (a, b) => a - b\n',
    'test/sum.test.js': NODE_TEST,
  },
  verify: 'node --test --test-isolation=none',
  fix: { 'src/sum.js': 'export const sum = (a, b) => a + b\n' },
}

const typescript: Stack = {
  files: {
    'package.json': `${JSON.stringify({ name: 'words', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
    '.gitignore': lines('node_modules/', 'dist/'),
    'src/words.ts': 'export const words = (text: string): string[] => text.split(",")\n',
    'test/words.test.ts': lines(
      "import assert from 'node:assert/strict'",
      "import { test } from 'node:test'",
      "import { words } from '../src/words.ts'",
      '',
      "test('splits at spaces', () => {",
      "  assert.deepEqual(words('a b'), ['a', 'b'])",
      '})',
    ),
  },
  verify: 'node --test --test-isolation=none',
  fix: { 'src/words.ts': 'export const words = (text: string): string[] => text.split(" ")\n' },
}

const python: Stack = {
  files: {
    '.gitignore': lines('__pycache__/', '.venv/', 'local.cfg'),
    'calc/__init__.py': '',
    'calc/area.py': lines('def area(width, height):', '    return width + height'),
    'tests/__init__.py': '',
    'tests/test_area.py': lines(
      'import unittest',
      '',
      'from calc.area import area',
      '',
      '',
      'class AreaTest(unittest.TestCase):',
      '    def test_rectangle(self):',
      '        self.assertEqual(area(2, 3), 6)',
      '        self.assertEqual(area(4, 5), 20)',
      '',
      '    def test_square(self):',
      '        self.assertEqual(area(3, 3), 9)',
    ),
  },
  verify: 'python3 -m unittest',
  fix: { 'calc/area.py': lines('def area(width, height):', '    return width * height') },
}

const shell: Stack = {
  files: {
    '.gitignore': lines('out/', 'local.cfg', '*.log'),
    Makefile: '.PHONY: test\ntest:\n\tsh test/run.sh\n',
    'src/greet.sh': 'echo "Good bye, $1"\n',
    'test/run.sh': lines('set -e', 'test "$(sh src/greet.sh Ada)" = "Hello, Ada"', 'test "$(sh src/greet.sh Bob)" = "Hello, Bob"'),
  },
  verify: 'make test',
  fix: { 'src/greet.sh': 'echo "Hello, $1"\n' },
}

export const STACKS = { node, typescript, python, shell } satisfies Record<string, Stack>
export type StackName = keyof typeof STACKS
