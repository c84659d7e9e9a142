import { describe, expect, test } from 'vitest'
import { runEngineLoop } from '../../src/engine/loop.ts'
import type { EngineLoopInput, EngineLoopMessage, EngineLoopOutcome, EngineLoopResponse } from '../../src/engine/types.ts'
import { FailedResult } from '../../src/kernel/failed-result.ts'
import { ToolRefused } from '../../src/kernel/tool-refused.ts'
import { judgeTurn } from '../../src/text/dialects/judge-turn.ts'

type Scripted = EngineLoopResponse | Error | ((messages: readonly EngineLoopMessage[]) => EngineLoopResponse)
type CallSpec = string | [name: string, args: object] | { id: string; name: string; arguments: string }

let nextId = 0
function toolCalls(specs: CallSpec[]) {
  return specs.map(spec => {
    if (typeof spec === 'object' && 'id' in spec) return spec
    const [name, args] = typeof spec === 'string' ? [spec, {}] : spec
    return { id: `c${nextId++}`, name, arguments: JSON.stringify(args) }
  })
}
const text = (content: string, tokensUsed = 1): EngineLoopResponse => ({
  stop: 'text',
  content,
  tokensUsed,
  assistantMessage: { role: 'assistant', content },
})
const uses = (specs: CallSpec[], tokensUsed = 1, content = ''): EngineLoopResponse => ({
  stop: 'tool_use',
  tokensUsed,
  assistantMessage: { role: 'assistant', content, toolCalls: toolCalls(specs) },
})
const tool = (name: string) => ({ name, description: name })

interface Played {
  outcome: EngineLoopOutcome
  sent: EngineLoopMessage[][]
  executed: string[]
  log: string[]
}

async function play(script: Scripted[], over: Partial<EngineLoopInput> = {}): Promise<Played> {
  const sent: EngineLoopMessage[][] = []
  const executed: string[] = []
  const log: string[] = []
  const queue = [...script]
  const outcome = await runEngineLoop({
    client: {
      send: (messages, _tools, options) => {
        sent.push([...messages])
        log.push(`send ${options.maxTokens}`)
        const next = queue.length > 1 ? queue.shift() : queue[0]
        if (next instanceof Error) return Promise.reject(next)
        if (!next) return Promise.reject(new Error('the script is over'))
        return Promise.resolve(typeof next === 'function' ? next(messages) : next)
      },
    },
    executor: call => {
      executed.push(call.name)
      return Promise.resolve(`did ${call.name}`)
    },
    systemPrompt: 'S',
    userPrompt: 'U',
    tools: [tool('read'), tool('write'), tool('edit'), tool('bash'), tool('update')],
    budget: { maxToolCalls: 20, maxTokens: 50_000 },
    personaSlug: 'default',
    hooks: {
      onTurnStart: (index, count) => log.push(`start ${index} ${count}`),
      onTurnComplete: (index, response) => log.push(`complete ${index} ${response.stop}`),
      onToolCall: call => log.push(`call ${call.name}`),
      onToolResult: (call, result) => log.push(`result ${call.name} ${result.ok}`),
    },
    ...over,
  })
  return { outcome, sent, executed, log }
}

const frames = (played: Played): EngineLoopMessage[] => played.sent.at(-1) ?? []

