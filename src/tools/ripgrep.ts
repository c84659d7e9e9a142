import { createRequire } from 'node:module'
import type { RunId } from '../kernel/ids.ts'
import type { Processes, ProcessOutcome } from '../sandbox/process/types.ts'
import { ToolError } from './tool.ts'

/** Looks through files. It only reads, so it runs without walls; what it may see is asked before. */
export type Ripgrep = (args: string[], cwd: string, signal: AbortSignal) => Promise<Found>

export interface Found {
  /** As it was printed, separators and all. */
  text: string
  /** There was more, and it was stopped. */
  isCut: boolean
}

/** Tells whether policy lets the content of a file be read; asked of each file that a search found. */
export type MayRead = () => Promise<(path: string) => boolean>

const TIMEOUT_MS = 30_000
const MOST_BYTES = 2 << 20
/** Of what it says about itself. */
const KEEP = { head: 4_096, tail: 0 }

export function createRipgrep(processes: Pick<Processes, 'run'>, run: RunId): Ripgrep {
  let program: string | undefined
  return async (args, cwd, signal) => {
    program ??= await findProgram()
    const printed = collect()
    const outcome = await processes.run({
      argv: [program, ...args],
      cwd,
      profile: 'own',
      writable: {},
      env: { RIPGREP_CONFIG_PATH: '' },
      timeout_ms: TIMEOUT_MS,
      keep: KEEP,
      run_id: run,
      signal,
      // Taken as bytes: text would be without the separators.
      onBytes: printed.take,
    })
    return foundIn(outcome, printed.end())
  }
}

// Its binary comes inside a package of its own, one per platform; a bundle cannot hold it.
async function findProgram(): Promise<string> {
  // The built program is CommonJS, where a module has no address but a file name.
  const here = typeof __filename === 'string' ? __filename : import.meta.url
  const platform = `@vscode/ripgrep-${process.platform}-${process.arch}`
  try {
    return createRequire(here).resolve(`${platform}/bin/${process.platform === 'win32' ? 'rg.exe' : 'rg'}`)
  } catch {
    return Promise.resolve('rg')
  }
}

function collect(): { take: (chunk: Buffer) => void; end: () => Found } {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    take: chunk => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MOST_BYTES) throw new Error('That is enough.')
    },
    end: () => ({ text: Buffer.concat(chunks).toString('utf8'), isCut: bytes > MOST_BYTES }),
  }
}

function foundIn({ reason, exit, stderr, error }: ProcessOutcome, found: Found): Found {
  // 1 means that nothing was found; 2 with output means that some files could not be read.
  if (found.isCut || (reason === 'exited' && (exit === 0 || exit === 1 || (exit === 2 && found.text !== '')))) return found
  if (reason === 'timeout') throw new ToolError('It took too long. Narrow the path or the pattern down.')
  throw new ToolError((stderr.text || error?.message || 'The search failed.').trim().split('\n').slice(0, 5).join('\n'))
}
