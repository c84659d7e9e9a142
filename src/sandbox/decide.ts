import { QedError } from '../kernel/errors.ts'

/** What is asked before a command runs. */
export interface CommandQuestion {
  argv?: string[]
  command?: string
  cwd: string
  /** Names of secrets it would get. */
  secrets: string[]
  network: 'off' | 'host'
}

/** The answer of policy. Handed in, because judging is another room's work. */
export type MayRun = (question: CommandQuestion) => Promise<{ verdict: 'allow' | 'ask' | 'deny'; code: string; reason: string }>

class CommandDenied extends QedError {
  readonly code = 'denied'
  constructor(reason: string, rule: string) {
    super(`The command is not allowed: ${reason} Nothing was run.`, { details: { reason, rule } })
  }
}

class ApprovalRequired extends QedError {
  readonly code = 'approval_required'
  constructor(reason: string, command: string) {
    super(`A person must decide: ${reason} Nothing was run.`, {
      details: { reason },
      next: { command, why: 'Run it in a terminal: there the person who types it decides.' },
    })
  }
}

/** Passes or throws. An ask is answered by the person who typed the command, and by nobody else. */
export async function decideCommand(mayRun: MayRun, question: CommandQuestion, at: { person: boolean; command: string }): Promise<void> {
  const { verdict, code, reason } = await mayRun(question)
  if (verdict === 'deny') throw new CommandDenied(reason, code)
  if (verdict === 'ask' && !at.person) throw new ApprovalRequired(reason, at.command)
}