describe('the vectors of the spec', () => {
  test('text is the answer', async () => {
    expect((await play([text('hi', 12)])).outcome).toEqual({
      status: 'completed',
      finalText: 'hi',
      toolCallCount: 0,
      tokensUsed: 12,
      turnsUsed: 1,
    })
  })

  test.each<[string, Scripted[], Partial<EngineLoopInput>, Partial<EngineLoopOutcome>]>([
    [
      'three calls with room for two',
      [uses(['read', 'read', 'read'])],
      { budget: { maxToolCalls: 2, maxTokens: 100 } },
      { status: 'budget_exhausted', toolCallCount: 2, turnsUsed: 1, reason: 'tool_calls: No tool call is left.' },
    ],
    [
      'a cap just reached leaves the model its answer',
      [uses(['read', 'read']), text('ok')],
      { budget: { maxToolCalls: 2, maxTokens: 100 } },
      { status: 'completed', toolCallCount: 2, turnsUsed: 2 },
    ],
    [
      'no call at all allowed',
      [uses(['read'])],
      { budget: { maxToolCalls: 0, maxTokens: 100 } },
      { status: 'budget_exhausted', toolCallCount: 0 },
    ],
    [
      'the calls of the turn that crossed the cap still run',
      [uses(['read'], 150), text('never')],
      { budget: { maxToolCalls: 9, maxTokens: 100 } },
      { status: 'budget_exhausted', toolCallCount: 1, tokensUsed: 150, turnsUsed: 1 },
    ],
    [
      'an answer over the cap is an answer',
      [text('x', 150)],
      { budget: { maxToolCalls: 9, maxTokens: 100 } },
      { status: 'completed', tokensUsed: 150 },
    ],
    [
      'refused mutation',
      [uses(['read', 'write', 'read'])],
      { tools: [tool('read')] },
      { status: 'tool_refused', toolCallCount: 1, reason: 'tool_refused: write is not available here' },
    ],
    ['announced twice, called never', [uses([]), uses([])], {}, { status: 'failed', turnsUsed: 2 }],
    [
      'rate limited',
      [{ stop: 'error', code: 'rate_limited', message: 'later' }],
      {},
      { status: 'failed', finalText: '', reason: 'rate_limited: later' },
    ],
    ['a rejected send', [new Error('boom')], {}, { status: 'failed', reason: 'failed: boom', turnsUsed: 1 }],
    [
      'the nodes above refuse',
      [{ stop: 'error', code: 'budget', message: 'mission is used up' }],
      {},
      { status: 'budget_exhausted', reason: 'budget: mission is used up' },
    ],
  ])('%s', async (_name, script, over, wanted) => {
    expect((await play(script, over)).outcome).toMatchObject(wanted)
  })

  test('with no tokens the client is never called', async () => {
    const played = await play([text('x')], { budget: { maxToolCalls: 1, maxTokens: 0 } })
    expect(played.outcome).toMatchObject({ status: 'budget_exhausted', turnsUsed: 0 })
    expect(played.sent).toEqual([])
  })

  test('L-8: a client that counts nothing ends all the same, by the characters of each turn', async () => {
    const filler = 'x'.repeat(396)
    const played = await play([() => uses(['read'], 0, filler)], { budget: { maxToolCalls: 99, maxTokens: 250 } })
    // Per turn: everything sent and received, in fours. Turn 1: S+U+396+read+{}; turn 2 also the frames of turn 1.
    const first = Math.ceil((2 + 396 + 'read{}'.length) / 4)
    const second = Math.ceil((2 + 2 * (396 + 'read{}'.length) + 'did read'.length) / 4)
    expect(played.outcome).toMatchObject({ status: 'budget_exhausted', turnsUsed: 2, tokensUsed: first + second })
  })

  test('an unknown tool is answered with the names there are, and not counted', async () => {
    const played = await play([uses(['nope']), text('ok')], { tools: [tool('read'), tool('grep')] })
    expect(played.outcome).toMatchObject({ status: 'completed', toolCallCount: 0 })
    expect(frames(played).at(-1)).toMatchObject({ role: 'tool', content: 'Error: unknown tool nope. Available: read, grep.' })
    expect(played.executed).toEqual([])
  })

  test('a call whose id is rejected never runs, also alone', async () => {
    const answer = uses([{ id: 'r', name: 'read', arguments: '{}' }])
    const played = await play([{ ...answer, rejected: [{ id: 'r', message: 'it was cut off' }] } as EngineLoopResponse, text('ok')])
    expect(played.outcome).toMatchObject({ status: 'completed', toolCallCount: 0 })
    expect(frames(played).at(-1)?.content).toBe('Error: it was cut off')
    expect(played.executed).toEqual([])
  })

  test('L-21: an edit and a final update are a claim in one turn', async () => {
    const played = await play([uses(['edit', ['update', { status: 200, body: 'Fixed.' }]])], { judge: turns => judgeTurn(turns) })
    expect(played.outcome).toMatchObject({ status: 'completed', finalText: 'Fixed.', toolCallCount: 2, turnsUsed: 1 })
  })

  test('every hook may throw or reject; the outcome is the same, and each is reported once', async () => {
    const reported: string[] = []
    const bad = {
      onTurnStart: () => {
        throw new Error('a')
      },
      onTurnComplete: (() => Promise.reject(new Error('b'))) as unknown as () => void,
      onToolCall: () => {
        throw new Error('c')
      },
      onToolResult: () => {
        throw new Error('d')
      },
    }
    const script = () => [uses(['read', 'read']), text('ok')]
    const [calm, wild] = [
      await play(script(), { hooks: {} }),
      await play(script(), { hooks: bad, onHookFailure: hook => reported.push(hook) }),
    ]
    expect(wild.outcome).toEqual(calm.outcome)
    await new Promise(setImmediate)
    expect(reported.toSorted()).toEqual(['onToolCall', 'onToolResult', 'onTurnComplete', 'onTurnStart'])
  })
})

