import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { type Left, lookAt, notRebuilt, type Plan, planOf, type Scene, scenes, USAGE, workArgs } from '../support/crash/scene.ts'
import { BIN, type Ran } from '../support/qed.ts'

// Runs of the real program that are killed with -9. In the ordinary run a few points of each kind, in `npm run test:nightly:runs`
// every event boundary and 200 moments at random.

const ALL = process.env['QED_CRASH_RUNS'] !== undefined
const RANDOM_KILLS = Number(process.env['QED_CRASH_RUNS'] ?? 4)
const PER_TURN = USAGE.input + USAGE.output
const INTERRUPTED = 'Interrupted: it is not known whether this ran. Check before repeating it.'

const resumed = (scene: Scene): Promise<Ran> => scene.run(['run', 'resume', aliasOf(scene), '--json'])

function aliasOf(scene: Scene): string {
  const queued = lookAt(scene).events.find(({ type }) => type === 'run.queued')
  return queued?.stream.slice(-8).toLowerCase() ?? ''
}

const isOpen = (scene: Scene): boolean => ['queued', 'running'].includes(lookAt(scene).status)

/** How long it took from its start until a process did something in the run. */
function continuedAfter({ events }: Left, startedAt: number): number {
  const next = events.find(
    ({ at, type }) => Date.parse(at) >= startedAt && /^(turn|call|loop)\.|^run\.stopped/.test(type) && type !== 'call.settled',
  )
  return Date.parse(next?.at ?? '') - startedAt
}

const ofType = ({ events }: Left, type: string) => events.filter(event => event.type === type)

/** What a run that was broken off must have come to: the work of an unbroken one, nothing twice, everything counted. */
function expectWhole(scene: Scene, plan: Plan): Left {
  const left = lookAt(scene)
  const unknown = ofType(left, 'call.settled').filter(({ data }) => JSON.stringify(data['result']).includes(INTERRUPTED)).length
  const received = ofType(left, 'turn.received').length
  const counts = ofType(left, 'loop.stopped').at(-1)?.data['outcome']
  expect({
    status: left.status,
    lines: left.lines.toSorted(),
    files: left.files,
    strangers: left.strangers,
    open: left.open,
    reserved: left.node.reserved,
    notRebuilt: notRebuilt(scene, left.events),
    // Each time that nobody knows whether a command ran, the model looks in one turn more.
    received,
    calls: left.node.settled['toolCalls'],
  }).toEqual({
    status: 'completed',
    lines: plan.lines.toSorted(),
    files: plan.files,
    strangers: [],
    open: 0,
    reserved: {},
    notRebuilt: [],
    received: plan.turns.length + 1 + unknown,
    calls: plan.turns.flat().length + 1 + 2 * unknown,
  })
  expect(counts).toMatchObject({ tokensUsed: received * PER_TURN, toolCallCount: left.node.settled['toolCalls'] })
  return left
}

/** L-41: tokens of sends whose reply nobody has seen; they count as spent. */
const lostTokens = (left: Left): number => (left.node.settled['tokens'] ?? 0) - ofType(left, 'turn.received').length * PER_TURN

async function expectQuiet(scene: Scene): Promise<void> {
  await vi.waitUntil(() => lookAt(scene).processes.length === 0, { timeout: 5_000 })
  expect((await scene.run(['events', 'verify', '--json'])).exit).toBe(0)
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

describe('L-48: a process that dies at an event boundary of a run', () => {
  test('is gone on with: every effect once, every counter as without the crash, in under a second', { timeout: 3_600_000 }, async () => {
    const plan = planOf(8)
    const make = await scenes(plan)
    const whole = make()
    const { stderr } = await whole.dying('count:0', workArgs(whole))
    expect(lostTokens(expectWhole(whole, plan))).toBe(0)
    const { transactions, renames } = JSON.parse(stderr.trim()) as { transactions: number; renames: number }
    const waits: number[] = []
    for (const point of pointsOf(transactions, renames)) {
      const scene = make()
      await scene.dying(point, workArgs(scene))
      // Before it was there, or behind its end, there is nothing to go on with.
      if (!isOpen(scene)) continue
      const startedAt = Date.now()
      expect([point, (await resumed(scene)).exit]).toEqual([point, 0])
      const left = expectWhole(scene, plan)
      waits.push(continuedAfter(left, startedAt))
      await expectQuiet(scene)
    }
    expect(median(waits)).toBeLessThan(1000)
  })

  test('may die again while it recovers, twice in a row, and the command that was under way still runs once', {
    timeout: 600_000,
  }, async () => {
    const plan = planOf(4)
    const make = await scenes(plan)
    for (const [first, second] of ALL ? pairs(12) : [['after:3', 'after:4'] as const]) {
      const scene = make()
      // Behind the reservation of the shell call: whether it ran nobody knows.
      await scene.dying('event:call.reserved#2', workArgs(scene))
      expect(lookAt(scene).events.at(-1)).toMatchObject({ type: 'call.reserved', data: { effect: 'execute' } })
      const alias = aliasOf(scene)
      await scene.dying(first, ['run', 'resume', alias])
      await scene.dying(second, ['run', 'resume', alias])
      expect([first, second, (await resumed(scene)).exit]).toEqual([first, second, 0])
      expectWhole(scene, plan)
      await expectQuiet(scene)
    }
  })
})

function pointsOf(transactions: number, renames: number): string[] {
  const each = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${kind}:${i + 1}`)
  const every = [...each('before', transactions), ...each('after', transactions), ...each('rename', renames)]
  return ALL ? every : every.filter((_, i) => i % 11 === 5)
}

function pairs(most: number): (readonly [string, string])[] {
  const points = Array.from({ length: most }, (_, i) => [`before:${i + 1}`, `after:${i + 1}`]).flat()
  return points.flatMap((first, i) => points.filter((_, j) => (i + j) % 12 === 0).map(second => [first, second] as const))
}

describe('a run of twenty turns that is killed with -9 at any moment', () => {
  test('goes on until it ends, with every settled effect once', { timeout: 3_600_000 }, async () => {
    const plan = planOf(20)
    const make = await scenes(plan)
    const whole = make()
    const begun = Date.now()
    expect((await whole.run(workArgs(whole))).exit).toBe(0)
    const lasts = Date.now() - begun
    const waits: number[] = []
    const exits: (number | null)[] = []
    for (let n = 0; n < RANDOM_KILLS; n++) {
      const scene = make()
      await killedAfter(scene, workArgs(scene), Math.random() * lasts)
      if (lookAt(scene).status === 'none') continue
      // Every third one dies while it is gone on with, every sixth twice.
      for (let again = 0; again < (n % 6 === 0 ? 2 : n % 3 === 0 ? 1 : 0); again++) {
        await killedAfter(scene, ['run', 'resume', aliasOf(scene)], Math.random() * 1_000)
      }
      if (isOpen(scene)) {
        const startedAt = Date.now()
        exits.push((await resumed(scene)).exit)
        waits.push(continuedAfter(lookAt(scene), startedAt))
      }
      expectWhole(scene, plan)
      await expectQuiet(scene)
    }
    expect([exits.filter(exit => exit !== 0), median(waits) < 1000]).toEqual([[], true])
  })
})

async function killedAfter({ root, env }: Scene, args: string[], ms: number): Promise<void> {
  const child = spawn(BIN, args, { cwd: root, env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await Promise.race([sleep(ms), ended])
  child.kill('SIGKILL')
  await ended
}
