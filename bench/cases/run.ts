import type { Case } from '../harness.ts'
import { type Headless, openHeadless, type Played } from '../headless.ts'
import type { Scene } from '../scene.ts'

// Whole runs of `qed code` with every safeguard on, beside a bare loop that has none.

export async function runCases(scene: Scene): Promise<{ cases: Case[]; close: () => void }> {
  const headless = await openHeadless(scene)
  return { cases: casesOf(headless), close: headless.close }
}

const SHORT = 10
const MIDDLE = 50
const LONG = 100

function casesOf({ play }: Headless): Case[] {
  const figure = (who: 'bare' | 'qed', turns: number, of: (played: Played) => number) => async (): Promise<number> =>
    of(await play(who, turns))
  const slope = (who: 'bare' | 'qed') => async (): Promise<number> =>
    ((await play(who, LONG)).wallMs - (await play(who, SHORT)).wallMs) / (LONG - SHORT)
  const wall = ({ wallMs }: Played): number => wallMs
  return [
    { name: 'bare loop, 10 turns', unit: 'ms', run: figure('bare', SHORT, wall) },
    { name: 'qed code, 10 turns', unit: 'ms', floor: 'bare loop, 10 turns', run: figure('qed', SHORT, wall) },
    { name: 'bare loop, 50 turns', unit: 'ms', run: figure('bare', MIDDLE, wall) },
    { name: 'qed code, 50 turns', unit: 'ms', floor: 'bare loop, 50 turns', goal: { mostRatio: 2 }, run: figure('qed', MIDDLE, wall) },
    { name: 'bare loop, a turn', unit: 'ms', run: slope('bare') },
    { name: 'qed code, a turn', unit: 'ms', floor: 'bare loop, a turn', goal: { mostRatio: 1.8 }, run: slope('qed') },
    { name: 'bare loop, first request', unit: 'ms', run: figure('bare', 1, played => played.firstRequestMs) },
    {
      name: 'qed code, first request',
      unit: 'ms',
      floor: 'bare loop, first request',
      goal: { most: 120 },
      run: figure('qed', 1, played => played.firstRequestMs),
    },
    {
      name: 'qed code, size of the first request',
      unit: 'bytes',
      goal: { most: 5 * 1024 },
      run: figure('qed', 1, played => played.firstBytes),
    },
    { name: 'bare loop, sent in 100 turns', unit: 'KB', run: figure('bare', LONG, played => played.bytes / 1024) },
    {
      name: 'qed code, sent in 100 turns',
      unit: 'KB',
      floor: 'bare loop, sent in 100 turns',
      run: figure('qed', LONG, played => played.bytes / 1024),
    },
    { name: 'qed code, memory at 100 turns', unit: 'MB', goal: { most: 120 }, run: figure('qed', LONG, played => played.peakMb) },
    { name: 'qed code, turn 500 over turn 50', unit: '×', goal: { most: 1.5 }, run: figure('qed', 510, growth) },
  ]
}

/** How much longer the turns around the 500th take than those around the 50th. */
function growth({ gapsMs }: Played): number {
  const middle = (from: number, to: number): number => gapsMs.slice(from, to).toSorted((a, b) => a - b)[(to - from) >> 1] ?? Number.NaN
  return middle(480, 510) / middle(36, 66)
}
