import { QedError } from '../../kernel/errors.ts'
import { REDACTED } from '../../policy/secrets/redact.ts'
import { shellArgv } from '../../sandbox/process/shell-argv.ts'
import { type Captured, LIMITS, type Processes } from '../../sandbox/process/types.ts'
import type { KeptOutput, RunFact, RunName, TestCounts } from '../facts.ts'
import type { ProofPlace } from '../places/proof-places.ts'
import type { Mounted } from '../prepare/mount-layer.ts'
import type { VerifyCommand } from '../terms.ts'

/** F-10: how much of each stream a proof keeps. */
const KEEP = { head: 256 << 10, tail: 768 << 10 }

export interface VerifyRun extends Mounted {
  name: RunName
  n: number
  tree: string
  place: ProofPlace
  command: Pick<VerifyCommand, 'text' | 'timeout_s' | 'network'>
}

export interface VerifyOptions {
  processes: Pick<Processes, 'run'>
  countTests: (stdout: KeptOutput, stderr: KeptOutput) => TestCounts | null
  onOutput?: (stream: 'stdout' | 'stderr', text: string) => void
  signal?: AbortSignal | undefined
}

/** S-36: nobody has agreed to do without walls. That is no measurement, so nothing is judged by it. */
class NotIsolated extends QedError {
  readonly code = 'isolation_unavailable'
  constructor(message: string) {
    super(message, {
      next: { operation: 'sandbox.status', command: 'qed sandbox status', why: 'It says what is missing and how to get it.' },
    })
  }
}

/** F-9: the command in a clean place, in the sandbox, exactly as a worker would have run it. Throws
 *  `isolation_unavailable` where the walls are missing and were not done without. */
export async function runVerify({ name, n, tree, place, command, env, layers }: VerifyRun, options: VerifyOptions): Promise<RunFact> {
  const secret = { stdout: false, stderr: false }
  const outcome = await options.processes.run({
    argv: shellArgv(command.text),
    cwd: place.path,
    profile: 'proof',
    writable: { place: place.path, scratch: place.scratch },
    env,
    ...(layers.length > 0 && { layers }),
    network: command.network ? 'host' : 'off',
    timeout_ms: Math.min(command.timeout_s * 1000, LIMITS.mostTimeoutMs),
    keep: KEEP,
    run_id: place.run,
    ...(options.signal && { signal: options.signal }),
    onOutput: (stream, text) => {
      // Looked for in all of it: the middle of a long output is not kept.
      secret[stream] ||= text.includes(REDACTED)
      options.onOutput?.(stream, text)
    },
  })
  if (outcome.error?.code === 'isolation_unavailable') throw new NotIsolated(outcome.error.message)
  const stdout = keptOutput(outcome.stdout, secret.stdout)
  const stderr = keptOutput(outcome.error ? withReason(outcome.stderr, outcome.error.message) : outcome.stderr, secret.stderr)
  return {
    name,
    n,
    tree,
    exit: outcome.exit,
    signal: outcome.signal,
    reason: outcome.reason,
    duration_ms: outcome.duration_ms,
    stdout,
    stderr,
    tests: outcome.reason === 'exited' ? options.countTests(stdout, stderr) : null,
    ended: outcome.ended.map(({ command }) => command),
    escaped: outcome.escaped.map(({ command }) => command),
    isolation: outcome.isolation,
  }
}

/** What runs a command text here, as it is recorded: `bash --noprofile --norc -o pipefail -c`, or `sh -c`. */
export function shellName(): string {
  const [program = '', ...flags] = shellArgv('').slice(0, -1)
  return [program.slice(program.lastIndexOf('/') + 1), ...flags].join(' ')
}

function keptOutput({ text, bytes, sha256, cut }: Captured, secret: boolean): KeptOutput {
  return { text, bytes, sha256, cut, secret }
}

// What never ran has printed nothing; a reader still needs to know why.
function withReason(stderr: Captured, message: string): Captured {
  return { ...stderr, text: `${stderr.text}${stderr.text === '' || stderr.text.endsWith('\n') ? '' : '\n'}${message}\n` }
}
