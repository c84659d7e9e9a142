import { QedError } from '../kernel/errors.ts'

export class RunUnknown extends QedError {
  readonly code = 'not_found'
  constructor(run: string) {
    super(`There is no run ${run}.`, {
      details: { run },
      next: { operation: 'run.list', command: 'qed run list', why: 'It lists the runs of this project.' },
    })
  }
}

export class FenceLost extends QedError {
  readonly code = 'fence_lost'
  constructor(at: { run: string; held: number; newest: number }) {
    super(`The run ${at.run} was taken over (fence ${at.newest}, this one is ${at.held}). Stop; write nothing more.`, { details: at })
  }
}

export class RunOwned extends QedError {
  readonly code = 'conflict'
  constructor(run: string, owner: { pid: number; machine: string }) {
    super(`The run ${run} is being driven by process ${owner.pid} on ${owner.machine}.`, {
      details: { run, ...owner },
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

export class NotResumable extends QedError {
  readonly code = 'not_resumable'
  constructor(run: string, why: string) {
    super(`The run ${run} cannot be gone on with: ${why}.`, {
      details: { run },
      next: { command: `qed run show ${run}`, why: 'It shows what happened; start a new run for more work.' },
    })
  }
}
