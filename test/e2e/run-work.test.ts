import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { workIn } from '../support/proving.ts'
import { BIN } from '../support/qed.ts'

// A model that plays a script works in a repository that is not this one, through the built program.

const BROKEN = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/sum.js': 'export const sum = (a, b) => a - b\n',
  'test/sum.test.js': `import test from 'node:test'
import assert from 'node:assert/strict'
import { sum } from '../src/sum.js'
test('adds', () => { assert.equal(sum(2, 3), 5) })
`,
}
const mend = { name: 'edit', arguments: { path: 'src/sum.js', search: 'a - b', replace: 'a + b' } }
const done = { name: 'update', arguments: { status: 200, body: 'sum adds now.' } }

async function scene(turns: object[]) {
  const place = workIn(BROKEN)
  await place.qed(['init'])
  const script = join(place.env['HOME'] ?? '', 'script.json')
  writeFileSync(script, JSON.stringify({ scripts: { main: { turns } } }))
  return { ...place, work: (...args: string[]) => place.qed([...args, '--model', `script:${script}`, '--json']) }
}
const answer = (stdout: string): unknown => JSON.parse(stdout)

describe('qed fix', () => {
  test('I-1: works without a person inside its scope, and says that the model is scripted', async () => {
    const { work, root } = await scene([
      { calls: [{ name: 'read', arguments: { path: 'src/sum.js' } }] },
      { calls: [mend] },
      { calls: [done] },
    ])
    const ran = await work('fix', 'the failing test', '--scope', 'src/**')
    expect(ran.exit).toBe(0)
    expect(answer(ran.stdout)).toMatchObject({
      text: 'sum adds now.',
      tool_calls: 3,
      scripted: true,
      run: { status: 'completed', outcome: 'unproven' },
    })
    expect(readFileSync(join(root, 'src/sum.js'), 'utf8')).toContain('a + b')
  })

  test('I-1: without a scope and without a person the first ask ends the run with exit 5, and nothing is changed', async () => {
    const { work, root } = await scene([{ calls: [mend] }, { calls: [done] }])
    const ran = await work('fix', 'the failing test')
    expect(ran.exit).toBe(5)
    expect(answer(ran.stdout)).toMatchObject({ run: { status: 'failed', outcome: 'refused' } })
    expect(readFileSync(join(root, 'src/sum.js'), 'utf8')).toBe(BROKEN['src/sum.js'])
  })

  test('a write outside its scope is refused, told to the model, and counted', async () => {
    const outside = { name: 'write', arguments: { path: 'README.md', content: 'x' } }
    const { work, root } = await scene([{ calls: [outside] }, { calls: [mend] }, { calls: [done] }])
    const ran = await work('fix', 'the failing test', '--scope', 'src/**')
    expect(ran.exit).toBe(0)
    expect(answer(ran.stdout)).toMatchObject({ refused: 1 })
    expect(existsSync(join(root, 'README.md'))).toBe(false)
  })

  test('work that weakens the test is not proven; with the findings the model mends the code, and that is proven', async () => {
    const weaken = {
      name: 'edit',
      arguments: { path: 'test/sum.test.js', search: 'assert.equal(sum(2, 3), 5)', replace: 'assert.ok(true)' },
    }
    const restore = {
      name: 'edit',
      arguments: { path: 'test/sum.test.js', search: 'assert.ok(true)', replace: 'assert.equal(sum(2, 3), 5)' },
    }
    const { work } = await scene([
      { calls: [weaken] },
      { calls: [done] },
      { when: { sees: 'test.weakened' }, calls: [mend, restore] },
      { calls: [{ name: 'bash', arguments: { command: 'npm test' } }] },
      { calls: [done] },
    ])
    const ran = await work('fix', 'the failing test', '--scope', 'src/**,test/**', '--verify', 'npm test')
    expect(answer(ran.stdout)).toMatchObject({ rounds: 2, run: { outcome: 'proven' }, proof: { verdict: 'proven' } })
    expect(ran.exit).toBe(0)
  })

  test('U-6: work that stays unproven exits 6, a budget that is used up 7', async () => {
    const idle = await scene([{ calls: [done] }])
    expect((await idle.work('fix', 'x', '--scope', 'src/**', '--verify', 'npm test')).exit).toBe(6)
    expect((await idle.work('fix', 'x', '--scope', 'src/**', '--max-tool-calls', '0')).exit).toBe(7)
  })

  test('a proof of work in a repository without a commit has nothing to compare with, and says so before anything is done', async () => {
    const { work, root } = await scene([{ calls: [mend] }, { calls: [done] }])
    rmSync(join(root, '.git'), { recursive: true })
    execFileSync('git', ['init', '--quiet', root])
    const ran = await work('fix', 'the failing test', '--scope', 'src/**', '--verify', 'npm test')
    expect(ran.exit).toBe(2)
    expect(answer(ran.stdout)).toMatchObject({ error: { next: { command: 'git add <files> && git commit' } } })
    expect(readFileSync(join(root, 'src/sum.js'), 'utf8')).toBe(BROKEN['src/sum.js'])
  })

  test('L-40: resume without a name finds the newest run that was broken off, and says so where there is none', async () => {
    const { work, qed } = await scene([{ calls: [mend] }, { calls: [done] }])
    await work('fix', 'the failing test', '--scope', 'src/**')
    expect(await qed(['run', 'resume', '--json'])).toMatchObject({ exit: 3, stdout: expect.stringContaining('qed run list') as string })
    expect(answer((await qed(['run', 'resume', 'docs', '--json'])).stdout)).toMatchObject({
      error: { code: 'not_found', next: { command: 'qed run resume --prompt docs' } },
    })
  })

  test('L-25: plan cannot change a byte, whatever the model asks for', async () => {
    const { work, root } = await scene([{ calls: [mend] }, { text: 'The plan.' }])
    const ran = await work('plan', 'mend it', '--scope', '**')
    expect(ran.exit).toBe(4)
    expect(answer(ran.stdout)).toMatchObject({ run: { outcome: 'refused', outcome_reason: 'tool_refused: edit is not available here' } })
    expect(readFileSync(join(root, 'src/sum.js'), 'utf8')).toBe(BROKEN['src/sum.js'])
  })

  test('runs are listed and shown, and the log stays whole', async () => {
    const { work, qed } = await scene([{ calls: [mend] }, { calls: [done] }])
    await work('fix', 'the failing test', '--scope', 'src/**')
    const { items } = answer((await qed(['run', 'list', '--json'])).stdout) as { items: { alias: string; intent: string }[] }
    const [run] = items
    expect(run).toMatchObject({ intent: 'the failing test', status: 'completed' })
    const shown = answer((await qed(['run', 'show', run?.alias ?? '', '--json'])).stdout) as { events: { type: string }[] }
    expect(shown.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'run.started',
        'loop.started',
        'turn.requested',
        'turn.received',
        'call.reserved',
        'call.settled',
        'run.stopped',
      ]),
    )
    expect((await qed(['events', 'verify'])).exit).toBe(0)
    expect((await qed(['run', 'show', 'nothing'])).exit).toBe(3)
  })

  test('L-40: killed with -9 after its edit it goes on in the same scope, does nothing twice, and not again once it has ended', async () => {
    const place = await scene([{ calls: [mend] }, { delay_ms: 600_000, text: 'never' }])
    const script = join(place.env['HOME'] ?? '', 'script.json')
    const child = spawn(BIN, ['fix', 'the failing test', '--scope', 'src/**', '--model', `script:${script}`], {
      cwd: place.root,
      env: place.env,
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const changed = (): boolean => readFileSync(join(place.root, 'src/sum.js'), 'utf8').includes('a + b')
    await vi.waitUntil(changed, { timeout: 30_000, interval: 50 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    writeFileSync(script, JSON.stringify({ scripts: { main: { turns: [{ calls: [mend] }, { calls: [done] }] } } }))
    const { items } = answer((await place.qed(['run', 'list', '--json'])).stdout) as { items: { alias: string; status: string }[] }
    const resumed = await place.work('run', 'resume')
    expect(answer(resumed.stdout)).toMatchObject({ text: 'sum adds now.', run: { status: 'completed' } })
    expect(readFileSync(join(place.root, 'src/sum.js'), 'utf8')).toBe('export const sum = (a, b) => a + b\n')
    expect((await place.work('run', 'resume', items[0]?.alias ?? '')).exit).toBe(8)
  })
})
