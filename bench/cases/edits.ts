import { applyEdit } from '../../src/text/edits/apply.ts'
import type { EditInput } from '../../src/text/edits/types.ts'
import { matchStrings } from '../../src/text/patterns/match-strings.ts'
import type { Case } from '../harness.ts'

const SIZES = { '10 KB': 10_000, '100 KB': 100_000, '1 MB': 1_000_000 } as const
type Size = keyof typeof SIZES

/** Source-like text: indented blocks, every line of its own. */
function source(bytes: number): string {
  const lines: string[] = []
  for (let length = 0, i = 0; length < bytes; i++) {
    const line =
      i % 8 === 0
        ? `export function step${i}(input) {`
        : i % 8 === 7
          ? '}'
          : `    const value${i} = compute(input, ${i * 7919}) // keeps ${i}`
    lines.push(line)
    length += line.length + 1
  }
  return `${lines.join('\n')}\n`
}

/** Lines in the middle of the file, where an edit takes place. */
function middle(text: string): string[] {
  const lines = text.split('\n')
  const at = Math.floor(lines.length / 16) * 8
  return lines.slice(at, at + 6)
}

function block(search: readonly string[], replace: readonly string[]): string {
  return `<<<<<<< SEARCH\n${search.join('\n')}\n=======\n${replace.join('\n')}\n>>>>>>> REPLACE\n`
}

const EDITS: Record<string, (text: string) => EditInput['edit']> = {
  'exact block': text => block(middle(text), [...middle(text).slice(0, -1), '    return value']),
  'exact pair': text => ({ search: middle(text)[2] ?? '', replace: '    return value' }),
  'shifted block': text =>
    block(
      middle(text)
        .slice(1)
        .map(line => line.slice(4)),
      ['return value'],
    ),
  'trailing block': text =>
    block(
      middle(text).map(line => `${line}  `),
      ['    return value'],
    ),
  'failing block': text =>
    block(
      middle(text).map(line => line.replace('compute', 'calculate')),
      ['    return value'],
    ),
}

const GOALS: Record<string, Partial<Record<Size, number>>> = {
  'exact block': { '100 KB': 10_000 },
  'exact pair': { '100 KB': 10_000 },
  'shifted block': { '100 KB': 1000 },
  'trailing block': { '100 KB': 1000 },
  'failing block': { '100 KB': 200 },
}

/** Calls per second, over about a third of a second. */
function rate(work: () => unknown): number {
  for (let i = 0; i < 5; i++) work()
  const start = performance.now()
  let count = 0
  while (performance.now() - start < 300) {
    work()
    count++
  }
  return (count * 1000) / (performance.now() - start)
}

function bestOf(times: number, measure: () => number): number {
  return Math.min(...Array.from({ length: times }, measure))
}

function milliseconds(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

function editCase(name: string, size: Size, lineEnd: '\n' | '\r\n' = '\n'): Case {
  const goal = GOALS[name]?.[size]
  return {
    name: `edit.apply, ${name}, ${size}${lineEnd === '\n' ? '' : ', CRLF'}`,
    unit: 'ops/s',
    floor: floorName(size),
    ...(goal !== undefined && { goal: { least: goal } }),
    run: () => {
      const text = source(SIZES[size])
      const original = text.replaceAll('\n', lineEnd)
      const edit = EDITS[name]?.(text) ?? ''
      return rate(() => applyEdit({ original, edit }))
    },
  }
}

/** As many edits as one call may have, all over the greatest file that it may change. */
const manyEdits: Case = {
  name: 'edit.apply, 500 exact pairs, 10 MB',
  unit: 'ms',
  goal: { most: 2000 },
  run: () => {
    const original = source(10_000_000)
    const lines = original.split('\n').filter(line => line.includes('compute'))
    const step = Math.floor(lines.length / 500)
    const edit = Array.from({ length: 500 }, (_, i) => ({ search: lines[i * step] ?? '', replace: '    return value' }))
    return bestOf(3, () => milliseconds(() => applyEdit({ original, edit })))
  },
}

const floorName = (size: Size): string => `find and splice, ${size}`

/** What any edit has to do at the least: find one text in the file and make the new one. */
function floorCase(size: Size): Case {
  return {
    name: floorName(size),
    unit: 'ops/s',
    run: () => {
      const original = source(SIZES[size])
      const search = middle(original).join('\n')
      return rate(() => {
        const at = original.indexOf(search)
        // Read one character, or the engine would only note that two texts are to be joined.
        return `${original.slice(0, at)}return value${original.slice(at + search.length)}`.charCodeAt(at)
      })
    },
  }
}

const PATHS = Array.from(
  { length: 10_000 },
  (_, i) => `packages/part${i % 37}/src/room${i % 11}/file${i}.${i % 3 === 0 ? 'test.ts' : 'ts'}`,
)

function patternCase(pattern: string, goal?: number): Case {
  return {
    name: `pattern.match, ${pattern} over 10,000 paths`,
    unit: 'ms',
    ...(goal !== undefined && { goal: { most: goal } }),
    run: () => bestOf(5, () => milliseconds(() => matchStrings({ pattern, strings: PATHS }))),
  }
}

export const editCases: Case[] = [
  ...(Object.keys(SIZES) as Size[]).map(floorCase),
  ...Object.keys(EDITS).flatMap(name => (Object.keys(SIZES) as Size[]).map(size => editCase(name, size))),
  manyEdits,
  editCase('exact block', '100 KB', '\r\n'),
  editCase('exact pair', '100 KB', '\r\n'),
  patternCase('**/room3/*.test.*', 20),
  patternCase('packages/*/src/**/file*7.ts', 20),
  patternCase('/room[35]\\/file\\d+\\.ts$/'),
  {
    name: 'pattern.match, runaway expression',
    unit: 'ms',
    goal: { most: 400 },
    run: () => milliseconds(() => matchStrings({ pattern: '/(a+)+$/', strings: [`${'a'.repeat(40)}b`] })),
  },
  {
    name: 'edit.apply, runaway expression',
    unit: 'ms',
    goal: { most: 400 },
    run: () => milliseconds(() => applyEdit({ original: `${'a'.repeat(40)}b`, edit: 's/(a+)+$/x/' })),
  },
]
