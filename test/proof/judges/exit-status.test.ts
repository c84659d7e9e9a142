import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifyCommandFault } from '../../../src/proof/judges/verify-command.ts'
import { temporaryFolder } from '../../support/folders.ts'

// The program that judges, and fails.
const folder = temporaryFolder()
writeFileSync(join(folder, 'probe'), '#!/bin/sh\nexit 3\n', { mode: 0o755 })

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const { text: shellText } = fc.letrec<{ leaf: string; text: string }>(tie => ({
  leaf: fc.constantFrom(
    './probe',
    './probe',
    './probe',
    'true',
    'echo x',
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
    tie('text').map(inner => `sh -ec ${quoted(inner)}`),
    tie('text').map(inner => `env A=1 bash -o pipefail -c ${quoted(inner)}`),
    fc.tuple(tie('text'), tie('text')).map(([condition, otherwise]) => `if ${condition}\nthen true\nelse ${otherwise}\nfi`),
    fc.tuple(tie('text'), tie('text')).map(([condition, then]) => `if ! { ${condition}\n}\nthen ${then}\nfi`),
    tie('text').map(body => `for i in 1 2\ndo ${body}\ndone`),
  ),
}))

test('F-21 what passes the judge fails in the real shell when the program that judges fails', () => {
  let passed = 0
  fc.assert(
    fc.property(shellText, text => {
      fc.pre(verifyCommandFault(text) === null)
      passed++
      const { status } = spawnSync('bash', ['--noprofile', '--norc', '-o', 'pipefail', '-c', text], { cwd: folder, timeout: 20_000 })
      expect(status, text).not.toBe(0)
    }),
    { numRuns: 400, maxSkipsPerRun: 1000 },
  )
  expect(passed).toBeGreaterThan(100)
})
