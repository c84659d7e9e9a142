import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Left, lookAt, notRebuilt, USAGE } from '../support/crash/scene.ts'
import { workIn } from '../support/proving.ts'
import { BIN } from '../support/qed.ts'
import { budgetNode, eventsIn } from '../support/run-store.ts'

// what more is said to a run, through the built program, also where processes are killed with -9. In the ordinary run a few
// points, in `npm run test:nightly:runs` every one.

const ALL = process.env['QED_CRASH_RUNS'] !== undefined
const DYING = join(import.meta.dirname, '../support/crash/dying-qed.ts')
const call = (name: string, given: object) => ({ name, arguments: given })
const write = (path: string) => call('write', { path, content: `${path}\n` })
const done = { calls: [call('update', { status: 200, body: 'Done.' })], usage: USAGE }
const first = { calls: [write('work/file-1')], usage: USAGE }
const second = { when: { sees: 'Now the second' }, calls: [write('work/file-2')], usage: USAGE }
const FURTHER = 'Now the second.'

async function scene(turns: object[]) {
  const work = workIn({ 'work/lines': '' })
  await work.qed(['init'])
  const script = join(work.env['HOME'] ?? '', 'script.json')
  const play = (next: object[]): void => writeFileSync(script, JSON.stringify({ scripts: { main: { turns: next } } }))
  play(turns)
  const args = (...more: string[]): string[] => ['fix', 'Write the first.', '--scope', 'work/**', '--model', `script:${script}`, ...more]
  const has = (type: string) => (): boolean => eventsIn(work.root).some(event => event.type === type)
  /** Starts work, and gives its process when an event has come. */
  const begunUntil = async (type: string, ...more: string[]) => {
    const child = spawn(BIN, args(...more), { cwd: work.root, env: work.env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    await vi.waitUntil(has(type), { timeout: 30_000, interval: 20 })
    return child
  }
  return {
    ...work,
    play,
    args,
    dying: (point: string, words: string[]) => work.qed(words, { command: [process.execPath, DYING, point] }),
    resume: async (...words: string[]) => {
      const ran = await work.qed(['run', 'resume', aliasIn(work.root), ...words, '--json'])
      return { exit: ran.exit, told: JSON.parse(ran.stdout || ran.stderr) as Record<string, unknown> }
    },
    begunUntil,
    /** Starts work, and kills it when an event has come. */
    killedAt: async (type: string, ...more: string[]) => {
      const child = await begunUntil(type, ...more)
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const aliasIn = (root: string): string =>
  eventsIn(root)
    .find(({ type }) => type === 'run.queued')
    ?.stream.slice(-8)
    .toLowerCase() ?? ''
const ofType = ({ events }: Left, type: string) => events.filter(event => event.type === type)
const users = (left: Left) => ofType(left, 'loop.started').map(({ data }) => data['user'])

describe('a further prompt', () => {
  test('is not lost and not heard twice, wherever the process that took it is killed', { timeout: 1_200_000 }, async () => {
    const begun = async () => {
      const at = await scene([first, done, second, done])
      expect((await at.qed(at.args())).exit).toBe(0)
      return at
    }
    const whole = await begun()
    const counted = await whole.dying('count:0', ['run', 'resume', aliasIn(whole.root), FURTHER])
    const { transactions } = JSON.parse(counted.stderr.trim().split('\n').at(-1) ?? '') as { transactions: number }
    const points = Array.from({ length: transactions }, (_, i) => `after:${i + 1}`).filter((_, i) => ALL || i % 5 === 1)
    expect(points.length).toBeGreaterThan(2)
    for (const point of points) {
      const at = await begun()
      await at.dying(point, ['run', 'resume', aliasIn(at.root), FURTHER])
      const heard = ofType(lookAt(at), 'run.claimed').some(({ data }) => data['prompt'] !== undefined)
      // Behind its end there is nothing to go on with.
      if (lookAt(at).status === 'running' || !heard) await at.resume(...(heard ? [] : [FURTHER]))
      const left = lookAt(at)
      expect([point, left]).toMatchObject([
        point,
        {
          status: 'completed',
          files: { 'work/file-1': 'work/file-1\n', 'work/file-2': 'work/file-2\n' },
          open: 0,
          node: { reserved: {}, settled: { toolCalls: 4 } },
        },
      ])
      expect([point, users(left), notRebuilt(at, left.events)]).toEqual([point, ['Write the first.', FURTHER], []])
    }
  })

  test('takes the place of what was broken off: open calls are answered, their question is taken back', async () => {
    const ask = { calls: [write('work/file-1'), call('bash', { command: 'curl https://example.com' })], usage: USAGE }
    const at = await scene([ask])
    await at.killedAt('approval.requested', '--wait-for-approval')
    at.play([ask, { when: { sees: 'Not carried out.*Now the second' }, calls: [write('work/file-2')], usage: USAGE }, done])
    const { exit, told } = await at.resume(FURTHER)
    expect([exit, told]).toMatchObject([0, { run: { status: 'completed' }, turns: 3, tool_calls: 3 }])
    const left = lookAt(at)
    expect(notRebuilt(at, left.events)).toEqual([])
    expect(ofType(left, 'approval.resolved').map(({ data }) => [data['resolution'], data['reason']])).toEqual([
      ['cancelled', 'further-prompt'],
    ])
    expect(budgetNode(at.root)).toMatchObject({ settled: { toolCalls: 3 }, reserved: {} })
  })

  test('to a run that had not begun is said with what it was made for', async () => {
    const at = await scene([first, done])
    await at.dying('event:run.queued#1', at.args())
    expect(lookAt(at).status).toBe('queued')
    expect((await at.resume(FURTHER)).exit).toBe(0)
    expect(users(lookAt(at))).toEqual([`Write the first.\n\n${FURTHER}`])
  })

  test('what is said beside it holds for whoever goes on after a crash', async () => {
    const at = await scene([first, done])
    expect((await at.qed(at.args('--max-tool-calls', '9'))).exit).toBe(0)
    at.play([first, done, { when: { sees: 'Now the second' }, delay_ms: 600_000, text: 'never' }])
    await at.dying('event:turn.requested#1', ['run', 'resume', aliasIn(at.root), FURTHER, '--scope', 'other/**', '--max-tool-calls', '5'])
    at.play([first, done, { calls: [write('other/file'), write('work/file-2')], usage: USAGE }, done])
    expect(await at.resume()).toMatchObject({ exit: 0, told: { refused: 1, tool_calls: 5 } })
    expect(readFileSync(join(at.root, 'other/file'), 'utf8')).toBe('other/file\n')
    expect(budgetNode(at.root).caps).toMatchObject({ toolCalls: 5 })
  })

  test('to a run that another process drives is refused in words, and the run is left alone', async () => {
    const at = await scene([{ delay_ms: 600_000, text: 'never' }])
    const { pid } = await at.begunUntil('turn.requested')
    const alias = aliasIn(at.root)
    const { exit, stderr } = await at.qed(['run', 'resume', alias, FURTHER])
    expect([exit, stderr.split('\n')]).toEqual([
      8,
      [
        expect.stringMatching(`conflict  The run ${alias} is being driven by process ${pid} on `),
        expect.stringContaining('qed run abort'),
        '',
      ],
    ])
    expect(ofType(lookAt(at), 'run.claimed')).toHaveLength(1)
  })

  test('R-29: an isolated run whose place was cleaned is not begun afresh', async () => {
    const at = await scene([first, done, second, done])
    expect((await at.qed(at.args('--isolated'))).exit).toBe(0)
    const { run } = (await at.resume(FURTHER)).told as { run: { id: string; place: string } }
    expect((await at.qed(['place', 'clean', run.id, '--yes'])).exit).toBe(0)
    const before = lookAt(at)
    expect(await at.resume('And a third.')).toMatchObject({ exit: 8, told: { error: { code: 'not_resumable' } } })
    expect(lookAt(at).events).toEqual(before.events)
  })
})
