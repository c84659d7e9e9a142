import * as z from 'zod'
import type { RunId } from '../kernel/ids.ts'
import { type Processes, type ProcessOutcome, type ProcessSpec, TOOL_KEEP } from '../sandbox/process/types.ts'
import { tool } from './tool.ts'

const MOST_S = 3_600

export interface ShellPort {
  processes: Pick<Processes, 'run'>
  /** Folder of what commands printed beyond what is shown of it. */
  outputs: string
  run: RunId
  /** What the command may write and reach: the scope of the run. */
  walls: Pick<ProcessSpec, 'writable' | 'network' | 'profile' | 'layers'>
  /** How long a command may take that does not say so itself. */
  timeoutMs: number
}

const specOf = ({ run, walls }: Omit<ShellPort, 'processes'>, { command, root, ms }: Command): ProcessSpec => ({
  ...walls,
  argv: { shell: command },
  cwd: root,
  env: {},
  timeout_ms: ms,
  keep: TOOL_KEEP,
  run_id: run,
  series: true,
})

interface Command {
  command: string
  root: string
  ms: number
}

/** Makes what the first command needs, before it is known. */
export function expectCommands(port: Omit<ShellPort, 'processes'> & { processes: Pick<Processes, 'expect'> }, root: string): void {
  void port.processes.expect(specOf(port, { command: '', root, ms: port.timeoutMs }))
}

export const bash = (port: ShellPort) =>
  tool({
    name: 'bash',
    description: 'Run a shell command in the project. No terminal, no network unless allowed; what it leaves running is ended.',
    effect: 'execute',
    foreign: true,
    input: () => z.strictObject({ command: z.string().min(1), timeout_s: z.int().positive().max(MOST_S).optional() }),
    ask: ({ command }) => ({ verb: 'process.exec', command }),
    prepare: ({ command, timeout_s }, { root, signal, onOutput }) => ({
      act: async () => {
        const ms = timeout_s === undefined ? port.timeoutMs : timeout_s * 1_000
        const outcome = await port.processes.run({
          ...specOf(port, { command, root, ms }),
          signal,
          onOutput: (_stream, text) => onOutput(text),
        })
        return { ok: outcome.reason === 'exited' && outcome.exit === 0, exit: outcome.exit ?? undefined, text: shellText(outcome, ms) }
      },
    }),
  })

const ENDINGS: Partial<Record<ProcessOutcome['reason'], (outcome: ProcessOutcome, ms: number) => string>> = {
  timeout: (_outcome, ms) => `It did not end within ${ms / 1_000} s and was stopped.`,
  signalled: ({ signal }) => `It was ended by ${signal}.`,
  'output-limit': () => 'It printed too much and was stopped.',
  aborted: () => 'It was stopped.',
  'not-started': ({ error }) => `It could not be started: ${error?.message ?? 'unknown reason'}`,
}

/** What a command printed and how it ended, for the model. */
function shellText(outcome: ProcessOutcome, ms: number): string {
  const { stdout, stderr, exit, reason, ended } = outcome
  const ending = ENDINGS[reason]?.(outcome, ms) ?? (exit === 0 ? '' : `Exit code ${exit}.`)
  const left = ended.length === 0 ? '' : `It had left ${ended.length} processes running; they were ended.`
  const parts = [stdout.text.trimEnd(), stderr.text.trimEnd(), ending, left].filter(part => part !== '')
  return parts.length === 0 ? 'It printed nothing. Exit code 0.' : parts.join('\n')
}
