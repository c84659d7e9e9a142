import { describe, expect, test } from 'vitest'
import { argumentsForTool, dialectBeside, inOrder } from '../../../src/text/dialects/hand-over.ts'
import {
  judgeTurn,
  lowerLimits,
  type TurnCall,
  type TurnFacts,
  turnFingerprint,
  type Verdict,
} from '../../../src/text/dialects/judge-turn.ts'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import { signalsOf } from '../../../src/text/dialects/signals.ts'

const read = (path: string, ok = true): TurnCall => ({ name: 'get', arguments: { path }, effect: 'read', ok })
const write = (path: string, ok = true): TurnCall => ({ name: 'set', arguments: { path, body: 'x' }, effect: 'write', ok })
const turn = (facts: Partial<TurnFacts> = {}): TurnFacts => ({ text: '', calls: [], signals: [], ...facts })
const says = (status: number, text = 'x') => ({ status, text })
const verdict = ({ verdict, reason, silent }: Verdict) => [verdict, reason, silent].filter(part => part !== undefined)

const table: { says: string; turn: TurnFacts; is: unknown[]; noticed?: boolean }[] = [
  { says: 'D-44 a final signal and good calls are a claim', turn: turn({ signals: [says(200)], calls: [write('a')] }), is: ['claim'] },
  { says: 'D-44 204 is a claim', turn: turn({ signals: [says(204)] }), is: ['claim'] },
  { says: 'D-44 422 is a claim of failure', turn: turn({ signals: [says(422)] }), is: ['claim', 'declined'] },
  {
    says: 'D-44 a final signal beside a failed call goes on',
    turn: turn({ signals: [says(200)], calls: [write('a', false)] }),
    is: ['continue'],
    noticed: true,
  },
  { says: 'D-44 done and working in one turn goes on', turn: turn({ signals: [says(200), says(102)] }), is: ['continue'], noticed: true },
  { says: 'D-44 an update goes on', turn: turn({ signals: [says(102)] }), is: ['continue'] },
  { says: 'D-42 an unknown status counts as 102', turn: turn({ signals: [says(999)] }), is: ['continue'] },
  { says: 'D-44 calls without a signal go on and are asked for one', turn: turn({ calls: [read('a')] }), is: ['continue'], noticed: true },
  { says: 'D-44 plain text is a silent claim', turn: turn({ text: 'The answer is 42.' }), is: ['claim', true] },
  { says: 'D-44 nothing at all goes on', turn: turn({ text: ' \n' }), is: ['continue'], noticed: true },
  { says: 'D-44 of two final signals the last counts', turn: turn({ signals: [says(200), says(422)] }), is: ['claim', 'declined'] },
  {
    says: 'D-44 a failed read also holds back a claim',
    turn: turn({ signals: [says(200)], calls: [read('a', false)] }),
    is: ['continue'],
    noticed: true,
  },
]

