import { describe, expect, test } from 'vitest'
import type { KeptRule } from '../../src/runs/approval.ts'
import { shortId } from '../../src/runs/approval-table.ts'
import { signedText } from '../../src/runs/approvals.ts'
import type { Claim } from '../../src/runs/runs.ts'
import { handClock } from '../support/clock.ts'
import { drivenRun, type RunRecords, runRecords } from '../support/runs.ts'

const rule = (id: string): KeptRule => ({ id, effect: 'allow', category: 'shell', command: 'make' })
const asked = (call: string, changes: object = {}) => ({
  loop: 1,
  turn: 0,
  call,
  tool: 'bash',
  operation: { verb: 'process.exec', command: `make ${call}`, cwd: '/p' },
  operation_digest: `digest-${call}`,
  rule: 'defaults/ask',
  asked: 'Commands are asked about.',
  preview: null,
  walls: '',
  bindings: [],
  offers: [
    { answer: 'once' as const },
    { answer: 'run' as const, rules: [rule(`exact-${call}`)] },
    { answer: 'project' as const, rules: [rule(`exact-${call}`)], file: '.qed/policy.local.json' },
    { answer: 'run' as const, rules: [rule('wide')] },
    { answer: 'reject' as const },
  ],
  ...changes,
})
const decidedAt = { loop: 1, turn: 0, call: 'a', verdict: 'ask', rule: 'defaults/ask', reason: '' }
const requestedAt = { loop: 1, turn: 0, call: 'a', position: 0, name: 'bash', arguments: '{}' }

function ask({ approvals, store }: RunRecords, claim: Claim, call = 'a', changes: object = {}) {
  const write = (type: string, data: object): number => store.log.append(`run:${claim.run}`, type, { ...data, call }).seq
  return approvals.request(claim, asked(call, changes), approval => ({
    requested: write('call.requested', requestedAt),
    decided: write('call.decided', { ...decidedAt, approval }),
  }))
}

const keptBy = ({ approvals }: RunRecords, { run }: Claim): string[] =>
  approvals.list({ run, status: 'approved' }).flatMap(({ rules }) => rules.map(({ id }) => id))

