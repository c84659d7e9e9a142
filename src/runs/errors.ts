import { type NextStep, QedError } from '../kernel/errors.ts'
import type { Approval } from './approval.ts'
import type { Attempt } from './attempt.ts'

export class RunUnknown extends QedError {
  readonly code = 'not_found'
  constructor(run: string, next: NextStep = { operation: 'run.list', command: 'qed run list', why: 'It lists the runs of this project.' }) {
    super(`There is no run ${run}.`, { details: { run }, next })
  }
}

export class FenceLost extends QedError {
  readonly code = 'fence_lost'
  constructor(at: { run: string; held: number; newest: number }) {
    super(`The run ${at.run} was taken over (fence ${at.newest}, this one is ${at.held}). Stop; write nothing more.`, { details: at })
  }
}

/** The store could not be written for so long that another process may take the run over. */
export class LeaseUnrenewed extends QedError {
  readonly code = 'unavailable'
  constructor(run: string, options: ErrorOptions) {
    super(`The right to drive the run ${run} could not be renewed. Nothing more was begun.`, {
      ...options,
      details: { run },
      next: { command: `qed run resume ${run}`, why: 'It goes on once the store can be written again.' },
    })
  }
}

export class RunOwned extends QedError {
  readonly code = 'conflict'
  constructor(run: string, { pid, machine }: { pid: number; machine: string }) {
    super(`The run ${run} is being driven by process ${pid} on ${machine}.`, {
      details: { run, pid, machine },
      next: { command: `qed run abort ${run}`, why: 'Stop it there first, or wait for it.' },
    })
  }
}

export class AttemptOpen extends QedError {
  readonly code = 'attempt_open'
  constructor(run: string, attempt: string) {
    super(`The run ${run} cannot end: its attempt ${attempt} is reserved and not settled.`, { details: { run, attempt } })
  }
}

export class AttemptUnknown extends QedError {
  readonly code = 'not_found'
  constructor(attempt: string) {
    super(`There is no attempt ${attempt}.`, {
      details: { attempt },
      next: { operation: 'attempt.list', command: 'qed attempt list', why: 'It lists what runs set out to do.' },
    })
  }
}

export class AttemptSettled extends QedError {
  readonly code = 'conflict'
  constructor({ id, status, outcome, settled_at }: Attempt) {
    super(`The attempt ${id} was settled at ${settled_at} (${status}). It stays so.`, {
      details: { attempt: id, status, outcome, settled_at },
    })
  }
}

export class NothingToResume extends QedError {
  readonly code = 'not_found'
  constructor() {
    super('No run of this project was broken off or ran out of budget. With something more to do the newest one goes on.', {
      next: { command: 'qed run resume "<what more is to be done>"', why: 'qed run list shows the runs and how they ended.' },
    })
  }
}

export class NotResumable extends QedError {
  readonly code = 'not_resumable'
  constructor(run: string, why: string) {
    super(`The run ${run} cannot be gone on with: ${why}.`, {
      details: { run },
      next: { command: `qed run get ${run}`, why: 'It shows what happened; start a new run for more work.' },
    })
  }
}

export class BudgetUsedUp extends QedError {
  readonly code = 'not_resumable'
  constructor({ id, alias }: { id: string; alias: string }, flags: readonly string[]) {
    super(`The run ${alias} has used up what ${flags.join(' and ')} gave it. It goes on only with more.`, {
      details: { run: id, flags: [...flags] },
      next: {
        operation: 'run.resume',
        command: `qed run resume ${alias} ${flags.map(flag => `${flag} <n>`).join(' ')}`,
        why: 'What was used counts too: name more than that.',
      },
    })
  }
}

export class RunAtItsEnd extends QedError {
  readonly code = 'not_resumable'
  constructor({ id, alias }: { id: string; alias: string }) {
    super(`The work of the run ${id} came to its end. It goes on only with something more to do.`, {
      details: { run: id },
      next: {
        operation: 'run.resume',
        command: `qed run resume ${alias} "<what more is to be done>"`,
        why: 'The model still knows all of it.',
      },
    })
  }
}

export class ApprovalUnknown extends QedError {
  readonly code = 'not_found'
  constructor(approval: string) {
    super(`There is no approval ${approval}.`, {
      details: { approval },
      next: { operation: 'approval.list', command: 'qed approval list', why: 'It lists what was asked in this project.' },
    })
  }
}

export class AlreadyResolved extends QedError {
  readonly code = 'already_resolved'
  constructor({ id, status, actor, resolved_at, reason }: Approval) {
    super(`The approval ${id} was ${status} by ${actor} at ${resolved_at}${reason === null ? '' : ` (${reason})`}. It stays so.`, {
      details: { approval: id, status, actor, resolved_at, reason },
    })
  }
}

export class DigestMismatch extends QedError {
  readonly code = 'digest_mismatch'
  constructor({ id, operation_digest: wanted }: Approval, given: string) {
    super(`The approval ${id} is about another operation than the one that was looked at. Nothing was approved.`, {
      details: { approval: id, wanted, given },
      next: { operation: 'approval.get', command: `qed approval get ${id}`, why: 'It shows what is asked for, with its digest.' },
    })
  }
}

export class AnswerNotOffered extends QedError {
  readonly code = 'invalid_input'
  constructor({ id, offers }: Approval, wanted: string) {
    const offered = [...new Set(offers.map(({ answer }) => answer))]
    super(`The approval ${id} cannot be remembered so (${wanted}). It can be answered: ${offered.join(', ')}.`, {
      details: { approval: id, wanted, offered },
    })
  }
}

/** I-10: the run stands as it was recorded last; what was reserved stays reserved until it is gone on with. */
export class RunInterrupted extends QedError {
  readonly code = 'disk_full'
  constructor(run: string, cause: QedError) {
    super(`The run ${run} stopped: ${cause.message} It can go on once there is space.`, {
      cause,
      details: { run, ...cause.details },
      next: {
        operation: 'run.resume',
        command: `qed run resume ${run}`,
        why: 'Free some space (qed store stats shows what takes it), then go on.',
      },
    })
  }
}
