// What to do after a run: the commands that fit how it ended, as they are typed.
import { limitOf } from '../engine/work/limit-words.ts'
import { visibleLine } from '../kernel/visible.ts'
import type { Run } from '../runs/run.ts'
import { shellWord } from './shell-word.ts'

type Saved = { before: string; after: string } | null

/** How a run ended, as far as it says what to do next. */
export interface Ended {
  run: Pick<Run, 'id' | 'alias' | 'status' | 'outcome' | 'outcome_reason'>
  unanswered: { flags: string | null } | null
  changed: string[]
  resumable: boolean
  proof: Record<string, unknown> | null
  place: string | null
  saved: Saved
}

export function nextLines(result: Ended): string[] {
  const { run, unanswered, changed, proof, place, saved } = result
  const { alias, outcome } = run
  const checks = (proof?.['result'] as { commit?: string } | undefined)?.commit
  return [
    ...(unanswered ? [askLine(unanswered)] : []),
    ...goOnLines(result),
    ...(changed.length > 0 && run.status !== 'completed' ? [`to take its changes back: qed run undo ${alias}`] : []),
    ...(place === null ? [] : placeLines(run.id, place, saved)),
    ...(outcome === 'proven' && checks !== undefined ? [`to check the proof: qed proof check ${checks.slice(0, 12)}`] : []),
    ...(outcome === 'unproven' && changed.length > 0 ? [proveLine(run, place)] : []),
    `to see all that happened: qed run get ${alias}`,
  ]
}

/** What has to be put right before a run that a model provider broke off can go on. */
const FIRST: Readonly<Record<string, string>> = {
  auth_missing: 'to let it go on, once the key is right (qed models test tells)',
  endpoint_missing: 'to let it go on with another model of qed models list',
  rate_limited: 'to let it go on, once the model provider takes requests again',
}

/** A run that came to its end still knows its work. */
function goOnLines({ run, resumable, unanswered }: Ended): string[] {
  const { alias, outcome, outcome_reason } = run
  const reason = outcome_reason ?? ''
  const code = reason.slice(0, reason.indexOf(':'))
  if (resumable) {
    const model = code === 'endpoint_missing' ? ' --model <name>' : ''
    return [`${FIRST[code] ?? 'to let it go on'}: qed run resume ${alias}${model}`]
  }
  if (outcome === 'proven') return []
  if (outcome === 'budget') return [moreLine(alias, limitOf(reason))]
  if (unanswered?.flags) return [`to go on with it: qed run resume ${alias} "go on" ${visibleLine(unanswered.flags)}`]
  return [`to go on from here: qed run resume ${alias} "<what more is to be done>"`]
}

function moreLine(alias: string, limit: string): string {
  return limit.startsWith('--')
    ? `to give it more: qed run resume ${alias} ${limit} <n>`
    : `to give it more: qed config set ${limit} <n> --scope personal, then qed run resume ${alias}`
}

/** What to do with a change that is not in the checkout. By its snapshots, which know new files and last longer than the place. */
function placeLines(id: string, place: string, saved: Saved): string[] {
  const refs = saved && `${saved.before} ${saved.after}`
  return [
    ...(refs === null
      ? [`to look at the place: git -C ${shellWord(visibleLine(place))} status`]
      : [`to look at the change: git diff ${refs}`, `to take it over: git diff --binary ${refs} | git apply`]),
    `to clean up: qed place clean ${id}`,
  ]
}

function proveLine({ alias }: Ended['run'], place: string | null): string {
  return place === null
    ? 'to have it proven: qed prove -- <your test command>'
    : `to have it proven: qed run resume ${alias} "say done again" --verify '<your test command>'`
}

function askLine({ flags }: NonNullable<Ended['unanswered']>): string {
  return flags === null
    ? 'to answer it yourself: run the same at a terminal, or with --wait-for-approval'
    : `to allow what was asked for: ${visibleLine(flags)}; to answer it from another terminal: --wait-for-approval`
}
