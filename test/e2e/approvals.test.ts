import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { workIn } from '../support/proving.ts'
import { qedAtTerminal } from '../support/pty.ts'
import { BIN } from '../support/qed.ts'

// Asks of a run that a scripted model makes, answered at its terminal, from another process, or by nobody.

const FILES = { 'src/sum.js': 'export const sum = (a, b) => a - b\n' }
const mend = { name: 'edit', arguments: { path: 'src/sum.js', search: 'a - b', replace: 'a + b' } }
const done = { name: 'update', arguments: { status: 200, body: 'finished' } }
const bash = (command: string) => ({ name: 'bash', arguments: { command } })
const write = (path: string) => ({ name: 'write', arguments: { path, content: 'x\n' } })

interface Approval {
  id: string
  run: string
  status: string
  operation_digest: string
  [field: string]: unknown
}
interface RunView {
  run: { id: string; alias: string; status: string; outcome: string | null; outcome_reason: string | null }
  events: { type: string; kind: string; actor: string; data: Record<string, unknown> }[]
  approvals: Approval[]
  operation_attempts: { status: string; call: string; subject: string }[]
}

async function scene(turns: object[]) {
  const place = workIn(FILES)
  await place.qed(['init'])
  const script = join(place.env['HOME'] ?? '', 'script.json')
  const say = (next: object[]): void => writeFileSync(script, JSON.stringify({ scripts: { main: { turns: next } } }))
  say(turns)
  const args = (...more: string[]): string[] => ['fix', 'the sum', '--model', `script:${script}`, ...more]
  const start = (...more: string[]) => {
    const child = spawn(BIN, args('--json', ...more), { cwd: place.root, env: place.env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const ended = once(child, 'close')
    return { child, ended: async () => ({ exit: ((await ended) as [number | null])[0], out: () => JSON.parse(out) as unknown }) }
  }
  const view = async (): Promise<RunView> => {
    const { items } = await place.json<{ items: { id: string }[] }>(['run', 'list', '--json'])
    return place.json<RunView>(['run', 'show', items[0]?.id ?? '', '--limit', '1000', '--json'])
  }
  /** Waits until the newest run has come so far. */
  const reached = (event: string): Promise<RunView> =>
    vi.waitFor(
      async () => {
        const seen = await view()
        expect(seen.events?.map(({ type }) => type)).toContain(event)
        return seen
      },
      { timeout: 20_000, interval: 50 },
    )
  const pending = (): Promise<Approval> =>
    vi.waitFor(
      async () => {
        const { items } = await place.json<{ items: Approval[] }>(['approval', 'list', '--status', 'pending', '--json'])
        expect(items).toHaveLength(1)
        return items[0] as Approval
      },
      { timeout: 20_000, interval: 50 },
    )
  return {
    ...place,
    say,
    start,
    view,
    pending,
    reached,
    terminal: (...more: string[]) => qedAtTerminal(args(...more), { cwd: place.root, env: place.env }),
    person: (...words: string[]) => qedAtTerminal(words, { cwd: place.root, env: place.env }),
    sum: () => readFileSync(join(place.root, 'src/sum.js'), 'utf8'),
    has: (path: string) => existsSync(join(place.root, path)),
  }
}

describe('a person at the terminal of a run', () => {
  test('R-10, P-57: is shown what, why and the rule; once is once, and every step stands in the record in order', async () => {
    const { terminal, view, sum } = await scene([{ calls: [mend] }, { calls: [done] }])
    const at = terminal()
    await at.shows(/\[N\]o: $/)
    expect(at.screen()).toMatch(/edit .*src\/sum\.js/)
    expect(at.screen()).toContain('| - a - b')
    expect(at.screen()).toContain('| + a + b')
    expect(at.screen()).toContain('.qed/policy.local.json')
    expect(sum()).toContain('a - b')
    at.type('o\n')
    expect(await at.exit()).toBe(0)
    expect(sum()).toContain('a + b')
    const { events, approvals, operation_attempts, run } = await view()
    const [approval] = approvals
    expect(approval).toMatchObject({ status: 'approved', remember: 'once', actor: expect.stringMatching(/^person:/) as string })
    const order = ['call.decided', 'approval.requested', 'approval.resolved', 'call.reserved', 'call.settled']
    const types = events.map(({ type }) => type)
    const places = order.map(type => types.indexOf(type))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(events.find(({ type }) => type === 'call.decided')?.data).toMatchObject({ verdict: 'ask', approval: approval?.id })
    expect(operation_attempts).toMatchObject([{ subject: `approval:${approval?.id}`, status: 'succeeded' }])
    expect(run.status).toBe('completed')
  })

  test('R-19: a no reaches the model with its reason, and the run goes on; --yes answers nothing', async () => {
    const { terminal, view, sum } = await scene([{ calls: [mend] }, { when: { sees: 'leave that file alone' }, calls: [done] }])
    const at = terminal('--yes')
    await at.shows(/\[N\]o: $/)
    at.type('n\n')
    await at.shows('Why not?')
    at.type('leave that file alone\n')
    expect(await at.exit()).toBe(0)
    expect(sum()).toContain('a - b')
    expect(at.screen()).toContain('finished')
    expect((await view()).approvals).toMatchObject([{ status: 'rejected', reason: 'leave that file alone' }])
  })

  test('P-57: for this run, an equal ask is not asked again; another one is', async () => {
    const turns = [{ calls: [write('a.txt')] }, { calls: [write('a.txt')] }, { calls: [write('b.txt')] }, { calls: [done] }]
    const { terminal, view, has } = await scene(turns)
    const at = terminal()
    await at.shows(/a\.txt[^]*\[N\]o: $/)
    at.type('r\n')
    await at.shows(/b\.txt[^]*\[N\]o: $/)
    at.type('no\n')
    await at.shows('Why not?')
    at.type('\n')
    expect(await at.exit()).toBe(0)
    expect([has('a.txt'), has('b.txt')]).toEqual([true, false])
    expect((await view()).approvals.map(({ status, remember }) => [status, remember])).toEqual([
      ['approved', 'run'],
      ['rejected', null],
    ])
  })

  test('P-58: for the project, the rule stands in the local policy file and the next run is not asked', async () => {
    const { terminal, start, say, has, root } = await scene([{ calls: [write('a.txt')] }, { calls: [done] }])
    const at = terminal()
    await at.shows(/\[N\]o: $/)
    at.type('p\n')
    expect(await at.exit()).toBe(0)
    expect(JSON.parse(readFileSync(join(root, '.qed/policy.local.json'), 'utf8'))).toMatchObject({
      rules: [{ effect: 'allow', category: 'edit', path: 'a.txt' }],
    })
    expect(has('a.txt')).toBe(true)
    say([{ calls: [write('a.txt')] }, { calls: [done] }])
    expect((await start().ended()).exit).toBe(0)
  })

  test('P-57, P-58: the wider rule covers what begins alike; what is destructive can be allowed once only', async () => {
    const calls = ['npm test -- a', 'npm test -- b', 'rm -rf build'].map(command => ({ calls: [bash(command)] }))
    const { terminal, view } = await scene([...calls, { calls: [done] }])
    const at = terminal()
    await at.shows(/begins with npm test[^]*\[N\]o: $/)
    at.type('?\n')
    await at.shows(/R, P \(\.qed\/policy\.local\.json\):[^]*"command":"npm test \*\*"[^]*\[N\]o: $/)
    at.type('R\n')
    await at.shows(/rm -rf build[^]*Allow it\? \[o\]nce, \[N\]o: $/)
    at.type('r\n')
    await at.shows(/cannot be remembered[^]*\[N\]o: $/)
    at.type('n: keep it\n')
    await at.exit()
    expect(
      (await view()).approvals.map(({ operation, status, remember, reason }) => ({ operation, status, remember, reason })),
    ).toMatchObject([
      { operation: { command: 'npm test -- a' }, status: 'approved', remember: 'run' },
      { operation: { command: 'rm -rf build' }, status: 'rejected', reason: 'keep it' },
    ])
  })

  test('U-17: Ctrl-C at the question ends the run and takes the question back', async () => {
    const { terminal, view, sum } = await scene([{ calls: [mend] }, { calls: [done] }])
    const at = terminal()
    await at.shows(/\[N\]o: $/)
    at.type('\u0003')
    expect(await at.exit()).toBe(130)
    const { run, approvals } = await view()
    expect([run.status, approvals[0]?.status, approvals[0]?.['reason']]).toEqual(['aborted', 'cancelled', 'run-finalised'])
    expect(sum()).toContain('a - b')
  })

  test('L-42, L-46: what was asked when the run was stopped is asked again when it goes on, and then done', async () => {
    const { terminal, person, view, sum } = await scene([{ calls: [mend] }, { calls: [done] }])
    const at = terminal()
    await at.shows(/\[N\]o: $/)
    at.type('\u0003')
    expect(await at.exit()).toBe(130)
    const again = person('run', 'resume')
    await again.shows(/edit \S*src\/sum\.js[^]*\[N\]o: $/)
    again.type('o\n')
    expect(await again.exit()).toBe(0)
    expect(sum()).toContain('a + b')
    const { approvals } = await view()
    expect(approvals.map(({ status }) => status)).toEqual(['cancelled', 'approved'])
  })

  test('U-16: Ctrl-D leaves the question on the screen, and what follows begins on a line of its own', async () => {
    const { terminal } = await scene([{ calls: [mend] }, { calls: [done] }])
    const at = terminal()
    await at.shows(/\[N\]o: $/)
    at.type('\u0004')
    await at.shows('Why not?')
    expect(at.screen()).toMatch(/\[N\]o: [^\n]*\r?\n[^]*Why not\?/)
    at.type('\n')
    await at.exit()
  })

  test('an input that has ended is a no', async () => {
    const { terminal, view } = await scene([{ calls: [mend] }, { calls: [done] }])
    const at = terminal()
    await at.shows(/\[N\]o: $/)
    at.type('\u0004')
    await at.shows('Why not?')
    at.type('\u0004')
    expect(await at.exit()).toBe(0)
    expect((await view()).approvals).toMatchObject([{ status: 'rejected', reason: null }])
  })

  test('L-24, R-1: a question of the model is put to them, and the run waits meanwhile', async () => {
    const question = { name: 'ask_user', arguments: { question: 'Which colour?' } }
    const { terminal, view } = await scene([{ calls: [question] }, { when: { sees: 'green' }, calls: [done] }])
    const at = terminal()
    await at.shows('The model asks: Which colour?')
    expect((await view()).run.status).toBe('proposed')
    at.type('green\n')
    expect(await at.exit()).toBe(0)
    const { run, events } = await view()
    expect(run.status).toBe('completed')
    expect(events.filter(({ type }) => type.startsWith('question.')).map(({ data }) => data)).toEqual([
      { question: 'Which colour?' },
      { answered: true },
    ])
  })

  test('R-17: what is answered elsewhere first counts, and the question goes away', async () => {
    const { terminal, person, pending, sum } = await scene([{ calls: [mend] }, { calls: [done] }])
    const at = terminal()
    await at.shows(/\[N\]o: $/)
    const { id, operation_digest } = await pending()
    const other = person('approve', id, '--digest', operation_digest)
    expect(await other.exit()).toBe(0)
    expect(await at.exit()).toBe(0)
    expect(sum()).toContain('a + b')
    expect(await person('reject', id).exit()).toBe(8)
  })
})

describe('a run with nobody at its terminal', () => {
  test('I-1, L-24: ends at the first ask with exit 5 and says what would have allowed it; ask_user is not offered', async () => {
    const { start, view } = await scene([{ calls: [mend] }, { calls: [done] }])
    const { exit, out } = await start().ended()
    expect(exit).toBe(5)
    expect(out()).toMatchObject({ unanswered: { flags: "--scope 'src/sum.js'" } })
    const { events, approvals } = await view()
    expect(approvals).toEqual([])
    expect(events.find(({ type }) => type === 'loop.started')?.data['tools']).not.toContain('ask_user')
  })

  test('U-8: with --wait-for-approval it is proposed until a person answers; approve shows what it is about first', async () => {
    const { start, person, pending, view, sum } = await scene([{ calls: [mend] }, { calls: [done] }])
    const waiting = start('--wait-for-approval')
    const { id } = await pending()
    expect((await view()).run.status).toBe('proposed')
    const no = person('approve', id.slice(-8).toLowerCase())
    await no.shows(/src\/sum\.js[^]*\[y\/N\] $/)
    no.type('\n')
    expect(await no.exit()).toBe(4)
    const yes = person('approve', id)
    await yes.shows('[y/N] ')
    yes.type('y\n')
    expect(await yes.exit()).toBe(0)
    expect((await waiting.ended()).exit).toBe(0)
    expect(sum()).toContain('a + b')
  })

  test('conformance 1: of a denied, an allowed and an asked call, only the allowed one is carried out and only the last asked', async () => {
    const calls = [write('README.md'), mend, bash('sudo touch src/a')]
    const { start, pending, view, has, sum } = await scene([{ calls }, { calls: [done] }])
    start('--scope', 'src/**', '--wait-for-approval')
    expect(await pending()).toMatchObject({ operation: { command: 'sudo touch src/a' } })
    const { approvals, operation_attempts } = await view()
    expect([approvals.length, operation_attempts.length, has('README.md'), has('src/a')]).toEqual([1, 1, false, false])
    expect(sum()).toContain('a + b')
  })

  test('U-4, R-18: nobody but a person at a terminal can answer', async () => {
    const { start, pending, qed, sum } = await scene([{ calls: [mend] }, { calls: [done] }])
    start('--wait-for-approval')
    const { id, operation_digest } = await pending()
    for (const word of ['approve', 'reject']) {
      const ran = await qed([word, id, '--digest', operation_digest, '--json'])
      expect([ran.exit, JSON.parse(ran.stdout)]).toMatchObject([4, { error: { code: 'actor_not_person' } }])
    }
    expect(sum()).toContain('a - b')
  })

  test('P-59: a record that was changed past QED is not believed: it lacks the signature', async () => {
    const { start, pending, sum, root, view } = await scene([{ calls: [mend] }, { calls: [done] }])
    const waiting = start('--wait-for-approval')
    const approval = await pending()
    const db = new DatabaseSync(join(root, '.qed/qed.db'))
    const forged = { ...approval, status: 'approved', remember: 'once', actor: 'person:ada', resolved_at: '2026-01-01T00:00:00.000Z' }
    db.prepare('UPDATE approvals SET status = ?, record = ? WHERE id = ?').run('approved', JSON.stringify(forged), approval.id)
    db.close()
    expect((await waiting.ended()).exit).toBe(0)
    expect(sum()).toContain('a - b')
    const { events } = await view()
    expect(events.find(({ type }) => type === 'call.settled')?.data).toMatchObject({
      ok: false,
      result: expect.stringContaining('not signed with the key of the person') as string,
    })
  })

  test('L-38: killed while it waits it goes on waiting; an answer that came while nobody was there is used, once', async () => {
    const place = await scene([{ calls: [mend] }, { calls: [done] }])
    const first = place.start('--wait-for-approval')
    const { id } = await place.pending()
    first.child.kill('SIGKILL')
    await first.ended()
    const { run } = await place.view()
    expect(run.status).toBe('proposed')
    const resumed = (): ReturnType<typeof place.qed> => place.qed(['run', 'resume', run.alias, '--json'])
    const second = spawn(BIN, ['run', 'resume', run.alias, '--json'], { cwd: place.root, env: place.env, stdio: 'ignore' })
    onTestFinished(() => void second.kill('SIGKILL'))
    await place.reached('run.resumed')
    expect((await place.view()).run.status).toBe('proposed')
    // Two claims of one run: the other process is told who drives it.
    const conflict = await resumed()
    expect([conflict.exit, JSON.parse(conflict.stdout)]).toMatchObject([8, { error: { code: 'conflict' } }])
    second.kill('SIGKILL')
    await once(second, 'exit')
    const yes = place.person('approve', id, '--digest', (await place.pending()).operation_digest)
    expect(await yes.exit()).toBe(0)
    const ran = await resumed()
    expect(JSON.parse(ran.stdout)).toMatchObject({ text: 'finished', run: { status: 'completed' } })
    expect(place.sum()).toBe('export const sum = (a, b) => a + b\n')
    const { approvals, operation_attempts, events } = await place.view()
    expect([approvals.length, operation_attempts.length]).toEqual([1, 1])
    expect(events.filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
  })
})

describe('R-30: run abort from another process', () => {
  test('ends a command that is under way within a second or two, and the driver says so calmly', async () => {
    const place = await scene([{ calls: [bash('touch started; sleep 60; touch ended')] }, { calls: [done] }])
    const driver = place.start('--scope', '**')
    await vi.waitUntil(() => place.has('started'), { timeout: 20_000, interval: 50 })
    const { run } = await place.view()
    const aborted = await place.qed(['run', 'abort', run.alias, '--reason', 'enough', '--json'])
    expect([aborted.exit, JSON.parse(aborted.stdout)]).toMatchObject([0, { status: 'aborted', outcome: 'cancelled' }])
    const at = performance.now()
    const { exit, out } = await driver.ended()
    expect(performance.now() - at).toBeLessThan(3_000)
    expect([exit, out()]).toMatchObject([130, { run: { status: 'aborted', outcome_reason: 'enough' } }])
    const { events, operation_attempts } = await place.view()
    // Signalled, its command ended and settled, what it left saved, and only then the status.
    const types = events.map(({ type }) => type)
    const since = new Set(types.slice(types.indexOf('abort.requested')))
    expect([...since]).toEqual(['abort.requested', 'call.settled', 'checkpoint.saved', 'snapshot.taken', 'run.stopped'])
    expect(operation_attempts).toMatchObject([{ status: 'failed' }])
    // L-46: going on later does not run the command again.
    place.say([{ text: 'what was said before' }, { when: { sees: 'ended|stopped|interrupted' }, calls: [done] }])
    const resumed = await place.qed(['run', 'resume', run.alias, '--json'])
    expect(JSON.parse(resumed.stdout)).toMatchObject({ text: 'finished' })
    expect(place.has('ended')).toBe(false)
  })

  test('ends a proof that is under way, and leaves the run to be gone on with', async () => {
    const place = await scene([{ calls: [mend] }, { calls: [done] }])
    const driver = place.start('--scope', 'src/**', '--verify', 'sleep 30')
    await place.reached('loop.stopped')
    const { run } = await place.view()
    const aborted = await place.qed(['run', 'abort', run.alias, '--reason', 'enough', '--json'])
    expect(JSON.parse(aborted.stdout)).toMatchObject({ status: 'aborted', outcome_reason: 'enough' })
    expect(await driver.ended()).toMatchObject({ exit: 130 })
  })

  test('takes over from a driver that does not hear: settled and saved before its status, and the driver changes nothing more', async () => {
    const place = await scene([{ calls: [bash('touch started; sleep 60')] }, { calls: [done] }])
    const frozen = place.start('--scope', '**')
    await vi.waitUntil(() => place.has('started'), { timeout: 20_000, interval: 50 })
    frozen.child.kill('SIGSTOP')
    const db = new DatabaseSync(join(place.root, '.qed/qed.db'))
    db.exec('UPDATE runs SET lease_until = 0')
    db.close()
    const { run } = await place.view()
    expect((await place.qed(['run', 'abort', run.alias, '--reason', 'enough'])).exit).toBe(0)
    const { events, operation_attempts } = await place.view()
    expect(events.slice(-5).map(({ kind, actor }) => [kind, actor])).toEqual([
      ['run-claimed', 'engine'],
      ['attempt-settled', 'recovery'],
      ['tool-call-failed', 'recovery'],
      ['snapshot-taken', 'engine'],
      ['run-stopped', 'agent:cli'],
    ])
    expect(operation_attempts).toMatchObject([{ status: 'abandoned', outcome: 'unknown' }])
    frozen.child.kill('SIGCONT')
    const { exit, out } = await frozen.ended()
    expect([exit, out()]).toMatchObject([130, { run: { status: 'aborted', outcome_reason: 'enough' } }])
    expect((await place.view()).events).toHaveLength(events.length)
    // L-46: going on later does not run the command again.
    place.say([{ text: 'what was said before' }, { when: { sees: 'not known whether this ran' }, calls: [done] }])
    expect(JSON.parse((await place.qed(['run', 'resume', run.alias, '--json'])).stdout)).toMatchObject({ text: 'finished' })
  })

  test('a run at rest is left as it is, and one that nobody has begun ends at once', async () => {
    const place = await scene([{ calls: [done] }])
    const { out } = await place.start('--scope', '**').ended()
    const before = await place.view()
    expect(JSON.parse((await place.qed(['run', 'abort', before.run.alias, '--json'])).stdout)).toEqual((out() as { run: object }).run)
    expect(await place.view()).toEqual(before)
  })

  test('ends a run that waits for an answer, and takes the question back', async () => {
    const place = await scene([{ calls: [mend] }, { calls: [done] }])
    const driver = place.start('--wait-for-approval')
    const { run } = await place.pending()
    await place.qed(['run', 'abort', run])
    expect((await driver.ended()).exit).toBe(130)
    expect((await place.view()).approvals).toMatchObject([{ status: 'cancelled', reason: 'run-finalised' }])
  })

  test('conformance 4: an owner that was frozen and overtaken wakes up and changes nothing', async () => {
    const place = await scene([{ calls: [done] }])
    place.say([{ delay_ms: 1_500, calls: [write('late.txt')] }, { calls: [done] }])
    const frozen = place.start('--scope', '**')
    await place.reached('turn.requested')
    frozen.child.kill('SIGSTOP')
    // Its lease passes.
    const db = new DatabaseSync(join(place.root, '.qed/qed.db'))
    db.exec('UPDATE runs SET lease_until = 0')
    db.close()
    place.say([{ calls: [done] }])
    const { run } = await place.view()
    const taken = await place.qed(['run', 'resume', run.alias, '--json'])
    expect(JSON.parse(taken.stdout)).toMatchObject({ text: 'finished', run: { status: 'completed' } })
    const before = (await place.view()).events.length
    frozen.child.kill('SIGCONT')
    const { exit, out } = await frozen.ended()
    expect([exit, out()]).toMatchObject([8, { error: { code: 'fence_lost' } }])
    expect([(await place.view()).events.length, place.has('late.txt')]).toEqual([before, false])
  })
})