const person = { actor: 'person:ada' }
const kept: KeptRule[] = []
const ports = { sign: (text: string) => `signed ${text}`, keepForProject: (rules: KeptRule[]) => void kept.push(...rules) }
const code = (work: () => unknown): unknown => {
  try {
    work()
    return 'nothing thrown'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('an ask', () => {
  test('R-1, R-10: waits as proposed, bound to its call and digest; the answer lets the run go on, in the order of the record', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const { id, decision, pending_execution } = ask(one, claim)
    expect(one.runs.get(claim.run).status).toBe('proposed')
    expect(one.approvals.get(id)).toMatchObject({ status: 'pending', operation_digest: 'digest-a', decision, signature: null })
    expect([pending_execution, decision]).toEqual([3, 4])
    const done = one.approvals.resolve(id, { ...person, resolution: 'approved', digest: 'digest-a' }, ports)
    expect(done).toMatchObject({ status: 'approved', remember: 'once', actor: 'person:ada', signature: `signed ${signedText(done)}` })
    expect(one.runs.get(claim.run).status).toBe('running')
    expect(one.types(claim.run)).toEqual([
      'run.queued',
      'run.claimed',
      'call.requested',
      'call.decided',
      'approval.requested',
      'approval.resolved',
    ])
  })

  test('R-16: an answer to something else than what is asked is digest_mismatch and changes nothing', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const { id } = ask(one, claim)
    const before = one.head()
    expect(code(() => one.approvals.resolve(id, { ...person, resolution: 'approved', digest: 'digest-b' }, ports))).toBe('digest_mismatch')
    expect([one.head(), one.approvals.get(id).status]).toEqual([before, 'pending'])
  })

  test('R-17: of two processes the first answer counts; the second is told who gave it', () => {
    const one = runRecords()
    const other = runRecords({ path: one.path })
    const { id } = ask(one, drivenRun(one))
    other.approvals.resolve(id, { actor: 'person:bob', resolution: 'rejected', digest: 'digest-a', reason: 'not today' }, ports)
    const late = () => one.approvals.resolve(id, { ...person, resolution: 'approved', digest: 'digest-a' }, ports)
    expect(late).toThrow(/rejected by person:bob at .* \(not today\)/)
    expect(code(late)).toBe('already_resolved')
    expect(one.approvals.get(id)).toMatchObject({ status: 'rejected', remember: null, rules: [] })
  })

  test('R-17: past its time it is cancelled by the system, for whoever waits and for whoever answers late', async () => {
    const clock = handClock()
    const one = runRecords({ clock, ttl: 60 })
    const claim = drivenRun(one)
    const first = ask(one, claim)
    clock.advance(60_000)
    expect(await one.approvals.answered(first.id, AbortSignal.timeout(5_000))).toMatchObject({ status: 'cancelled', reason: 'expired' })
    expect(one.runs.get(claim.run).status).toBe('running')
    const second = ask(one, claim, 'b')
    clock.advance(60_001)
    expect(code(() => one.approvals.resolve(second.id, { ...person, resolution: 'approved', digest: 'digest-b' }, ports))).toBe(
      'already_resolved',
    )
    expect(one.approvals.get(second.id)).toMatchObject({ status: 'cancelled', actor: 'system' })
  })

  test.each(['agent:x', 'engine', 'system'])('R-18: %s cannot approve', actor => {
    const one = runRecords()
    const { id } = ask(one, drivenRun(one))
    expect(code(() => one.approvals.resolve(id, { actor, resolution: 'approved', digest: 'digest-a' }, ports))).toBe('actor_not_person')
    expect(one.approvals.get(id).status).toBe('pending')
  })

  test('R-18: a no cancels what else the turn asks, not what another turn asks; the run waits on', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const [a, b, c] = [ask(one, claim), ask(one, claim, 'b'), ask(one, claim, 'c', { turn: 1 })]
    one.approvals.resolve(a.id, { ...person, resolution: 'rejected', digest: 'digest-a' }, ports)
    expect([b, c].map(({ id }) => one.approvals.get(id).status)).toEqual(['cancelled', 'pending'])
    expect(one.runs.get(claim.run).status).toBe('proposed')
  })

  test('R-18: a remembered yes answers an equal ask of the run as well, with an event of its own', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const [a, b, c] = [ask(one, claim), ask(one, claim, 'b', { offers: asked('a').offers }), ask(one, claim, 'c')]
    one.approvals.resolve(a.id, { ...person, resolution: 'approved', remember: 'run', digest: 'digest-a' }, ports)
    expect([b, c].map(({ id }) => one.approvals.get(id).status)).toEqual(['approved', 'pending'])
    expect(one.types(claim.run).filter(type => type === 'approval.resolved')).toHaveLength(2)
    expect(keptBy(one, claim)).toEqual(['exact-a'])
  })

  test('P-57: what is kept is the rule that was offered, exact unless the wider one was said', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const yes = { ...person, resolution: 'approved' as const }
    one.approvals.resolve(ask(one, claim).id, { ...yes, remember: 'project', digest: 'digest-a' }, ports)
    expect(kept.splice(0)).toEqual([rule('exact-a')])
    one.approvals.resolve(ask(one, claim, 'b').id, { ...yes, remember: 'run', wider: true, digest: 'digest-b' }, ports)
    expect(keptBy(one, claim)).toEqual(['exact-a', 'wide'])
    const plain = ask(one, claim, 'c', { offers: [{ answer: 'once' }, { answer: 'reject' }] })
    expect(code(() => one.approvals.resolve(plain.id, { ...yes, remember: 'run', digest: 'digest-c' }, ports))).toBe('invalid_input')
    expect(one.approvals.get(plain.id).status).toBe('pending')
  })

  test('a project rule that cannot be kept leaves the ask open', () => {
    const one = runRecords()
    const { id } = ask(one, drivenRun(one))
    const before = one.head()
    const failing = {
      ...ports,
      keepForProject: () => {
        throw new Error('the file is not trusted')
      },
    }
    expect(() =>
      one.approvals.resolve(id, { ...person, resolution: 'approved', remember: 'project', digest: 'digest-a' }, failing),
    ).toThrow('not trusted')
    expect([one.head(), one.approvals.get(id).status]).toEqual([before, 'pending'])
  })

  test('P-61: a secret in what is asked is neither kept nor offered as a rule', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const secret = ['ghp_', 'aB3dE6gH9kL2mN5pQ8sT1vW4yZ7cF0jR2uX5'].join('')
    const { id, offers } = ask(one, claim, 'a', { operation: { verb: 'process.exec', command: `push ${secret}`, cwd: '/p' } })
    expect(JSON.stringify([one.approvals.get(id), one.store.log.list({}, 100)])).not.toContain(secret)
    expect(offers.map(({ answer }) => answer)).toEqual(['once', 'reject'])
  })

  test('is listed oldest first, all of them or only the newest', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const ids = [ask(one, claim), ask(one, claim), ask(one, claim)].map(({ id }) => id).sort()
    const listed = (last?: number) => one.approvals.list({ ...(last !== undefined && { last }) }).map(({ id }) => id)
    expect([listed(), listed(2)]).toEqual([ids, ids.slice(1)])
  })

  test('is found by its id and by the end of it, and by nothing else', () => {
    const one = runRecords()
    const { id } = ask(one, drivenRun(one))
    expect([one.approvals.get(id).id, one.approvals.get(shortId(id)).id]).toEqual([id, id])
    expect(code(() => one.approvals.get('nothing!'))).toBe('not_found')
  })

  test('an answer of another process is noticed by the run that waits within 500 ms', async () => {
    const one = runRecords()
    const other = runRecords({ path: one.path })
    const { id } = ask(one, drivenRun(one))
    const waiting = one.approvals.answered(id, AbortSignal.timeout(5_000))
    other.approvals.resolve(id, { ...person, resolution: 'approved', digest: 'digest-a' }, ports)
    const at = performance.now()
    expect((await waiting).status).toBe('approved')
    expect(performance.now() - at).toBeLessThan(500)
  })
})

