// Scores QED on cases that others wrote: node scripts/corpora.ts [folder] [--all]. Nothing of them is kept in the project.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dialectScore } from './corpora/dialects.ts'
import { editScore } from './corpora/edits.ts'
import { pathScore } from './corpora/paths.ts'
import { printScore, type Row } from './corpora/score.ts'
import { shellScore } from './corpora/shell.ts'

const folder = process.argv.slice(2).find(word => !word.startsWith('--')) ?? join(import.meta.dirname, '..', '..', 'shared', 'corpora')
const parts = [
  { file: 'edit.jsonl', judge: editScore },
  { file: 'toolcalls.jsonl', judge: dialectScore },
  { file: 'shell.jsonl', judge: shellScore },
  { file: 'paths.jsonl', judge: pathScore },
]

for (const { file, judge } of parts) {
  const path = join(folder, file)
  if (!existsSync(path)) {
    console.log(`${file}: not there, skipped`)
    continue
  }
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => withFormat(JSON.parse(line) as Row))
  printScore(file, rows, judge)
}

/** Where a corpus asks several questions, the question is the format. */
function withFormat(row: Row): Row {
  const { format, question } = row.input as { format?: string; question?: string }
  return { ...row, input: { ...row.input, format: format ?? question ?? '' } }
}
