import { withoutControlSequences } from '../../sandbox/process/control-sequences.ts'
import type { KeptOutput, TestCounts } from '../facts.ts'
import { goJson, goText } from './formats/go.ts'
import { jest, mocha, nodeTest, vitest } from './formats/javascript.ts'
import { junit } from './formats/junit.ts'
import { bats, cargo, dotnetBlock, dotnetBuild, dotnetLines, phpunit, rspec, scriptHeads } from './formats/other.ts'
import { pytest, unittest } from './formats/python.ts'
import { tap } from './formats/tap.ts'
import { type Format, type Mark, outputOf } from './reading.ts'
import { sumCounts, sumSections } from './sections.ts'

const FORMATS: readonly Format[] = [
  scriptHeads,
  junit,
  tap,
  nodeTest,
  vitest,
  jest,
  mocha,
  pytest,
  unittest,
  goText,
  goJson,
  cargo,
  dotnetLines,
  dotnetBlock,
  dotnetBuild,
  rspec,
  phpunit,
  bats,
]

type Stream = Pick<KeptOutput, 'text' | 'cut'>

/** How many tests a command ran, as far as its output says so in a known form; null where it does not. Skipped tests did not run.
 *  Where the middle of an output was left out, only a single final summary is believed. */
export function countTests(stdout: Stream, stderr: Stream): TestCounts | null {
  const streams = [stdout, stderr].map(marksOf).filter(marks => marks.some(mark => mark.kind === 'summary'))
  const cut = stdout.cut || stderr.cut
  const sums = streams.map(sumSections).filter(sum => sum !== null)
  const known = sums.map(sum => sum.counts).filter(counts => counts !== null)
  if (known.length === 0 || known.length < sums.length) return null
  if (cut && (sums.length > 1 || sums.some(sum => sum.sections > 1) || streams.some(needsAll))) return null
  return sumCounts(known)
}

function marksOf({ text }: Stream): Mark[] {
  const plain = withoutControlSequences(text).replace(/\r/g, '')
  const output = outputOf(plain)
  // Formats stand from the general to the special: of two on one line the later one is the runner's own.
  return FORMATS.flatMap(format => format.marks(output)).sort((a, b) => a.line - b.line)
}

const NEED_ALL = new Set(FORMATS.filter(format => format.needsAll).map(format => format.name))

function needsAll(marks: readonly Mark[]): boolean {
  const last = marks.findLast(mark => mark.kind === 'summary')
  return last !== undefined && last.kind === 'summary' && (last.key !== undefined || NEED_ALL.has(last.format))
}
