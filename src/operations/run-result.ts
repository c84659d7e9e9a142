import { relative } from 'node:path'
import * as z from 'zod'
import type { Unanswered } from '../engine/work/leave.ts'
import type { Worked } from '../engine/work/types.ts'
import { visible, visibleLine } from '../kernel/visible.ts'
import { wrap } from '../kernel/wrap.ts'
import type { RuleInput } from '../policy/rules/schema.ts'
import type { Facet } from '../policy/types.ts'
import { EXIT_BY_OUTCOME, type Outcome } from '../runs/lifecycle.ts'
import { Run } from '../runs/run.ts'
import type { View } from './operation.ts'
import type { Paint } from './paint.ts'
import { nextLines } from './run-next.ts'
import { costText, modelName } from './run-tally.ts'
import { quoted } from './shell-word.ts'

/** What a run came to, as every surface gives it. */
export const Result = () =>
  z.strictObject({
    run: Run(),
    text: z.string(),
    turns: z.int(),
    tool_calls: z.int(),
    tokens: z.number(),
    /** Tokens of all replies by kind, as the model provider counted them. */
    usage: z.strictObject({
      prompt: z.number(),
      cached: z.number(),
      cache_write: z.number(),
      completion: z.number(),
      reasoning: z.number(),
    }),
    /** Null: not known. */
    cost_usd: z.number().nullable(),
    refused: z.int(),
    /** The first ask that nobody was there to answer, and the flags that would have allowed it. */
    unanswered: z.strictObject({ reason: z.string(), rule: z.string(), flags: z.string().nullable() }).nullable(),
    /** Patterns that it might write; null: it had no scope. */
    scope: z.array(z.string()).nullable(),
    /** Files that it changed: by its proof where there is one, else by its snapshots. */
    changed: z.array(z.string()),
    resumable: z.boolean(),
    plan_file: z.string().nullable(),
    model: z.string(),
    scripted: z.boolean(),
    rounds: z.int(),
    proof: z.record(z.string(), z.json()).nullable(),
    egress: z.strictObject({ files: z.int(), bytes: z.int() }).describe('What went to model providers; run.egress lists it'),
    /** Where the change is, if not in the checkout. */
    place: z.string().nullable(),
    /** Refs of what was there before and after it, where the change is in a place; null: nothing was saved. */
    saved: z.strictObject({ before: z.string(), after: z.string() }).nullable(),
  })
export type Result = z.infer<ReturnType<typeof Result>>

export async function toResult(
  { run, outcome, totals, model, egress, refused, unanswered, planFile, place }: Worked,
  {
    root,
    scope,
    changed,
    saved,
  }: { root: string; scope: string[] | null; changed: () => Promise<string[]>; saved: () => Promise<Result['saved']> },
): Promise<Result> {
  const { turns, tool_calls, tokens, usage, cost_micro_usd, is_open } = totals
  const proven = (outcome.proof?.['scope'] as { changed?: string[] } | undefined)?.changed
  return {
    run,
    text: outcome.loop.finalText,
    turns,
    tool_calls,
    tokens,
    usage,
    cost_usd: cost_micro_usd === null ? null : cost_micro_usd / 1e6,
    refused,
    unanswered: unanswered && (await toUnanswered(unanswered, { root, scoped: scope !== null })),
    scope,
    changed: proven ?? (await changed()),
    resumable: run.status === 'aborted' || is_open,
    plan_file: planFile === null ? null : relative(root, planFile),
    model: model.spec.name,
    scripted: model.model.scripted,
    rounds: outcome.rounds,
    proof: outcome.proof,
    egress,
    place,
    saved: place === null ? null : await saved(),
  }
}

export function exitOf(outcome: Outcome | null, reason: string | null): number {
  if (outcome === null) return 1
  return outcome === 'refused' && reason?.startsWith('ask-without-person') ? 5 : EXIT_BY_OUTCOME[outcome]
}

type Where = { root: string; scoped: boolean }

async function toUnanswered({ decision }: Unanswered, at: Where): Promise<NonNullable<Result['unanswered']>> {
  const { reason, rule } = decision
  return { reason, rule: `${rule.layer}/${rule.id}`, flags: await flagsFor(decision, at) }
}

/** The flags with which the same would have been done unasked; null where none can. Commands are allowed by a brief, which needs a
 *  scope. */
async function flagsFor({ facets }: Unanswered['decision'], { root, scoped }: Where): Promise<string | null> {
  const { exactRule } = await import('../policy/offers.ts')
  const flags = facets.filter(({ verdict }) => verdict === 'ask').map(facet => flagOf(facet, exactRule(facet, root)))
  if (flags.length === 0 || flags.includes(null)) return null
  const isScoped = scoped || flags.some(flag => flag?.startsWith('--scope'))
  return [...(isScoped ? [] : ["--scope '**'"]), ...new Set(flags)].join(' ')
}

