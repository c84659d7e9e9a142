// how other programs name the states of a run. Understood wherever a state is asked for, and never stored.
import { type Outcome, RUN_STATUSES, type RunStatus } from './lifecycle.ts'

/** Words that say a state and how the run ended. */
const WITH_OUTCOME = {
  blocked: { status: 'failed', outcome: 'blocked' },
  cancelled: { status: 'aborted', outcome: 'cancelled' },
} as const satisfies Record<string, { status: RunStatus; outcome: Outcome }>

export const STATE_WORDS = [...RUN_STATUSES, ...(Object.keys(WITH_OUTCOME) as (keyof typeof WITH_OUTCOME)[])] as const
type StateWord = (typeof STATE_WORDS)[number]

const OTHER_NAMES: Readonly<Record<string, StateWord>> = {
  100: 'queued',
  102: 'running',
  202: 'proposed',
  200: 'completed',
  500: 'failed',
  499: 'aborted',
  created: 'queued',
  planned: 'queued',
  'needs-human': 'proposed',
}

/** The word for a state that was named in another way; anything else is given back as it is. */
export function stateWord(said: unknown): unknown {
  const name = typeof said === 'number' ? String(said) : said
  return typeof name === 'string' && Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : said
}

export function meantState(word: StateWord): { status: RunStatus; outcome?: Outcome } {
  return word in WITH_OUTCOME ? WITH_OUTCOME[word as keyof typeof WITH_OUTCOME] : { status: word as RunStatus }
}
