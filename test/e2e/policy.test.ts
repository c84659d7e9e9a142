import { expect, test } from 'vitest'
import { testProject } from '../support/qed.ts'

test('P-62 --exit-verdict exits 0, 5 or 4 for allow, ask and deny; without it 0', async () => {
  const project = await testProject()
  const exit = async (...args: string[]) => (await project.run(['policy', 'explain', ...args])).exit
  expect([
    await exit('--path', 'a.ts', '--exit-verdict'),
    await exit('--path', 'a.ts', '--access', 'write', '--exit-verdict'),
    await exit('--path', '/etc/passwd', '--exit-verdict'),
    await exit('--path', 'a.ts', '--access', 'write', '--approver', 'none', '--exit-verdict'),
    await exit('--path', '/etc/passwd'),
  ]).toEqual([0, 5, 4, 5, 0])
})

test('P-62 the highest verdict of many lines is the exit code with --strict', async () => {
  const project = await testProject()
  const lines = [
    { path: 'a.ts', exit_verdict: true },
    { path: 'a.ts', access: 'write', exit_verdict: true },
  ]
  const ran = await project.run(['policy', 'explain', '--jsonl', '--strict'], { stdin: lines.map(line => JSON.stringify(line)).join('\n') })
  expect({
    exit: ran.exit,
    verdicts: ran.stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { verdict: string }).verdict),
  }).toEqual({ exit: 5, verdicts: ['allow', 'ask'] })
})

test('P-11 trust is refused to anything that is not a person at a terminal', async () => {
  const project = await testProject()
  expect((await project.run(['project', 'trust', '0'.repeat(64)])).exit).toBe(4)
})
