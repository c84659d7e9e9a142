import { VERDICTS, type Verdict } from './types.ts'

export function isStricter(a: Verdict, b: Verdict): boolean {
  return VERDICTS.indexOf(a) > VERDICTS.indexOf(b)
}

/** The strictest of the values; the first one where several are. */
export function strictest<T>(values: readonly T[], verdictOf: (value: T) => Verdict): T | undefined {
  let best: T | undefined
  for (const value of values) if (best === undefined || isStricter(verdictOf(value), verdictOf(best))) best = value
  return best
}
