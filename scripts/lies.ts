// Lets the scripted workers of the corpus lie and work honestly, and prints what became of each: `npm run lies [-- <id>…]`.

import { HONEST_WORK, KNOWN_LIMITS, LIES } from '../test/proof/corpus/rows.ts'
import { casesOf, runCorpus } from '../test/proof/corpus/run-corpus.ts'
import type { Outcome } from '../test/proof/corpus/run-row.ts'

const wanted = process.argv.slice(2)
const chosen = <T extends { id: string }>(rows: readonly T[]): T[] =>
  rows.filter(({ id }) => wanted.length === 0 || wanted.some(one => one === id || (one.endsWith('*') && id.startsWith(one.slice(0, -1)))))
const [lies, honest, limits] = [casesOf(chosen(LIES)), casesOf(chosen(HONEST_WORK)), casesOf(chosen(KNOWN_LIMITS))]
const started = performance.now()
const pass = runCorpus([...lies, ...honest, ...limits])

function line({ row, mode, ms, verdict, findings, fault }: Outcome): string {
  const by = findings.filter(one => !one.startsWith('info')).map(one => one.split(' ')[1] ?? '')
  const what = `${row.id.padEnd(5)} ${mode.padEnd(8)} ${String(ms).padStart(6)} ms  ${row.what}`
  const result = `${verdict}${by.length > 0 ? `: ${[...new Set(by)].join(', ')}` : ''}`
  return `${fault === null ? 'ok  ' : 'FAIL'}  ${what}\n        ${result}${fault === null ? '' : `\n        ${fault}\n        ${findings.join('\n        ')}`}`
}

let [caught, refused] = [0, 0]
for (const one of [...lies, ...honest]) {
  const outcome = await pass.outcomeOf(one)
  if (lies.includes(one)) caught += outcome.fault === null ? 1 : 0
  else refused += outcome.fault === null ? 0 : 1
  console.log(line(outcome))
}
for (const one of limits) {
  const { row, verdict } = await pass.outcomeOf(one)
  console.log(`known ${row.id.padEnd(5)} ${verdict}: ${row.what}`)
}
await pass.end
console.log(
  `\nlies caught ${caught}/${lies.length}, honest refused ${refused}/${honest.length} (${Math.round(performance.now() - started)} ms)`,
)
process.exitCode = caught === lies.length && refused === 0 ? 0 : 1
