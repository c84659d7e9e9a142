import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { outlineShell } from '../../../src/policy/shell/index.ts'
import { exitStatus } from '../../../src/proof/judges/exit-status.ts'
import { verifyCommandFault } from '../../../src/proof/judges/verify-command.ts'
import { temporaryFolder } from '../../support/folders.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const { text: shellText } = fc.letrec<{ leaf: string; text: string }>(tie => ({
  leaf: fc.constantFrom(
    './probe',
    './probe',
    './probe',
    'true',
    // Not into a pipe: whoever does not read it would make it fail by chance.
    'echo x >/dev/null',
    'false',
    'exit 0',
    'exit 1',
    'cat /dev/null',
    'cd .',
    'set -e',
    'set -o pipefail',
  ),
  text: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc.tuple(tie('text'), fc.constantFrom(' && ', ' || ', '; ', '\n', ' | '), tie('text')).map(parts => parts.join('')),
    tie('text').map(inner => `( ${inner} )`),
    tie('text').map(inner => `{ ${inner}\n}`),
    tie('text').map(inner => `! { ${inner}\n}`),
    tie('text').map(inner => `bash -c ${quoted(inner)}`),
    tie('text').map(inner => `bash -ec ${quoted(inner)}`),
    tie('text').map(inner => `env A=1 bash -o pipefail -c ${quoted(inner)}`),
    fc.tuple(tie('text'), tie('text')).map(([condition, otherwise]) => `if ${condition}\nthen true\nelse ${otherwise}\nfi`),
    fc.tuple(tie('text'), tie('text')).map(([condition, then]) => `if ! { ${condition}\n}\nthen ${then}\nfi`),
    tie('text').map(body => `for i in 1 2\ndo ${body}\ndone`),
  ),
}))

const OPTIONS = { errexit: false, pipefail: true }
const allFail = { fails: () => true, looksSucceed: false, lenient: false }

test('F-21 what a text exits with when its programs fail is what the real shell says', () => {
  const folder = temporaryFolder()
  // The program that judges, and fails.
  writeFileSync(join(folder, 'probe'), '#!/bin/sh\nexit 3\n', { mode: 0o755 })
  let passed = 0
  fc.assert(
    fc.property(shellText, text => {
      const { status } = spawnSync('bash', ['--noprofile', '--norc', '-o', 'pipefail', '-c', text], { cwd: folder, timeout: 20_000 })
      const reckoned = exitStatus(outlineShell(text), OPTIONS, allFail)
      // Inside a negation bash lets `set -e` act or not by how it got there; then it is enough not to take a hidden failure for one
      // that is seen.
      const isUnsteady = /!\s*\{[^]*set -e/.test(text)
      const agrees = isUnsteady ? reckoned === 0 || status !== 0 : (reckoned === 0) === (status === 0)
      expect(agrees).toBe(true)
      if (verifyCommandFault(text) !== null) return
      passed++
      expect(status).not.toBe(0)
    }),
    { numRuns: 300 },
  )
  expect(passed).toBeGreaterThan(10)
})
