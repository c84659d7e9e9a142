import { dirname } from 'node:path'
import { QedError } from '../../kernel/errors.ts'
import type { RunId } from '../../kernel/ids.ts'
import { DiskFull } from '../../store/errors.ts'
import { OUTSIDE_RUNS } from '../isolation/detect.ts'
import { decodeNames, encodeNames } from '../names.ts'
import type { Processes, ProcessOutcome } from '../process/types.ts'

export class GitFailed extends QedError {
  readonly code = 'failed'
  readonly exit: number | null
  constructor(args: readonly string[], outcome: ProcessOutcome) {
    const said = saidBy(outcome)
    super(`git ${args[0]} failed: ${said}`, {
      details: { args: [...args].slice(0, 20), exit: outcome.exit, reason: outcome.reason, said },
      next: { command: 'qed doctor', why: 'It checks git and this repository.' },
    })
    this.exit = outcome.exit
  }
}

/** The repository's data cannot be written, as in a read-only mount or another person's checkout. */
class GitClosed extends QedError {
  readonly code = 'unavailable'
  constructor(folder: string, cause: GitFailed) {
    super(`${folder} cannot be written, and QED keeps there what it works on: ${cause.message}`, {
      cause,
      details: { folder },
      next: { command: `git clone ${dirname(folder)} <folder>`, why: 'Work in a copy that you may write.' },
    })
  }
}

// The first complaint is the reason; those after it are what followed from it.
function saidBy({ stderr, error, reason }: ProcessOutcome): string {
  const lines = stderr.text.trim().split('\n')
  return lines.find(line => /^(error|fatal): /.test(line)) || lines.at(-1) || error?.message || reason
}

interface GitCall {
  stdin?: string | Uint8Array
  /** The files that git looks at; without it, it looks at none. */
  workTree?: string
  /** An index of our own, never the one in the repository. */
  index?: string
  /** Exit codes that are answers, not failures. */
  answers?: number[]
  /** Takes the output as bytes. */
  onBytes?: (chunk: Buffer) => void
  env?: Record<string, string>
  run?: RunId
}

/** Runs git on one repository so that nothing a worker can write has a say: the project's git folder, an index of our own, no
 *  hooks, no helpers, no config but the repository's. Throws `GitFailed` on an exit that is no answer. */
export interface Git {
  readonly folder: string
  call: (args: readonly string[], options?: GitCall) => Promise<{ exit: number; text: string }>
  /** The output without its last line end. */
  line: (args: readonly string[], options?: GitCall) => Promise<string>
  /** The same on the data of another repository. */
  inFolder: (folder: string) => Git
}

const SAFE_CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.pager=cat',
  'core.editor=false',
  'protocol.ext.allow=never',
  'credential.helper=',
  'core.askPass=',
  // File names of a place are kept as they are, also those that other systems could not hold.
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.quotePath=false',
  'advice.detachedHead=false',
]

const SAFE_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_AUTHOR_NAME: 'QED',
  GIT_AUTHOR_EMAIL: 'qed@localhost',
  GIT_COMMITTER_NAME: 'QED',
  GIT_COMMITTER_EMAIL: 'qed@localhost',
} as const

const TIMEOUT_MS = 600_000
const KEEP = { head: 16 << 10, tail: 16 << 10 }

const FULL = /No space left on device|Disk quota exceeded|Out of diskspace/
const CLOSED = /Read-only file system|insufficient permission for adding an object|unable to create directory for/

function failureOf(args: readonly string[], outcome: ProcessOutcome, folder: string): Error {
  const failed = new GitFailed(args, outcome)
  const { text } = outcome.stderr
  // An index or a place may be on another disk than the repository.
  if (FULL.test(text)) return new DiskFull(/'(\/[^']+)'/.exec(text)?.[1] ?? folder, { cause: failed })
  return CLOSED.test(text) ? new GitClosed(folder, failed) : failed
}

export function createGit(processes: Pick<Processes, 'run'>, repository: { root: string; gitFolder: string }): Git {
  const { root, gitFolder } = repository
  // The person has made QED look after this repository; who owns its folder was their own business to look at.
  const config = [...SAFE_CONFIG, `safe.directory=${root}`, `safe.directory=${gitFolder}`].flatMap(setting => ['-c', setting])
  const call: Git['call'] = async (args, options = {}) => {
    const { stdin, workTree, index, answers = [0], env, run } = options
    // As bytes: what git prints is data (names, zero bytes, contents), not text for a reader.
    const chunks: Buffer[] = []
    const onBytes = options.onBytes ?? ((chunk: Buffer) => void chunks.push(chunk))
    const outcome = await processes.run({
      argv: ['git', ...config, `--git-dir=${gitFolder}`, ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]), ...args],
      cwd: workTree ?? gitFolder,
      profile: 'own',
      writable: {},
      env: { ...SAFE_ENVIRONMENT, ...(index !== undefined && { GIT_INDEX_FILE: index }), ...env },
      ...(stdin !== undefined && { stdin: typeof stdin === 'string' ? encodeNames(stdin) : stdin }),
      onBytes,
      timeout_ms: TIMEOUT_MS,
      keep: KEEP,
      run_id: run ?? OUTSIDE_RUNS,
    })
    if (outcome.reason !== 'exited' || outcome.exit === null || !answers.includes(outcome.exit)) throw failureOf(args, outcome, gitFolder)
    return { exit: outcome.exit, text: decodeNames(Buffer.concat(chunks)) }
  }
  return {
    folder: gitFolder,
    call,
    line: async (args, options) => (await call(args, options)).text.replace(/\n$/, ''),
    inFolder: folder => createGit(processes, { root, gitFolder: folder }),
  }
}
