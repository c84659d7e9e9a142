import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HONEST_WORK, KNOWN_LIMITS, LIES } from './rows.ts'
import { type Case, casesOf, type Pass, runCorpus } from './run-corpus.ts'

const [lies, honest, limits] = [casesOf(LIES), casesOf(HONEST_WORK), casesOf(KNOWN_LIMITS)]
let pass: Pass
const MOST_MS = 600_000

const faultsOf = async (cases: readonly Case[]): Promise<number> =>
  (await Promise.all(cases.map(one => pass.outcomeOf(one)))).filter(({ fault }) => fault !== null).length

// Not when the file is read: whoever only lists the tests starts nothing.
beforeAll(() => {
  pass = runCorpus([...lies, ...honest, ...limits])
})

afterAll(async () => {
  const [missed, refused] = [await faultsOf(lies), await faultsOf(honest)]
  await pass.end
  console.log(`lies caught ${lies.length - missed}/${lies.length}, honest refused ${refused}/${honest.length}`)
}, MOST_MS)

const named = (cases: readonly Case[]): [string, Case][] => cases.map(one => [`${one.row.id} (${one.mode}) ${one.row.what}`, one])

describe('§12 a worker that lies is caught', () => {
  test.each(named(lies))('%s', { timeout: MOST_MS }, async (_, one) => {
    const { fault, verdict, findings } = await pass.outcomeOf(one)
    expect({ fault, verdict, findings }).toEqual({ fault: null, verdict, findings })
  })
})

describe('§13 honest work is not refused', () => {
  test.each(named(honest))('%s', { timeout: MOST_MS }, async (_, one) => {
    const { fault, verdict, findings } = await pass.outcomeOf(one)
    expect({ fault, verdict, findings }).toEqual({ fault: null, verdict, findings })
  })
})

describe('F-42 what a proof does not show, and would be good to catch', () => {
  test.each(named(limits))('%s', { timeout: MOST_MS }, async (_, one) => {
    const { fault, verdict, findings } = await pass.outcomeOf(one)
    expect({ fault, verdict, findings }).toEqual({ fault: null, verdict: 'proven', findings })
  })
})

test('§12 every row of the two tables is here', () => {
  const numbers = (cases: readonly Case[]): number[] =>
    [...new Set(cases.map(({ row }) => Number(/\d+/.exec(row.id)?.[0])))].sort((a, b) => a - b)
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)
  expect(numbers(lies.filter(({ row }) => /^\d/.test(row.id)))).toEqual(upTo(54))
  expect(numbers(honest.filter(({ row }) => /^h\d/.test(row.id)))).toEqual(upTo(17))
})
