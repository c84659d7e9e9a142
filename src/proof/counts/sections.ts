import type { TestCounts } from '../facts.ts'
import { countsOf, type Mark } from './reading.ts'

type Summary = Extract<Mark, { kind: 'summary' }>

/** What the runners of one output counted together. An output is cut into sections where a runner or a script begins. In a section
 *  the last summary is the real one, because a runner's summary is the last thing that it prints: whatever a test printed before
 *  that looks like one counts nothing. Parts of one run (packages, assemblies) add up, and so do sections.
 *
 *  What cannot be told from the output alone: a test that prints a summary and after it the start of a further runner adds to the
 *  counts. They never decide by themselves that something is good; the exit code does. */
export function sumSections(marks: readonly Mark[]): { counts: TestCounts | null; sections: number } | null {
  const counted = sectionsOf(marks).flatMap(section => {
    const last = section.at(-1)
    return last ? [partsOf(section, last)] : []
  })
  if (counted.length === 0) return null
  const parts = counted.flat()
  return { counts: parts.some(part => part === null) ? null : sumCounts(parts.filter(part => part !== null)), sections: counted.length }
}

export function sumCounts(all: readonly TestCounts[]): TestCounts {
  const sum = (pick: (counts: TestCounts) => number): number => all.reduce((total, counts) => total + pick(counts), 0)
  return countsOf(
    sum(counts => counts.passed),
    sum(counts => counts.failed),
    sum(counts => counts.skipped),
  )
}

function sectionsOf(marks: readonly Mark[]): Summary[][] {
  const sections: Summary[][] = [[]]
  for (const mark of marks) {
    if (mark.kind === 'start') sections.push([])
    else sections.at(-1)?.push(mark)
  }
  return sections
}

function partsOf(section: readonly Summary[], last: Summary): (TestCounts | null)[] {
  if (last.key === undefined) return [last.counts]
  const byKey = new Map<string, TestCounts | null>()
  for (const { format, key, counts } of section) if (format === last.format && key !== undefined) byKey.set(key, counts)
  return [...byKey.values()]
}
