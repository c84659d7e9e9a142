import type { RunId } from '../../kernel/ids.ts'
import type { Processes, ProcessOutcome } from '../process/types.ts'
import { CommandFailed } from './errors.ts'

interface BackupCommand {
  shell: string
  cwd: string
  /** A folder that it may write, beside /tmp. */
  folder?: string
  network: 'off' | 'host'
}

export type RunBackupCommand = (command: BackupCommand, env?: Record<string, string>) => Promise<string>

const TIMEOUT_MS = 3_600_000
const KEEP = { head: 64 << 10, tail: 0 }

/** Runs the commands that a brief names for backups: behind walls, writing nothing but the backup. What it prints is text for
 *  people; data goes through files, where nothing is redacted. Throws `failed` where one fails. */
export function createBackupCommands(processes: Pick<Processes, 'run'>, run_id: RunId): RunBackupCommand {
  return async ({ shell, cwd, folder, network }, env = {}) => {
    const outcome = await processes.run({
      argv: { shell },
      cwd,
      // Nothing can change in a dry run; only one that must ask a server gets a network.
      profile: folder === undefined && network === 'off' ? 'dry-run' : 'worker',
      writable: folder === undefined ? {} : { scratch: folder },
      env,
      network,
      timeout_ms: TIMEOUT_MS,
      keep: KEEP,
      run_id,
    })
    if (outcome.reason !== 'exited' || outcome.exit !== 0) throw new CommandFailed(shell, why(outcome))
    return outcome.stdout.text
  }
}

function why({ reason, exit, stderr, error }: ProcessOutcome): string {
  const said = stderr.text.trim().split('\n').at(-1) || error?.message || ''
  return [reason === 'exited' ? `it ended with ${exit}` : reason, said].filter(Boolean).join(': ')
}