describe('the verdict on a turn', () => {
  test.each(table)('$says', ({ turn, is, noticed = false }) => {
    const judged = judgeTurn([turn])
    expect([verdict(judged), judged.notice !== undefined]).toEqual([is, noticed])
  })

  const loops: { says: string; turns: TurnFacts[]; limits?: object; is: unknown[] }[] = [
    {
      says: 'D-48 the same call three times is a loop',
      turns: Array.from({ length: 3 }, () => turn({ calls: [read('a')] })),
      is: ['stop', 'loop_detected'],
    },
    { says: 'D-48 twice is none', turns: Array.from({ length: 2 }, () => turn({ calls: [read('a')] })), is: ['continue'] },
    {
      says: 'D-48 a period of two, three times',
      turns: Array.from({ length: 6 }, (_, i) => turn({ calls: [write(i % 2 ? 'a' : 'b')], signals: [says(102, String(i))] })),
      is: ['stop', 'loop_detected'],
    },
    {
      says: 'D-48 a period of four, three times',
      turns: Array.from({ length: 12 }, (_, i) => turn({ calls: [write(String(i % 4))], signals: [says(102, String(i))] })),
      is: ['stop', 'loop_detected'],
    },
    {
      says: 'D-48 a period of five is none',
      turns: Array.from({ length: 15 }, (_, i) => turn({ calls: [write(String(i % 5))], signals: [says(102, String(i))] })),
      is: ['continue'],
    },
    {
      says: 'D-48 a turn without calls breaks a loop',
      turns: [turn({ calls: [write('a')] }), turn({ signals: [says(102)] }), turn({ calls: [write('a')] }), turn({ calls: [write('a')] })],
      is: ['continue'],
    },
    { says: 'D-46 three turns without signal and progress stall', turns: [turn(), turn(), turn()], is: ['stop', 'stalled'] },
    {
      says: 'D-46 progress sets the count to nothing',
      turns: [turn(), turn(), turn({ calls: [read('a')] }), turn(), turn()],
      is: ['continue'],
    },
    { says: 'D-46 a signal sets the count to nothing', turns: [turn(), turn(), turn({ signals: [says(102)] }), turn()], is: ['continue'] },
    {
      says: 'D-45 a failed write is no progress',
      turns: [1, 2, 3].map(i => turn({ calls: [write(String(i), false)] })),
      is: ['stop', 'stalled'],
    },
    {
      says: 'D-45 a read that was made before is no progress',
      turns: [turn({ calls: [read('a'), read('b'), read('c')] }), ...['a', 'b', 'c'].map(path => turn({ calls: [read(path)] }))],
      is: ['stop', 'stalled'],
    },
    {
      says: 'D-47 the same update three times without progress stalls',
      turns: ['still  here', 'still here', ' still\nhere'].map(text => turn({ signals: [says(102, text)] })),
      is: ['stop', 'stalled'],
    },
    {
      says: 'D-47 the same update with progress goes on',
      turns: ['a', 'b', 'c'].map(path => turn({ calls: [read(path)], signals: [says(102)] })),
      is: ['continue'],
    },
    { says: 'D-49 the last turn allowed stops', turns: [turn({ signals: [says(102)] })], limits: { turns: 1 }, is: ['stop', 'max_turns'] },
    { says: 'D-50 a claim wins over the cap', turns: [turn({ signals: [says(200)] })], limits: { turns: 1 }, is: ['claim'] },
    {
      says: 'D-50 the cap comes before the loop',
      turns: Array.from({ length: 3 }, () => turn({ calls: [read('a')] })),
      limits: { turns: 3 },
      is: ['stop', 'max_turns'],
    },
    {
      says: 'D-52 limits can be raised',
      turns: Array.from({ length: 3 }, () => turn({ calls: [read('a')] })),
      limits: { repetitions: 4 },
      is: ['continue'],
    },
  ]

  test.each(loops)('$says', ({ turns, limits, is }) => {
    expect(verdict(judgeTurn(turns, limits))).toEqual(is)
  })

  test('D-49 the last three turns say how many are left', () => {
    const notices = [1, 2, 3, 4].map(
      count =>
        judgeTurn(
          Array.from({ length: count }, (_, i) => turn({ signals: [says(102, String(i))] })),
          { turns: 5 },
        ).notice,
    )
    expect(notices.map(notice => notice?.match(/\d|One/)?.[0])).toEqual([undefined, '3', '2', 'One'])
  })

  test('D-48 a fingerprint does not depend on the order of calls and keys', () => {
    const one: TurnCall = { name: 'f', arguments: { a: 1, b: 2 }, effect: 'read', ok: true }
    const other: TurnCall = { name: 'f', arguments: { b: 2, a: 1 }, effect: 'read', ok: false }
    expect(turnFingerprint(turn({ calls: [one, read('x')] }))).toBe(turnFingerprint(turn({ calls: [read('x'), other] })))
    expect(turnFingerprint(turn())).toBeUndefined()
  })

  test('D-52 a brief only lowers limits', () => {
    const limits = { turns: 99, stalls: 3, repetitions: 3, updateRepeats: 3 }
    expect(lowerLimits(limits, { turns: 10, stalls: 9 })).toEqual({ ...limits, turns: 10 })
  })

  test('D-42 signals come from update and summarize', () => {
    const { calls } = parseReply(
      '<update>a</update><summarize>b</summarize><update status="422">c</update><update status="7">d</update><get path="x"/>',
    )
    expect(signalsOf(calls)).toEqual([says(102, 'a'), says(200, 'b'), says(422, 'c'), says(102, 'd')])
  })
})

describe('handing calls over', () => {
  test('D-19 one line break behind the opening tag goes, for set and known only', () => {
    const { calls } = parseReply(
      '<set path="a">\n\nx\n</set><known path="k">\r\ny</known><update>\nz</update>[TOOL_CALLS]set{"body":"\\nw"}',
    )
    expect(calls.map(call => argumentsForTool(call)['body'])).toEqual(['\nx\n', 'y', '\nz', '\nw'])
  })

  test('D-39 beside structured calls the text is prose', () => {
    expect([dialectBeside(1), dialectBeside(0), dialectBeside(0, 'tags')]).toEqual(['none', 'auto', 'tags'])
  })

  test('D-7 rejected calls keep their place', () => {
    const names = inOrder(parseReply('<get path="a"/><rm path="\u0001"/><get path="b"/>')).map(call => call.id)
    expect(names).toEqual(['call_1', 'call_2', 'call_3'])
  })
})

test('D-47 a claim that was accepted is no repeated update', () => {
  const turn = (status: number) => ({ text: '', calls: [], signals: [{ status, text: 'done' }] })
  expect(judgeTurn([turn(200), turn(200), turn(102)])).toMatchObject({ verdict: 'continue' })
})
