/** One case of a corpus; what `input` and `expected` hold depends on its format. */
export interface Row {
  id: string
  tier?: 'must' | 'should'
  input: { format: string } & Record<string, unknown>
  expected: Record<string, unknown>
}

/** right; decided: QED's contract says otherwise; safe: refused what might have been done; WRONG: did what must not be done; skipped: not a question for QED. */
export type Verdict = { verdict: 'right' | 'safe' | 'decided' | 'WRONG' | 'skipped'; why?: string }

export function printScore(name: string, rows: readonly Row[], judge: (row: Row) => Verdict): void {
  const judged = rows.map(row => ({ row, ...judge(row) }))
  const count = (verdict: Verdict['verdict']): number => judged.filter(one => one.verdict === verdict).length
  console.log(
    `${name}: ${rows.length} cases, ${count('right')} right, ${count('safe')} refused safely, ${count('decided')} decided otherwise, ${count('WRONG')} WRONG, ${count('skipped')} skipped`,
  )
  // Over-asking is told, and so is what is no question for QED, but only where someone wants to see it.
  const shown = process.argv.includes('--all') ? (['WRONG', 'decided', 'safe', 'skipped'] as const) : (['WRONG', 'decided'] as const)
  for (const verdict of shown)
    for (const { row, why } of judged.filter(one => one.verdict === verdict))
      console.log(`  ${verdict.padEnd(7)} ${row.id} [${row.input.format}${row.tier ? ` ${row.tier}` : ''}] ${why ?? ''}`)
}
