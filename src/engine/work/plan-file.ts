import { join } from 'node:path'
import type { Run } from '../../runs/run.ts'
import { writeFileAtomically } from '../../store/files.ts'

/** L-27: the text of a plan, written by QED itself, however the run ended; how it ended stands in the head. Gives the file. */
export function writePlan(folder: string, run: Run, text: string): string {
  const file = join(folder, 'plans', `${run.id}.md`)
  writeFileAtomically(file, planText(run, text))
  return file
}

function planText({ id, status, outcome, outcome_reason, intent, model, completed_at }: Run, text: string): string {
  const head = { run: id, status, outcome, reason: outcome_reason, model, ended_at: completed_at, intent }
  const lines = Object.entries(head).flatMap(([key, value]) => (value === null ? [] : [`${key}: ${JSON.stringify(value)}`]))
  return ['---', ...lines, '---', '', text.trim() === '' ? '(The run ended before there was any text.)' : text.trim(), ''].join('\n')
}