describe('frames', () => {
  test('L-6: the assistant frame once, then one tool frame per call in its order', async () => {
    const played = await play([uses(['read', 'nope', 'edit'], 1, 'looking'), text('ok')])
    expect(frames(played).map(({ role, toolName }) => [role, toolName])).toEqual([
      ['system', undefined],
      ['user', undefined],
      ['assistant', undefined],
      ['tool', 'read'],
      ['tool', 'nope'],
      ['tool', 'edit'],
    ])
  })

  test('L-5: empty prompts are frames too', async () => {
    const played = await play([text('ok')], { systemPrompt: '', userPrompt: '' })
    expect(played.sent[0]).toEqual([
      { role: 'system', content: '' },
      { role: 'user', content: '' },
    ])
  })

  test('L-7: hooks come in order, and the room of the reply shrinks', async () => {
    const played = await play([uses(['read'], 100), text('ok', 5)], { budget: { maxToolCalls: 5, maxTokens: 1000 } })
    expect(played.log).toEqual([
      'start 0 2',
      'send 1000',
      'complete 0 tool_use',
      'call read',
      'result read true',
      'start 1 4',
      'send 900',
      'complete 1 text',
    ])
  })

  test('L-16: missing and repeated ids are made, the same everywhere', async () => {
    const seen: string[] = []
    const same = { name: 'read', arguments: '{}' }
    const played = await play(
      [
        uses([
          { id: '', ...same },
          { id: 'a', ...same },
          { id: 'a', ...same },
        ]),
        text('ok'),
      ],
      {
        executor: call => {
          seen.push(call.callId)
          return Promise.resolve('')
        },
      },
    )
    expect(seen).toEqual(['call_0_0', 'a', 'call_0_2'])
    expect(frames(played)[2]?.toolCalls?.map(call => call.id)).toEqual(seen)
    expect(
      frames(played)
        .slice(3)
        .map(frame => frame.toolCallId),
    ).toEqual(seen)
  })

  test('L-10: an announced call that is not there is asked for once', async () => {
    const played = await play([uses([]), uses(['read']), uses([]), text('ok')])
    expect(played.outcome.status).toBe('completed')
    expect(played.sent[1]?.at(-1)).toEqual({
      role: 'user',
      content: 'Your reply announced a tool call but contained none. Call a tool or give your answer.',
    })
  })

  test('L-9: calls decide, whatever the stop reason says', async () => {
    const answer: EngineLoopResponse = {
      stop: 'text',
      content: 'and now',
      tokensUsed: 1,
      assistantMessage: { role: 'assistant', content: 'and now', toolCalls: toolCalls(['read']) },
    }
    expect(await play([answer, text('ok')])).toMatchObject({ outcome: { finalText: 'ok' }, executed: ['read'] })
  })

  test('I-6: sh and shell are the shell tool where it is offered', async () => {
    expect((await play([uses(['sh', 'shell']), text('ok')])).executed).toEqual(['bash', 'bash'])
  })
})