function flagOf({ category }: Facet, rule: RuleInput | null): string | null {
  if (category === 'edit' && typeof rule?.path === 'string') return `--scope ${quoted(rule.path)}`
  const isCommand = category === 'shell' || category === 'git'
  return isCommand && typeof rule?.command === 'string' ? `--allow-command ${quoted(rule.command)}` : null
}

/** What each outcome means to someone who reads it for the first time. */
const MEANINGS: Readonly<Record<Outcome, string>> = {
  proven: 'the work is done: it was red before and is green now, in clean checkouts, and nothing was weakened',
  unproven: 'the model says that it is done; nobody has proven it',
  answered: 'the model has answered; nothing was changed',
  'not-proven': 'the work does not hold up; what was changed is still here',
  refused: 'it wanted something that is not allowed here, and stopped',
  budget: 'its budget is used up; what was done until then is here',
  blocked: 'it cannot go on without something else',
  timeout: 'it took too long',
  error: 'something went wrong before it was done',
  cancelled: 'it was stopped; nothing of it runs any more',
  superseded: 'another run took its place',
  interrupted: 'its process ended before it was done',
}

function meaningOf({ outcome, outcome_reason }: Run): string {
  if (outcome === null) return ''
  return exitOf(outcome, outcome_reason) === 5 ? 'it needs an answer that only a person can give, and nobody was there' : MEANINGS[outcome]
}

/** The whole answer: what the model said, and what became of it. */
export function resultForPerson(result: Result, paint: Paint): string {
  return [...(result.text === '' ? [] : [visible(result.text), '']), ...summaryLines(result, paint)].join('\n')
}

/** A run as a person watches it; at its end the answer is not said twice. */
export async function resultView(paint: Paint, on: { live: boolean }): Promise<View<Result>> {
  const { createRunView } = await import('./run-view.ts')
  const view = createRunView(paint, on)
  return {
    take: view.take,
    answer: result => (view.hasShown(result.text) ? ['', ...summaryLines(result, paint)].join('\n') : resultForPerson(result, paint)),
  }
}

function summaryLines(result: Result, paint: Paint): string[] {
  const { run, scope, changed, refused, scripted, model, plan_file, egress, place } = result
  const label = (name: string, text: string): string[] =>
    text === '' ? [] : [`  ${paint.dim(name.padEnd(8))} ${wrap(text, paint.width - 11, ' '.repeat(11))}`]
  const many = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`
  const cost = result.cost_usd === null ? null : result.cost_usd * 1e6
  const spent = [many(result.turns, 'turn'), many(result.tool_calls, 'tool call'), many(result.tokens, 'token'), costText(cost)]
  return [
    `${outcomeWord(run, paint)}  ${wrap(meaningOf(run), paint.width - 14, '  ')}`,
    ...label('why', isByHand(run) ? '' : visibleLine(run.outcome_reason ?? '')),
    ...label('changed', namesOf(changed)),
    ...label('scope', namesOf(scope ?? [])),
    ...label('plan', plan_file ?? ''),
    ...label('place', visibleLine(place ?? '')),
    ...label('walls', wallsLine(run)),
    ...label('refused', refused === 0 ? '' : `${many(refused, 'call')} that ${refused === 1 ? 'was' : 'were'} not allowed`),
    ...label('spent', spent.join(', ')),
    ...label('model', modelName(model, scripted)),
    ...label('sent', `${many(egress.files, 'file')}, ${many(egress.bytes, 'byte')} (qed run egress ${run.alias})`),
    ...nextLines(result).map(line => `${paint.glyph.arrow} ${line}`),
  ]
}

/** said in every summary where they were less than planned. */
function wallsLine({ isolation }: Run): string {
  const { level, degraded } = isolation ?? {}
  return typeof level === 'string' && typeof degraded === 'string' ? visibleLine(`${level} only: ${degraded}`) : ''
}

const MOST_NAMED = 20

function namesOf(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED
  return [...paths.slice(0, MOST_NAMED).map(visibleLine), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

/** Whoever pressed Ctrl-C needs no reason; whoever ended it from elsewhere gave one. */
function isByHand({ outcome, outcome_reason }: Run): boolean {
  return outcome === 'cancelled' && outcome_reason?.startsWith('aborted:') !== false
}

export function outcomeWord({ status, outcome }: Run, paint: Paint): string {
  const word = outcome ?? status
  if (status === 'completed')
    return outcome === 'unproven' ? paint.careful(`${paint.glyph.warn} ${word}`) : paint.good(`${paint.glyph.ok} ${word}`)
  return status === 'failed' || status === 'aborted'
    ? paint.bad(`${paint.glyph.fail} ${word}`)
    : paint.accent(`${paint.glyph.bullet} ${word}`)
}
