import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Work, workIn } from '../support/proving.ts'
import { atTerminal, BIN } from '../support/qed.ts'

// What a person and a program see of a run, through the built program. The model plays a script; everything else is real.

const BROKEN = {
  'package.json': '{ "type": "module" }\n',
  'src/sum.js': 'export const sum = (a, b) => a - b\n',
  'test/sum.test.js': `import test from 'node:test'
import assert from 'node:assert/strict'
import { sum } from '../src/sum.js'
test('adds', () => { assert.equal(sum(2, 3), 5) })
`,
}
const mend = { name: 'edit', arguments: { path: 'src/sum.js', search: 'a - b', replace: 'a + b' } }
const bash = (command: string) => ({ name: 'bash', arguments: { command } })

interface Scene extends Work {
  /** `qed …` with the script as its model, for a shell. */
  command: (...args: string[]) => string
  play: (turns: object[]) => void
  model: string[]
  runs: () => Promise<{ alias: string; status: string; outcome: string }[]>
}

async function scene(turns: object[]): Promise<Scene> {
  const place = workIn(BROKEN)
  await place.qed(['init'])
  const script = join(place.env['HOME'] ?? '', 'script.json')
  const play: Scene['play'] = shown => writeFileSync(script, JSON.stringify({ scripts: { main: { turns: shown } } }))
  play(turns)
  const model = ['--model', `script:${script}`]
  return {
    ...place,
    play,
    model,
    command: (...args) => [BIN, ...args, ...model].map(word => `'${word}'`).join(' '),
    runs: async () => (await place.json<{ items: { alias: string; status: string; outcome: string }[] }>(['run', 'list', '--json'])).items,
  }
}

const processesOf = (mark: string): string => {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return all
    .split('\n')
    .filter(line => line.includes(mark))
    .join('\n')
}

