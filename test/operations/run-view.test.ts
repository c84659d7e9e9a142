import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/kernel/json.ts'
import { allVisible } from '../../src/kernel/visible.ts'
import { emptyTally, tallied, tallyLine } from '../../src/operations/run-tally.ts'
import { createRunView, timeline } from '../../src/operations/run-view.ts'
import { createPaint } from '../../src/surfaces/cli/paint.ts'

type Told = [type: string, data: JsonObject, at?: string]

const paint = createPaint({ isTerminal: false, columns: 80, env: {}, choice: 'never', ascii: false })
const started: Told = [
  'run.started',
  { kind: 'fix', model: 'a/b', scripted: false, scope: ['src/**'], budget: { maxToolCalls: 20, maxTokens: 50_000 } },
]
const received = (calls: JsonObject[] = [], usage: JsonObject | null = null, content = ''): Told => [
  'turn.received',
  { tokens: 1234, calls, usage, content },
]
const requested = (name: string, given: JsonObject): Told => ['call.requested', { name, arguments: JSON.stringify(given) }]
const decided = (verdict: string): Told => ['call.decided', { verdict, rule: 'brief/scope', reason: 'README.md is outside the scope.' }]
const settled = (data: JsonObject = {}): Told => ['call.settled', { ok: true, exit: null, result: '', duration_ms: 2500, ...data }]
const text = (words: string, kind = 'text'): Told => ['model.delta', { kind, text: words }]

function view(live: boolean) {
  const made = createRunView(paint, { live })
  const take = ([type, data, at = '2026-01-01T00:00:00.000Z']: Told) => made.take(allVisible({ type, data, at }))
  const printed = (...events: Told[]): string =>
    events
      .map(take)
      .flatMap(({ print = '', plain = '' }) => [print, live ? '' : plain])
      .filter(Boolean)
      .join('\n')
  return { ...made, take, printed }
}

describe('what a person sees of a run that goes on', () => {
  const about = { kind: 'fix', model: 'a/b', scripted: false, scope: ['src/**'], budget: { maxToolCalls: 20, maxTokens: 50_000 } }
  const resumed = (more: JsonObject): Told => [
    'run.resumed',
    { ...about, dialect: 'native', spent: { turns: 3, toolCalls: 2, tokens: 1000, costMicroUsd: 0 }, ...more },
  ]

  test('why it goes on, with what, and what it has used before', () => {
    expect(view(false).printed(resumed({ says: true }), received())).toBe(
      'The run goes on with what more was said: fix with a/b, may write src/**\nturn 4, calls 2 of 20, tokens 2.2k of 50k, cost unknown',
    )
    expect(view(false).printed(resumed({ says: false }))).toBe('The run goes on where it was broken off: fix with a/b, may write src/**')
  })

  test('what it had said at its first end is not said again', () => {
    const events: Told[] = [
      received([], null, 'All is done.'),
      ['run.stopped', { outcome: 'unproven', reason: null, text: 'All is done.' }],
      resumed({ says: true }),
      ['turn.requested', {}],
    ]
    const shown = timeline(
      events.map(([type, data], i) => ({ seq: i + 1, at: '2026-01-01T00:00:00.000Z', type, data })),
      paint,
    )
    expect(shown.join('\n').match(/All is done/g)).toHaveLength(1)
  })

  test('one that was recorded before more was written down is still shown', () => {
    expect(view(false).printed(['run.resumed', { loop: 1, turn: 1, recovered: [] }])).toBe('The run goes on where it was broken off.')
  })

  test('a model that writes its calls as tags is shown when its reply was read', () => {
    const { take } = view(true)
    take(resumed({ says: false, dialect: 'tags' }))
    expect(take(text('<set path="a">')).piece).toBeUndefined()
  })
})

describe('what a person sees of a call', () => {
  test('one line with what it is about; an edit with the lines that changed', () => {
    expect(
      view(true).printed(
        requested('edit', { path: 'src/a.js', search: 'a', replace: 'b' }),
        decided('allow'),
        ['call.changed', { path: 'src/a.js', action: 'changed', line: 9, before: 'x\na\ny', after: 'x\nb\ny' }],
        settled(),
      ),
    ).toBe(['✓ edit src/a.js', '     9   x', '    10 - a', '    10 + b', '    11   y'].join('\n'))
  })

  test('a diff is bounded, and so is what a command printed; its exit code and its time are told', () => {
    const many = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n')
    const diff = view(true).printed(
      requested('write', { path: 'a', content: many }),
      ['call.changed', { path: 'a', action: 'created', line: 1, before: '', after: many }],
      settled(),
    )
    expect(diff.split('\n')).toHaveLength(27)
    expect(diff).toMatch(/\.\.\. 76 more lines$/)
    const shell = view(true).printed(
      requested('bash', { command: 'npm test' }),
      decided('allow'),
      ['call.output', { text: `${many}\n` }],
      settled({ ok: false, exit: 1 }),
    )
    expect(shell.split('\n').slice(0, 2)).toEqual(['! bash $ npm test exit 1, 2.5 s', '    ... 92 more lines before'])
    expect(shell.split('\n')).toHaveLength(10)
  })

  test('one that the person said no to is denied, with their reason', () => {
    const no: Told = ['approval.resolved', { resolution: 'rejected', reason: 'not there' }]
    expect(view(false).printed(requested('write', { path: 'README.md' }), decided('ask'), no, settled({ ok: false }))).toBe(
      '✗ write README.md denied\n    The person said no: not there (brief/scope)',
    )
  })

  test('a denied one with the reason and the rule', () => {
    expect(
      view(true).printed(
        requested('write', { path: 'README.md', content: 'x' }),
        decided('deny'),
        settled({ ok: false, result: 'Error: no' }),
      ),
    ).toBe('✗ write README.md denied\n    README.md is outside the scope. (brief/scope)')
  })

  test('one that failed with the first line of why', () => {
    expect(view(true).printed(requested('read', { path: 'b' }), settled({ ok: false, result: 'Error: b does not exist.\nLook.' }))).toBe(
      '! read b\n    b does not exist.',
    )
  })

  test('arguments that are too long for the log are no reason to fail', () => {
    expect(view(true).printed(['call.requested', { name: 'write', arguments: { blob: 'x', bytes: 9, preview: '{' } }], settled())).toBe(
      '✓ write',
    )
  })

  test("a model's own word is shown as a claim", () => {
    expect(view(true).printed(requested('update', { status: 200, body: 'All done.' }), settled())).toBe(
      '• the model says it is done: All done.',
    )
  })
})