describe('what an executor gives and throws', () => {
  const once = async (executor: EngineLoopInput['executor']): Promise<{ outcome: EngineLoopOutcome; content: string }> => {
    const played = await play([uses(['read']), text('ok')], { executor })
    return { outcome: played.outcome, content: frames(played).at(-1)?.content ?? '' }
  }

  test.each<[string, unknown, string]>([
    ['an error', new Error('no such file'), 'Error: no such file'],
    ['a string', 'gone', 'Error: gone'],
    ['nothing in words', new Error(''), 'Error: tool failed without a message'],
    ['an object', { a: 1 }, 'Error: [object Object]'],
  ])('L-15: %s that is thrown is fed back and counted', async (_name, thrown, content) => {
    const done = await once(() => Promise.reject(thrown))
    expect(done).toMatchObject({ content, outcome: { status: 'completed', toolCallCount: 1 } })
  })

  test('L-15: an executor that throws before it gives a promise is no different', async () => {
    const done = await once(() => {
      throw new Error('at once')
    })
    expect(done.content).toBe('Error: at once')
  })

  test('L-15: long texts keep their ends and say what is missing', async () => {
    const error = (await once(() => Promise.reject(new Error(`a${'x'.repeat(5_000)}z`)))).content
    expect(error).toHaveLength('Error: '.length + 4_000 + '\n[1002 characters left out]\n'.length)
    expect(error).toMatch(/^Error: ax.*\n\[1002 characters left out\]\nx.*z$/s)
    const result = (await once(() => Promise.resolve(`a${'x'.repeat(250_000)}z`))).content
    expect(result).toMatch(/^ax.*\n\[50002 characters left out\]\nx.*z$/s)
    const printed = `a${'x'.repeat(5_000)}z`
    expect((await once(() => Promise.reject(new FailedResult(printed)))).content).toBe(`Error: ${printed}`)
  })

  test('L-15: a result that is no string is its JSON', async () => {
    expect((await once((() => Promise.resolve({ a: 1 })) as unknown as EngineLoopInput['executor'])).content).toBe('{"a":1}')
  })

  test('L-14: ToolRefused ends the loop; what ran before counts, the refused call does not', async () => {
    const played = await play([uses(['read', 'edit', 'read'], 1, 'trying')], {
      executor: call => (call.name === 'edit' ? Promise.reject(new ToolRefused('plan changes nothing')) : Promise.resolve('')),
    })
    expect(played.outcome).toEqual({
      status: 'tool_refused',
      finalText: 'trying',
      toolCallCount: 1,
      tokensUsed: 1,
      turnsUsed: 1,
      reason: 'tool_refused: plan changes nothing',
    })
    expect(played.log.slice(-2)).toEqual(['call edit', 'result edit false'])
  })
})

describe('abort', () => {
  test('L-17: during the second of three calls it is awaited, the third never begins', async () => {
    const abort = new AbortController()
    let calls = 0
    const played = await play([uses(['read', 'read', 'read'])], {
      signal: abort.signal,
      executor: () => {
        if (++calls === 2) abort.abort()
        return Promise.resolve('')
      },
    })
    expect(played.outcome).toMatchObject({ status: 'failed', reason: 'aborted: The run was stopped.', toolCallCount: 2, finalText: '' })
    expect(played.log.filter(line => line.startsWith('call'))).toHaveLength(2)
  })

  test('L-17: before the first send nothing is sent', async () => {
    const played = await play([text('x')], { signal: AbortSignal.abort() })
    expect(played.outcome).toMatchObject({ status: 'failed', turnsUsed: 0 })
    expect(played.sent).toEqual([])
  })

  test('L-17: a client that ignores the signal holds nobody up', async () => {
    const abort = new AbortController()
    const played = await play([], {
      signal: abort.signal,
      client: {
        send: () => {
          abort.abort()
          return new Promise(() => undefined)
        },
      },
    })
    expect(played.outcome).toMatchObject({ status: 'failed', reason: 'aborted: The run was stopped.', turnsUsed: 1 })
  })
})

