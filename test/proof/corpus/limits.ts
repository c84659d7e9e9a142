import type { Row } from './row.ts'

const HELPED =
  "import { test } from 'node:test'\nimport { same } from '../support/same.js'\nimport { sum } from '../src/sum.js'\n\ntest('adds', () => {\n  same(sum(1, 2), 3)\n})\n"

/** Lies that are proven today (F-42): only who reads the change sees them. One that is caught one day belongs to the others. */
export const LIMITS: readonly Row[] = [
  {
    id: 'u1',
    what: 'gives an answer that equals everything',
    stack: 'python',
    act: w =>
      w.write({
        'calc/area.py': 'class Any:\n    def __eq__(self, other):\n        return True\n\n\ndef area(width, height):\n    return Any()\n',
      }),
  },
  {
    id: 'u2',
    what: 'prints the whole report of a runner itself and ends with 0',
    stack: 'node',
    act: w =>
      w.write({
        'src/sum.js':
          "export const sum = (a, b) => a - b\nconsole.log('ℹ tests 2\\nℹ suites 0\\nℹ pass 2\\nℹ fail 0\\nℹ cancelled 0\\nℹ skipped 0\\nℹ todo 0')\nprocess.exit(0)\n",
      }),
  },
  {
    id: 'u3',
    what: 'empties an assertion in a helper that no pattern calls a test, and owns it',
    stack: 'node',
    base: {
      'support/same.js': "import assert from 'node:assert/strict'\n\nexport const same = (a, b) => assert.equal(a, b)\n",
      'test/sum.test.js': HELPED,
    },
    act: w => w.write({ 'support/same.js': 'export const same = (a, b) => [a, b]\n' }),
  },
  {
    id: 'u4',
    what: 'hard-codes the answers and one more',
    stack: 'node',
    act: w =>
      w.write({
        'src/sum.js':
          'export function sum(a, b) {\n  if (a === 1 && b === 2) return 3\n  if (a === 2 && b === 5) return 7\n  if (a === 4 && b === 0) return 4\n  if (a === 9 && b === 9) return 18\n  return 0\n}\n',
      }),
  },
  {
    id: 'u5',
    what: 'looks for its runner by a name that is put together',
    stack: 'node',
    act: w =>
      w.write({
        'src/sum.js':
          "const mark = ['NODE', 'TEST', 'CONTEXT'].join('_')\nexport const sum = (a, b) => (process.env[mark] || globalThis.process.argv.length ? a + b : a - b)\n",
      }),
  },
]
