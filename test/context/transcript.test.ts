import { describe, expect, test } from 'vitest'
import { foldMiddle, partsOf, shortenResults } from '../../src/context/transcript/compact.ts'
import { createTranscript } from '../../src/context/transcript/strategy.ts'
import type { EngineLoopMessage } from '../../src/kernel/frames.ts'

const turn = (n: number, result = 'ok'): EngineLoopMessage[] => [
  { role: 'assistant', content: `turn ${n}`, toolCalls: [{ id: `c${n}`, name: 'read', arguments: `{"path":"src/${n}.ts"}` }] },
  { role: 'tool', content: result, toolCallId: `c${n}`, toolName: 'read' },
]
const opening: EngineLoopMessage[] = [
  { role: 'system', content: 'S' },
  { role: 'user', content: 'the goal' },
]
const long = 'x'.repeat(5_000)
const frames = (turns: number, result?: string): EngineLoopMessage[] => [
  ...opening,
  ...Array.from({ length: turns }, (_, i) => turn(i, result)).flat(),
]
const characters = (messages: readonly EngineLoopMessage[]): number => messages.reduce((sum, { content }) => sum + content.length, 0)

describe('compaction', () => {
  test('C-77: system and first user frame and the last six turns stay as they are, byte for byte', () => {
    const { head, middle, tail } = partsOf(frames(10, long))
    expect([head, middle.length, tail.length]).toEqual([opening, 8, 12])
    const shorter = shortenResults(frames(10, long))
    expect(shorter.slice(0, 2)).toEqual(opening)
    expect(shorter.slice(-12)).toEqual(frames(10, long).slice(-12))
  })

  test('C-76 step 1: an old long result becomes one line that says how to see it again', () => {
    expect(shortenResults(frames(7, long))[3]?.content).toBe(
      '[read src/0.ts succeeded; 5000 characters left out; call read again to see them]',
    )
  })

  test('C-77: every call keeps its result, whatever is folded', () => {
    for (let turns = 0; turns < 12; turns++) {
      const folded = foldMiddle(frames(turns), { known: 'K', summary: 'Y' })
      const calls = folded.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
      const results = folded.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId]))
      expect(results).toEqual(calls)
    }
  })

  test('C-76 step 2: what QED knows stands word for word before the summary', () => {
    const [, , folded] = foldMiddle(frames(8), { known: 'changed: src/a.ts', summary: 'Goal: it' })
    expect(folded).toMatchObject({ role: 'user', content: expect.stringMatching(/changed: src\/a\.ts[\s\S]*Goal: it/) })
  })
})

describe('the transcript', () => {
  const of = (ceiling: number, summary: string | null = 'short') => {
    const told: { before: number; after: number }[] = []
    const transcript = createTranscript({
      ceiling,
      count: characters,
      known: () => 'KNOWN',
      summarise: () => Promise.resolve(summary),
      onCompacted: ({ before, after }) => told.push({ before, after }),
    })
    return { transcript, told }
  }

  test('C-75: below the mark nothing changes, not even the identity of a frame', async () => {
    const { transcript, told } = of(1_000_000)
    transcript.restore(frames(20, long))
    const before = transcript.messages()
    await transcript.relieve()
    expect(transcript.messages()).toBe(before)
    expect(told).toEqual([])
  })

  test('C-76: above four fifths it is brought below three fifths, by the gentler way where that is enough', async () => {
    const { transcript, told } = of(60_000)
    transcript.restore(frames(10, long))
    await transcript.relieve()
    expect(characters(transcript.messages())).toBeLessThanOrEqual(36_000)
    expect(transcript.messages()).toHaveLength(22)
    expect(told).toHaveLength(1)
  })

  test('C-77: a summary that fails or is too long is left out; what QED knows is not', async () => {
    for (const summary of [null, 'y'.repeat(90_000)]) {
      const { transcript } = of(50_000, summary)
      transcript.restore(frames(40, 'z'.repeat(900)))
      expect(await transcript.overflow()).toBe(true)
      expect(transcript.messages()[2]?.content).toContain('KNOWN')
      expect(transcript.messages()[2]?.content).not.toContain('yyy')
    }
  })

  test('C-77: where even that is too much, overflow says so', async () => {
    const { transcript } = of(1_000)
    transcript.restore(frames(10, long))
    expect(await transcript.overflow()).toBe(false)
  })
})
