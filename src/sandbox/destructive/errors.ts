import { QedError } from '../../kernel/errors.ts'
import type { Step } from './types.ts'

/** A step is missing, failed or came out of order: nothing is executed. */
export class PreflightIncomplete extends QedError {
  readonly code = 'preflight-incomplete'
  readonly step: Step
  constructor(step: Step, reason: string, options: ErrorOptions = {}) {
    super(`The step ${step} was not done: ${reason}. Nothing was executed.`, { ...options, details: { step, reason } })
    this.step = step
  }
}

export class BackupUnproven extends QedError {
  readonly code = 'backup-unproven'
  constructor(source: string, differs: string[]) {
    super(`The backup of ${source} does not come back equal: ${differs.slice(0, 5).join(', ')}.`, {
      details: { source, differs: differs.slice(0, 100) },
    })
  }
}

/** A command that the brief names for a backup did not do its work. */
export class CommandFailed extends QedError {
  readonly code = 'failed'
  constructor(command: string, reason: string) {
    super(`The command “${command.slice(0, 200)}” failed: ${reason}`, { details: { command: command.slice(0, 1000), reason } })
  }
}

export class BackupUnknown extends QedError {
  readonly code = 'not_found'
  constructor(id: string) {
    super(`There is no backup ${id}.`, {
      details: { id },
      next: { operation: 'backup.list', command: 'qed backup list', why: 'It lists the backups that are kept.' },
    })
  }
}

/** A folder that holds something is never restored into. */
export class RestoreTargetTaken extends QedError {
  readonly code = 'conflict'
  constructor(into: string) {
    super(`${into} is there and not empty. A backup is brought back into an empty folder only.`, { details: { into } })
  }
}
