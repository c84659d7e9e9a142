// Scores QED on cases that others wrote: node scripts/corpora.ts [folder]. Nothing of them is kept in the project.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dialectScore } from './corpora/dialects.ts'
import { editScore } from './corpora/edits.ts'
import { printScore, type Row } from './corpora/score.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '..', '..', 'shared', 'corpora')
const parts = [
  { file: 'edit.jsonl', judge: editScore },
  { file: 'toolcalls.jsonl', judge: dialectScore },
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
    .map(line => JSON.parse(line) as Row)
  printScore(file, rows, judge)
}