describe('on a terminal', () => {
  test('text comes as it is written, control characters are shown, calls have one line each, edits their diff', async () => {
    const { command, env, root } = await scene([
      { thinking: 'hm', text: 'I look \x1b]0;evil\x07 first.', calls: [{ name: 'grep', arguments: { pattern: 'sum' } }, mend] },
      { text: 'Now sum adds.', calls: [bash('echo from the shell')] },
      { text: 'That is all.' },
    ])
    const { exit, shown } = await atTerminal(command('fix', 'the test', '--scope', 'src/**'), env, root).ended
    expect(exit).toBe(0)
    expect(shown).toContain('scripted, no real model')
    expect(shown).toContain('I look \\x1b]0;evil\\x07 first.')
    expect(shown).not.toContain('\x1b]0')
    expect(shown).toMatch(/✓\S* grep sum/)
    expect(shown).toMatch(/✓\S* edit src\/sum\.js/)
    expect(shown).toContain('- export const sum = (a, b) => a - b')
    expect(shown).toContain('+ export const sum = (a, b) => a + b')
    expect(shown).toMatch(/\$ echo from the shell.*exit 0/)
    expect(shown).toMatch(/turn 1, calls \d of 20, tokens \d+ of 50k, cost unknown/)
    // Of what stays on the screen: the live area may have shown it before.
    expect(shown.replace(/\x1b\[\?7l[^]*?\x1b\[\?7h/g, '').match(/That is all\.\r\n/g)).toHaveLength(1)
    expect(shown).toMatch(/! unproven.*\r\n.*changed.*src\/sum\.js/)
  })

  test('U-14 with NO_COLOR nothing is coloured', async () => {
    const { command, env, root } = await scene([{ calls: [mend] }, { text: 'Done.' }])
    const { shown } = await atTerminal(command('fix', 'x', '--scope', 'src/**'), { ...env, NO_COLOR: '1' }, root).ended
    expect(shown).toContain('+ export const sum')
    expect(shown).not.toMatch(/\x1b\[\d*m/)
  })

  test('a question names the file, holds the screen, and a no is told to the model', async () => {
    const look = { name: 'read', arguments: { path: 'package.json' } }
    const { command, env, root } = await scene([{ calls: [look, mend] }, { when: { sees: 'said no' }, text: 'Then not.' }])
    const screen = atTerminal(command('fix', 'x'), env, root)
    // What was done before the question stands before it.
    expect(await screen.until(/\[N\]o: /)).toMatch(/read package\.json[^]*src\/sum\.js/)
    screen.type('n leave it\r')
    const { exit, shown } = await screen.ended
    expect([exit, shown]).toEqual([0, expect.stringContaining('Then not.')])
    expect(readFileSync(join(root, 'src/sum.js'), 'utf8')).toBe(BROKEN['src/sum.js'])
  })
})

describe('U-17 Ctrl-C', () => {
  test('ends a command and the run, says how to go on, exits 130; resuming goes on from there', async () => {
    const at = await scene([{ text: 'I wait.', calls: [mend, bash('echo begun; exec sleep 61.7')] }, { text: 'never' }])
    const screen = atTerminal(at.command('fix', 'x', '--scope', 'src/**'), at.env, at.root)
    await screen.until(/sleep 61\.7.*begun/)
    screen.type('\x03')
    const { exit, shown } = await screen.ended
    const [run] = await at.runs()
    expect([exit, run]).toMatchObject([130, { status: 'aborted', outcome: 'cancelled' }])
    expect(shown).toContain('Stopping.')
    expect(shown).toContain(`qed run resume ${run?.alias}`)
    expect(shown).toContain(`qed run undo ${run?.alias}`)
    expect(processesOf('sleep 61.7')).toBe('')
    at.play([{ calls: [mend, bash('echo begun; exec sleep 61.7')] }, { text: 'It went on.' }])
    const resumed = await at.qed(['run', 'resume', run?.alias ?? '', ...at.model, '--json'])
    expect(JSON.parse(resumed.stdout)).toMatchObject({ text: 'It went on.', tool_calls: 2, run: { status: 'completed' } })
    expect((await at.qed(['events', 'verify'])).exit).toBe(0)
  })

  test('while the model is waited for, and at a question, it stops as well', async () => {
    const waiting = await scene([{ delay_ms: 60_000, text: 'late' }])
    const model = atTerminal(waiting.command('explain', 'x'), waiting.env, waiting.root)
    await model.until(/waiting for the model/)
    model.type('\x03')
    expect(await model.ended).toMatchObject({ exit: 130, shown: expect.stringContaining('cancelled') })
    const asking = await scene([{ calls: [mend] }, { text: 'went on' }])
    const question = atTerminal(asking.command('fix', 'x'), asking.env, asking.root)
    await question.until(/\[N\]o: /)
    question.type('\x03')
    const { exit, shown } = await question.ended
    expect([exit, shown]).toEqual([130, expect.not.stringMatching(/went on|at Object|node:/)])
    expect(await asking.runs()).toMatchObject([{ status: 'aborted' }])
  })

  test('while the result is proven it leaves no verdict, no run that seems to go on, and a way to go on', async () => {
    const at = await scene([{ calls: [mend] }, { text: 'Done.' }])
    const screen = atTerminal(at.command('fix', 'x', '--scope', 'src/**', '--verify', 'sleep 62.3'), at.env, at.root)
    await screen.until(/proof: before the work/)
    screen.type('\x03')
    const { exit, shown } = await screen.ended
    expect([exit, shown]).toEqual([130, expect.stringContaining('qed run resume')])
    expect(await at.runs()).toMatchObject([{ status: 'aborted', outcome: 'cancelled' }])
    expect(processesOf('sleep 62.3')).toBe('')
  })

  test('a second one within 3 s leaves at once', async () => {
    const at = await scene([{ calls: [bash(`trap '' TERM; echo begun; while :; do sleep 0.1; done`)] }, { text: 'never' }])
    const screen = atTerminal(at.command('fix', 'x', '--scope', 'src/**'), at.env, at.root)
    await screen.until(/begun/)
    const before = performance.now()
    screen.type('\x03')
    await screen.until(/Stopping/)
    screen.type('\x03')
    expect((await screen.ended).exit).toBe(130)
    expect(performance.now() - before).toBeLessThan(2500)
  })
})

describe('in a pipe', () => {
  test('U-16 progress goes to stderr as plain lines, the answer to stdout; -q leaves the answer alone', async () => {
    const { qed, model } = await scene([{ text: 'I look.', calls: [{ name: 'ls', arguments: {} }] }, { text: 'It subtracts.' }])
    const { stdout, stderr } = await qed(['explain', 'x', ...model])
    expect(stderr.split('\n')).toEqual([
      'explain with script.json (scripted, no real model), reads only',
      '',
      'I look.',
      expect.stringMatching(/^turn 1, calls 0 of 5, tokens \d+ of 20k, cost unknown$/),
      '✓ ls',
      expect.stringMatching(/^turn 2, calls 1 of 5/),
      '',
    ])
    expect(stdout.split('\n').slice(0, 3)).toEqual(['It subtracts.', '', expect.stringMatching(/^✓ answered/)])
    expect(`${stdout}${stderr}`).not.toContain('\x1b')
    const quiet = await qed(['explain', 'x', ...model, '-q'])
    expect([quiet.stderr, quiet.stdout.split('\n')[0]]).toEqual(['', 'It subtracts.'])
  })

  test('I-1 an ask that nobody answers names the flags that allow it, and with them it is allowed', async () => {
    const { qed, model, root } = await scene([{ calls: [mend] }, { text: 'Done.' }])
    const refused = await qed(['fix', 'x', ...model])
    expect(refused.exit).toBe(5)
    expect(refused.stdout).toContain("→ to allow what was asked for: --scope 'src/sum.js'")
    expect(refused.stdout).toMatch(/to go on with it: qed run resume \w+ "go on" --scope 'src\/sum\.js'/)
    const allowed = await qed(['fix', 'x', ...model, '--scope', 'src/sum.js', '--json'])
    expect([allowed.exit, JSON.parse(allowed.stdout)]).toMatchObject([0, { changed: ['src/sum.js'], unanswered: null }])
    expect(readFileSync(join(root, 'src/sum.js'), 'utf8')).toContain('a + b')
  })

  test.each([
    ['a command', 'node --test', `--scope '**' --allow-command 'node --test'`],
    [
      'each part of a longer one',
      'node src/sum.js && node --test',
      `--scope '**' --allow-command 'node src/sum.js' --allow-command 'node --test'`,
    ],
    ['a command of git', 'git commit --allow-empty -m x', `--scope '**' --allow-command 'git commit --allow-empty -m x'`],
  ])('I-1 the same for %s', async (_, command, flags) => {
    const { qed, model, root, env, command: line } = await scene([{ calls: [bash(command)] }, { text: 'Done.' }])
    const { exit, stdout } = await qed(['fix', 'x', ...model, '--json'])
    expect([exit, JSON.parse(stdout)]).toMatchObject([5, { refused: 1, unanswered: { flags } }])
    const again = execFileSync('sh', ['-c', `${line('fix', 'x', '--json')} ${flags}`], { cwd: root, env, encoding: 'utf8' })
    expect(JSON.parse(again)).toMatchObject({ refused: 0, unanswered: null, text: 'Done.' })
  })

  test('what no flag can allow says so; inside a scope the model goes on without it', async () => {
    const { qed, model } = await scene([{ calls: [bash('curl http://127.0.0.1:1/')] }, { text: 'Then not.' }])
    const { exit, stdout } = await qed(['fix', 'x', ...model, '--scope', 'src/**'])
    expect([exit, stdout]).toEqual([0, expect.stringContaining('→ to answer it yourself: run the same at a terminal')])
    expect(stdout).toMatch(/refused +1 call/)
  })
})

test('run show tells a person what happened, step by step', async () => {
  const { qed, model } = await scene([{ text: 'I look.', calls: [mend] }, { text: 'Done.' }])
  const { stdout } = await qed(['fix', 'the test', ...model, '--scope', 'src/**', '--json'])
  const { run } = JSON.parse(stdout) as { run: { alias: string } }
  expect((await qed(['run', 'show', run.alias])).stdout).toMatch(
    /unproven[^]*the test\n\nfix with[^]*I look\.[^]*✓ edit src\/sum\.js[^]*Done\.\nended: unproven/,
  )
})

describe('--stream', () => {
  type Line = { seq?: number; at?: string; type: string; data: Record<string, unknown>; final?: boolean }
  const linesOf = (stdout: string): Line[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Line)

  test('I-5, L-35 gives the stored events with their seq in order, what passes by between them, and the result last', async () => {
    const { qed, model } = await scene([{ text: 'I look.', calls: [mend, bash('echo hello')] }, { text: 'Done.' }])
    const { stdout, stderr } = await qed(['fix', 'x', ...model, '--scope', 'src/**', '--verify', 'node --test', '--stream'])
    const all = linesOf(stdout)
    const last = all.pop()
    expect(stderr).toBe('')
    expect(all.every(({ at, type, data }) => typeof at === 'string' && typeof type === 'string' && typeof data === 'object')).toBe(true)
    const run = (last?.data['run'] ?? {}) as { alias: string }
    const stored = all.filter(({ seq }) => seq !== undefined)
    const { events } = JSON.parse((await qed(['run', 'show', run.alias, '--json', '--limit', '1000'])).stdout) as { events: Line[] }
    // What is settled is shown as two kinds of one event.
    expect(stored.map(({ seq, type }) => [seq, type])).toEqual([...new Map(events.map(({ seq, type }) => [seq, type]))])
    const passing = all.filter(({ seq }) => seq === undefined).map(({ type }) => type)
    expect([...new Set(passing)].sort()).toEqual(['call.changed', 'call.output', 'model.delta', 'proof.judged', 'proof.progress'])
    const types = all.map(({ type }) => type)
    expect(types.indexOf('model.delta')).toBeGreaterThan(types.indexOf('turn.requested'))
    expect(types.indexOf('turn.received')).toBeGreaterThan(types.indexOf('model.delta'))
    expect(types.indexOf('call.output')).toBeGreaterThan(types.indexOf('call.reserved'))
    expect(last).toMatchObject({
      type: 'result',
      final: true,
      data: { text: 'Done.', run: { outcome: 'proven' }, changed: ['src/sum.js'] },
    })
  })

  test('the deltas joined are what was received', async () => {
    const { qed, model } = await scene([{ text: 'A text that is longer than one piece of a scripted reply.' }])
    const all = linesOf((await qed(['explain', 'x', ...model, '--stream'])).stdout)
    const deltas = all.filter(({ type, data }) => type === 'model.delta' && data['kind'] === 'text').map(({ data }) => data['text'])
    expect(deltas.length).toBeGreaterThan(1)
    expect(all.find(({ type }) => type === 'turn.received')?.data['content']).toBe(deltas.join(''))
  })
})

describe('L-27 a plan', () => {
  test('is written by QED itself and named in the result; git does not see it', async () => {
    const { qed, model, root, git } = await scene([{ text: '1. Read.\n2. Write.' }])
    const { stdout } = await qed(['plan', 'mend it', ...model, '--json'])
    const { plan_file, run } = JSON.parse(stdout) as { plan_file: string; run: { id: string } }
    expect(plan_file).toBe(`.qed/plans/${run.id}.md`)
    expect(readFileSync(join(root, plan_file), 'utf8')).toMatch(
      /^---\nrun: "run_\w+"\nstatus: "completed"\noutcome: "answered"\n[^]*intent: "mend it"\n---\n\n1\. Read\.\n2\. Write\.\n$/,
    )
    expect(git('status', '--porcelain', '--', '.qed/plans')).toBe('')
  })

  test('also when the budget ended first, with what there was by then', async () => {
    const read = { name: 'read', arguments: { path: 'src/sum.js' } }
    const { qed, model, root } = await scene([{ text: 'So far: look at sum.', calls: [read] }, { calls: [read] }])
    const { exit, stdout } = await qed(['plan', 'x', ...model, '--max-tool-calls', '1', '--json'])
    const { plan_file } = JSON.parse(stdout) as { plan_file: string }
    expect(exit).toBe(7)
    expect(readFileSync(join(root, plan_file), 'utf8')).toMatch(
      /status: "failed"\noutcome: "budget"\nreason: "tool_calls: [^]*So far: look at sum\.\n$/,
    )
  })

  test('other kinds write none', async () => {
    const { qed, model, root } = await scene([{ text: 'It subtracts.' }])
    expect(JSON.parse((await qed(['explain', 'x', ...model, '--json'])).stdout)).toMatchObject({ plan_file: null })
    expect(existsSync(join(root, '.qed/plans'))).toBe(false)
  })
})

test('U-13 each kind of work has its own help: its usage, its examples, and no flag that it sets itself', async () => {
  const { qed } = await scene([])
  const { stdout } = await qed(['fix', '--help'])
  expect(stdout).toContain('qed fix "<what is to be done>" [flags]')
  expect(stdout).toContain(`qed fix "the failing test" --scope 'src/**' --verify 'npm test'`)
  expect(stdout).not.toMatch(/--kind|--prompt|qed explain/)
})

test('what a run came to is counted over all its rounds', async () => {
  const { qed, model } = await scene([{ text: 'Done.' }, { when: { sees: 'not proven' }, calls: [mend] }, { text: 'Now it is.' }])
  const { stdout } = await qed(['fix', 'x', ...model, '--scope', 'src/**', '--verify', 'node --test', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ rounds: 2, turns: 3, tool_calls: 1, cost_usd: null, run: { outcome: 'proven' } })
})