describe('truncation and overflow', () => {
  const cut = (content: string, calls: CallSpec[] = []): EngineLoopResponse => ({
    stop: 'text',
    content,
    tokensUsed: 1,
    truncated: true,
    assistantMessage: { role: 'assistant', content, ...(calls.length > 0 && { toolCalls: toolCalls(calls) }) },
  })

  test('L-19: a cut answer is completed as cut, and its calls do not run', async () => {
    const played = await play([cut('half', ['bash'])])
    expect(played.outcome).toMatchObject({ status: 'completed', finalText: 'half', truncated: true })
    expect(played.executed).toEqual([])
  })

  test('L-19: inside a brief one continuation is asked for, with every call answered', async () => {
    const played = await play([cut('half', ['bash']), text('whole')], { continueTruncated: true })
    expect(played.outcome).toEqual({ status: 'completed', finalText: 'whole', toolCallCount: 0, tokensUsed: 2, turnsUsed: 2 })
    expect(
      frames(played)
        .slice(-2)
        .map(({ role }) => role),
    ).toEqual(['tool', 'user'])
    expect((await play([cut('a'), cut('b')], { continueTruncated: true })).outcome).toMatchObject({ finalText: 'b', truncated: true })
  })

  test('L-10: announced calls that are not there end the loop in a row only, not on both sides of a cut reply', async () => {
    const { outcome } = await play([uses([]), cut('half'), uses([]), text('ok')], { continueTruncated: true })
    expect(outcome).toMatchObject({ status: 'completed', finalText: 'ok', turnsUsed: 4 })
  })

  const overflow: EngineLoopResponse = { stop: 'error', code: 'context_overflow', message: 'too long' }
  const withRoom = (room: boolean[]) => {
    let held: EngineLoopMessage[] = []
    return {
      start: (system: string, user: string) => {
        held = [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ]
      },
      messages: () => held,
      append: (more: EngineLoopMessage[]) => void held.push(...more),
      overflow: () => Promise.resolve(room.shift() ?? false),
    }
  }

  test('L-22: once room is made the turn is sent again', async () => {
    expect((await play([overflow, text('ok')], { context: withRoom([true]) })).outcome).toMatchObject({ status: 'completed', turnsUsed: 2 })
  })

  test.each([
    ['no room could be made', [false]],
    ['it overflows a second time in the same turn', [true, true]],
  ])('L-22: it fails when %s', async (_name, room) => {
    expect((await play([overflow], { context: withRoom(room) })).outcome).toMatchObject({
      status: 'failed',
      reason: 'context_overflow: too long',
    })
  })
})

describe('the judge', () => {
  const judge: EngineLoopInput['judge'] = turns => judgeTurn(turns)

  test.each<[string, Scripted[], Partial<EngineLoopOutcome>]>([
    ['plain text is a claim', [text('Done.')], { status: 'completed', finalText: 'Done.' }],
    ['an empty reply is answered, not completed', [text(''), text('Done.')], { status: 'completed', turnsUsed: 2 }],
    ['declining is a failure', [uses([['update', { status: 422, body: 'cannot' }]])], { status: 'failed', reason: 'declined: cannot' }],
    ['the same call again and again stops the loop', [() => uses([['read', { path: 'a' }]])], { status: 'failed', turnsUsed: 3 }],
    [
      'a final signal beside a failed call is no claim',
      [uses(['nope', ['update', { status: 200, body: 'x' }]]), text('Done.')],
      { status: 'completed', finalText: 'Done.', turnsUsed: 2 },
    ],
  ])('%s', async (_name, script, wanted) => {
    expect((await play(script, { judge })).outcome).toMatchObject(wanted)
  })

  test('its notice is the next user frame, and max_turns is a budget', async () => {
    const played = await play([uses([['read', { path: 'a' }]]), text('ok')], { judge })
    expect(frames(played).at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('update') })
    let n = 0
    const endless = await play([() => uses([['read', { path: String(n++) }]])], { judge: turns => judgeTurn(turns, { turns: 4 }) })
    expect(endless.outcome).toMatchObject({ status: 'budget_exhausted', turnsUsed: 4 })
  })

  test('a judge that throws is an outcome, not a rejection', async () => {
    const broken = () => {
      throw new Error('judge')
    }
    expect((await play([text('x')], { judge: broken })).outcome).toMatchObject({ status: 'failed', reason: 'failed: judge' })
  })
})

test('L-42: a reply that had come is not asked for again, and the counters go on', async () => {
  const reply = uses(['read', 'edit'])
  if (reply.stop === 'error') throw new Error('not a reply')
  let held: EngineLoopMessage[] = [
    { role: 'system', content: 'S' },
    { role: 'user', content: 'U' },
  ]
  const played = await play([text('ok', 10)], {
    context: {
      start: () => {
        held = []
      },
      messages: () => held,
      append: more => void held.push(...more),
      overflow: () => Promise.resolve(false),
    },
    resume: { turnsUsed: 3, tokensUsed: 100, toolCallCount: 2, facts: [], reply },
  })
  expect(played.executed).toEqual(['read', 'edit'])
  expect(played.outcome).toMatchObject({ status: 'completed', turnsUsed: 4, tokensUsed: 110, toolCallCount: 4 })
  expect(played.log[0]).toBe('call read')
  expect(held.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'assistant'])
})
