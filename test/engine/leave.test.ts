import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLeave } from '../../src/engine/work/leave.ts'
import { NO_LAYERS } from '../../src/policy/layers/layer.ts'
import { readShell } from '../../src/policy/read-shell.ts'
import { realFacts } from '../../src/sandbox/facts.ts'
import { temporaryFolder } from '../support/folders.ts'

const call = {
  id: 'a',
  name: 'read',
  preview: () => null,
  at: () => ({ loop: 1, turn: 0 }),
  announce: () => ({ requested: 1, decided: 2 }),
}

/** The judge of a run in a folder of its own, where nobody can be asked. */
function judge() {
  const root = temporaryFolder()
  const unanswered: string[] = []
  const leave = createLeave({
    scene: {
      cwd: root,
      facts: realFacts({ roots: [{ path: root, access: 'write' }], home: temporaryFolder(), tmp: '/tmp' }),
      context: { mode: 'act', surface: 'cli', approver: 'person' },
      layers: NO_LAYERS,
      readShell,
    },
    isolation: null,
    ask: () => Promise.resolve(null),
    remembered: () => [],
    onUnanswered: ({ decision }) => void unanswered.push(decision.code),
  })
  return { root, unanswered, read: () => leave({ verb: 'file.read', paths: [{ path: join(root, 'src/a'), access: 'read' }] }, call), leave }
}

describe('the judge of a run', () => {
  test('P-42: sees each path as it is when it is asked, not as it was at an earlier call', async () => {
    const { root, read } = judge()
    const outside = temporaryFolder()
    mkdirSync(join(root, 'src'))
    writeFileSync(join(root, 'src/a'), 'inside')
    const first = await read()
    expect([first.verdict, first.changed()]).toEqual(['allow', null])
    rmSync(join(root, 'src'), { recursive: true })
    symlinkSync(outside, join(root, 'src'))
    expect(first.changed()).toBe(join(root, 'src/a'))
    expect(await read()).toMatchObject({ verdict: 'deny', rule: 'floor/outside-roots' })
  })

  test('P-56: an ask that nobody can answer is a no that keeps its rule, without an approval', async () => {
    const { root, leave, unanswered } = judge()
    const answer = await leave({ verb: 'file.write', paths: [{ path: join(root, 'b'), access: 'write' }] }, call)
    expect(answer).toMatchObject({ verdict: 'deny', approval: null, rule: expect.stringMatching(/^defaults\//) as string })
    expect(unanswered).toEqual(['default'])
  })
})

test('P-42: a patch that names other files than when it was judged is not applied', async () => {
  const { root, leave } = judge()
  const patch = (name: string): void => writeFileSync(join(root, 'x.patch'), `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`)
  patch('src/a')
  const { changed } = await leave({ verb: 'process.exec', command: 'git apply x.patch' }, call)
  expect(changed()).toBeNull()
  patch('src/a')
  expect(changed()).toBeNull()
  patch('src/auth/login.ts')
  expect(changed()).toBe(join(root, 'x.patch'))
})