describe('what a model writes', () => {
  test('U-15 comes in pieces on a terminal, with control characters made visible, and is not said twice', () => {
    const seen = view(true)
    const pieces = [text('Hello \x1b[2J'), text('world'), received([], null, 'Hello \x1b[2Jworld')]
      .map(one => seen.take(one).piece ?? '')
      .join('')
    expect(pieces).toBe('\nHello \\x1b[2Jworld')
    expect([seen.hasShown('Hello \\x1b[2Jworld'), seen.hasShown('something else'), seen.hasShown('')]).toEqual([true, false, false])
  })

  test('elsewhere it comes as a whole, and the answer is left to stdout', () => {
    const plain = view(false)
    expect(plain.printed(text('I '), text('look.'), received([{}], null, 'I look.'))).toBe(
      '\nI look.\nturn 1, calls 0, tokens 1.2k, cost unknown',
    )
    expect(plain.printed(text('Done.'), received([], null, 'Done.'))).toBe('turn 2, calls 0, tokens 2.5k, cost unknown')
    expect(plain.hasShown('Done.')).toBe(false)
    expect(plain.printed(['loop.started', { loop: 2, round: 1 }])).toBe('')
    expect(plain.printed(['loop.started', { loop: 3, round: 2 }])).toBe('\nDone.\n→ The findings go back to the model: round 2')
  })

  test('a model that writes its calls as tags is shown without them, once its reply was read', () => {
    const seen = view(true)
    seen.take(['run.started', { ...started[1], dialect: 'tags' }])
    expect([text('I look. <get path="a"/>'), received([{}], null, 'I look.')].map(one => seen.take(one).piece)).toEqual([
      undefined,
      '\nI look.',
    ])
  })

  test('thinking is one line', () => {
    expect(view(true).printed(text('first this,\nthen ', 'thinking'), text('x'.repeat(200), 'thinking'), text('So.'))).toMatch(
      /^thinking: first this, then x+\.\.\.\+\d+$/,
    )
  })
})

test('U-16 the live line says what is going on and what is used of the budget', () => {
  const seen = view(true)
  const live = (told: Told) => seen.take(told).live
  live(started)
  expect(live(['turn.requested', {}])).toEqual({
    label: 'waiting for the model',
    detail: 'turn 0, calls 0 of 20, tokens 0 of 50k, $0.0000',
  })
  live(received([{}], { costMicroUsd: 12_300 }))
  expect(live(requested('bash', { command: 'npm test' }))).toEqual({
    label: 'bash $ npm test',
    detail: 'turn 1, calls 0 of 20, tokens 1.2k of 50k, $0.0123',
  })
  expect(live(['call.output', { text: 'one\ntwo\n' }])).toEqual({ label: 'bash $ npm test', detail: 'two' })
  expect(live(settled())?.detail).toBe('turn 1, calls 1 of 20, tokens 1.2k of 50k, $0.0123')
})

test('L-55 a cost of which one part is unknown is unknown', () => {
  const turns = [received([], { costMicroUsd: 5 }), received([], null), received([], { costMicroUsd: 5 })]
  const tally = turns.reduce((sum, [type, data]) => tallied(sum, type, data), emptyTally)
  expect(tallyLine(tally)).toBe('turn 3, calls 0, tokens 3.7k, cost unknown')
})

test('a retry says why and when', () => {
  expect(view(false).printed(['model.retry', { retry: 1, kind: 'rate', status: 429, waitMs: 20_000 }])).toBe(
    '! The model provider did not answer (rate, 429). Again in 20.0 s.',
  )
})

test('stored events alone tell the run again, with its answer and its end', () => {
  const told: Told[] = [
    started,
    received([{}], null, 'I look.'),
    requested('read', { path: 'a' }),
    settled(),
    ['turn.requested', {}],
    received([], null, 'It subtracts.'),
    ['run.stopped', { outcome: 'answered', reason: null, text: 'It subtracts.' }],
  ]
  const events = told.map(([type, data], seq) => ({ seq, type, data, at: '2026-01-01T00:00:00.000Z' }))
  expect(timeline(events, paint)).toEqual([
    'fix with a/b, may write src/**',
    '\nI look.',
    'turn 1, calls 0 of 20, tokens 1.2k of 50k, cost unknown',
    '✓ read a',
    'turn 2, calls 1 of 20, tokens 2.5k of 50k, cost unknown',
    '\nIt subtracts.',
    'ended: answered',
  ])
})

test('events that are not known are not shown', () => {
  expect(view(false).printed(['something.new', { a: 1 }])).toBe('')
})