describe('R-5: the end of a run', () => {
  test('cancels what it still asks, each with its event', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const { id } = ask(one, claim)
    one.runs.finalize(claim, { status: 'aborted', outcome: 'cancelled', reason: 'enough' })
    expect(one.approvals.get(id)).toMatchObject({ status: 'cancelled', actor: 'system', reason: 'run-finalised' })
    expect(one.types(claim.run).slice(-2)).toEqual(['approval.resolved', 'run.stopped'])
  })

  test('conformance 6: twice, with a wrong outcome, with an open attempt: three refusals, and the log stays as it is', () => {
    const one = runRecords()
    const claim = drivenRun(one)
    const wanted = { subject: 's', call: 'a', executor: 'qed', operation_digest: 'd', effect: 'execute' as const, paths: [] }
    const attempt = one.attempts.reserve(claim, wanted)
    const before = one.head()
    expect(code(() => one.runs.finalize(claim, { status: 'completed' }))).toBe('attempt_open')
    expect(code(() => one.runs.finalize(claim, { status: 'completed', outcome: 'budget' }))).toBe('outcome_mismatch')
    expect(one.head()).toBe(before)
    one.attempts.settle(claim, attempt.id, { status: 'succeeded' })
    one.runs.finalize(claim, { status: 'completed' })
    const ended = one.head()
    expect(code(() => one.runs.finalize(claim, { status: 'completed' }))).toBe('run_terminal')
    expect(one.head()).toBe(ended)
  })
})

describe('L-38: a run that was waiting when its process died', () => {
  test('goes on waiting with whoever claims it next, and finds what it asked', () => {
    const clock = handClock()
    const one = runRecords({ clock })
    const claim = drivenRun(one)
    const { id } = ask(one, claim)
    clock.advance(30_001)
    one.runs.claim(claim.run, { machine: 'elsewhere', boot: 'b', pid: 2, pid_started_at: '1', surface: 'cli' })
    expect(one.runs.get(claim.run).status).toBe('proposed')
    const at = { loop: 1, turn: 0, call: 'a' }
    expect(one.approvals.ofCall(claim.run, at, 'digest-a')?.id).toBe(id)
    expect(one.approvals.ofCall(claim.run, at, 'digest-b')).toBeUndefined()
    expect(one.approvals.ofCall(claim.run, { ...at, turn: 1 }, 'digest-a')).toBeUndefined()
  })
})
