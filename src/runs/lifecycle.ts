import { QedError } from '../kernel/errors.ts'

export const RUN_STATUSES = ['queued', 'running', 'proposed', 'completed', 'failed', 'aborted'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Which state may follow which. What is not here does not happen. */
const MOVES: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'aborted'],
  running: ['proposed', 'completed', 'failed', 'aborted'],
  proposed: ['running', 'completed', 'aborted'],
  // By resuming, or by a new prompt: a new loop opens.
  completed: ['running'],
  failed: ['running'],
  aborted: ['running'],
}

/** How a run can have ended, by its last state; the first is the one that is meant when nobody says. */
export const OUTCOMES = {
  completed: ['unproven', 'proven', 'answered'],
  failed: ['error', 'blocked', 'refused', 'budget', 'timeout', 'not-proven'],
  aborted: ['cancelled', 'superseded', 'interrupted'],
} as const
export type TerminalStatus = keyof typeof OUTCOMES
export type Outcome = (typeof OUTCOMES)[TerminalStatus][number]

export function isTerminal(status: RunStatus): status is TerminalStatus {
  return status in OUTCOMES
}

class IllegalTransition extends QedError {
  readonly code = 'illegal_transition'
  constructor(run: string, from: RunStatus, to: RunStatus) {
    super(`The run ${run} is ${from} and cannot become ${to}.`, {
      details: { run, from, to, possible: [...MOVES[from]] },
      next: { operation: 'run.get', command: `qed run get ${run}`, why: 'It shows where the run stands.' },
    })
  }
}

class RunTerminal extends QedError {
  readonly code = 'run_terminal'
  constructor(run: string, status: RunStatus) {
    super(`The run ${run} has ended (${status}). It was left as it is.`, { details: { run, status } })
  }
}

class OutcomeMismatch extends QedError {
  readonly code = 'outcome_mismatch'
  constructor(status: TerminalStatus, outcome: string) {
    super(`A run that is ${status} cannot have the outcome ${outcome}. It can be: ${OUTCOMES[status].join(', ')}.`, {
      details: { status, outcome },
    })
  }
}

class ReasonMissing extends QedError {
  readonly code = 'invalid_input'
  constructor() {
    super('A run that failed needs a reason. Say why it did.')
  }
}

export function checkMove(run: string, from: RunStatus, to: RunStatus): void {
  if (!MOVES[from].includes(to))
    throw isTerminal(from) && isTerminal(to) ? new RunTerminal(run, from) : new IllegalTransition(run, from, to)
}

export function checkOutcome(status: TerminalStatus, outcome: Outcome | undefined): Outcome {
  const possible: readonly Outcome[] = OUTCOMES[status]
  if (outcome === undefined) return OUTCOMES[status][0]
  if (!possible.includes(outcome)) throw new OutcomeMismatch(status, outcome)
  return outcome
}

export function checkReason(status: TerminalStatus, reason: string | null): void {
  if (status === 'failed' && (reason ?? '') === '') throw new ReasonMissing()
}

/** Exit codes of a run, by its outcome. */
export const EXIT_BY_OUTCOME: Readonly<Record<Outcome, number>> = {
  proven: 0,
  answered: 0,
  unproven: 0,
  error: 1,
  refused: 4,
  'not-proven': 6,
  budget: 7,
  blocked: 8,
  timeout: 10,
  cancelled: 130,
  superseded: 130,
  interrupted: 130,
}
