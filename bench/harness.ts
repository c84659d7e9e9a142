import { performance } from 'node:perf_hooks'

/** One thing to measure. `run` does it once and gives its figure in `unit`. */
export interface Case {
  name: string
  unit: string
  /** The case beside which this one is judged, measured in the same rounds. */
  floor?: string
  /** What the figure must reach: at most so many times the floor, or at least this value. */
  goal?: { mostRatio?: number; least?: number; most?: number }
  run(): number | Promise<number>
}

export interface Figure {
  name: string
  unit: string
  median: number
  floor?: string
  ratio?: number
  goal?: number
  ok?: boolean
}

/** Runs the cases in turn, round after round, so that a busy moment of the machine falls on all of them. The ratio is the
 *  median of the rounds' own ratios. The first round warms up and is not counted. */
export async function measure(cases: Case[], rounds: number, tell: (text: string) => void): Promise<Figure[]> {
  const taken = new Map<string, number[]>(cases.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    tell(`round ${round} of ${rounds}`)
    for (const one of cases) {
      const figure = await one.run()
      if (round > 0) taken.get(one.name)?.push(figure)
    }
  }
  return cases.map(one => figureOf(one, taken))
}

function figureOf(one: Case, taken: Map<string, number[]>): Figure {
  const own = taken.get(one.name) ?? []
  const floor = one.floor === undefined ? undefined : taken.get(one.floor)
  const ratio = floor && median(own.map((figure, i) => figure / (floor[i] ?? Number.NaN)))
  const value = median(own)
  const { mostRatio, least, most } = one.goal ?? {}
  const held = [
    mostRatio === undefined || (ratio ?? 0) <= mostRatio,
    least === undefined || value >= least,
    most === undefined || value <= most,
  ]
  const goal = mostRatio ?? least ?? most
  return {
    name: one.name,
    unit: one.unit,
    median: rounded(value),
    ...(one.floor !== undefined && { floor: one.floor }),
    ...(ratio !== undefined && { ratio: rounded(ratio) }),
    ...(goal !== undefined && { goal, ok: held.every(Boolean) }),
  }
}

export function table(figures: Figure[]): string {
  const rows = figures.map(({ name, unit, median: value, floor, ratio, goal, ok }) => [
    name,
    `${value} ${unit}`,
    ratio === undefined ? '' : `${ratio} × ${floor}`,
    goal === undefined ? '' : `goal ${goal}`,
    ok === undefined ? '' : ok ? 'reached' : 'MISSED',
  ])
  const widths = [0, 1, 2, 3].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export async function milliseconds(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}
