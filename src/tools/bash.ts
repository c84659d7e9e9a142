import * as z from 'zod'
import type { RunId } from '../kernel/ids.ts'
import { type Captured, type Processes, type ProcessOutcome, type ProcessSpec, TOOL_KEEP } from '../sandbox/process/types.ts'
import { outputName } from './outputs.ts'
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
    description:
      'Run a shell command in the project, each in a new shell. No terminal, no network unless allowed; what it leaves running is ended.',
    effect: 'execute',
    foreign: true,
    input: () => z.strictObject({ command: z.string().min(1), timeout_s: z.int().positive().optional() }),
    ask: ({ command }) => ({ verb: 'process.exec', command }),
    prepare: ({ command, timeout_s }, { root, signal, onOutput }) => ({
      act: async () => {
        const ms = timeout_s === undefined ? port.timeoutMs : Math.min(timeout_s, MOST_S) * 1_000
        const outcome = await port.processes.run({
          ...specOf(port, { command, root, ms }),
          signal,
          onOutput: (_stream, text) => onOutput(text),
        })
        const ok = outcome.reason === 'exited' && (outcome.exit === 0 || isCutPipe(outcome, command))
        return { ok, exit: outcome.exit ?? undefined, text: shellText(outcome, { command, ms }) }
      },
    }),
  })

/** What a shell says of one that wrote to a reader who had gone. */
const SIGPIPE_EXIT = 141

/** Every pipe counts as failed where any part of it did; the part before `head` does whenever it had more to say. */
function isCutPipe({ exit }: ProcessOutcome, command: string): boolean {
  return exit === SIGPIPE_EXIT && command.includes('|')
}

interface Ran {
  command: string
  ms: number
}

const ENDINGS: Partial<Record<ProcessOutcome['reason'], (outcome: ProcessOutcome, ran: Ran) => string>> = {
  exited: (outcome, { command }) =>
    isCutPipe(outcome, command)
      ? 'Exit code 141: what a command of the pipe wrote was not read to its end, as is usual before head.'
      : outcome.exit === 0
        ? ''
        : `Exit code ${outcome.exit}.`,
  timeout: (_outcome, { ms }) =>
    `It did not end within ${ms / 1_000} s and was stopped. If it needs longer, pass timeout_s (at most ${MOST_S}); a program that waits for a person or serves for ever cannot be run here.`,
  signalled: ({ signal }) => `It was ended by ${signal}.`,
  'output-limit': () => 'It printed too much and was stopped. Print less, with head, tail or grep, or write it to a file.',
  aborted: () => 'It was stopped.',
  'not-started': ({ error }) => `It could not be started: ${error?.message ?? 'unknown reason'}`,
}

/** What a command printed and how it ended, for the model. */
function shellText(outcome: ProcessOutcome, ran: Ran): string {
  const { stdout, stderr, ended, left_running = 0 } = outcome
  const parts = [printed(stdout), printed(stderr), ENDINGS[outcome.reason]?.(outcome, ran) ?? '', leftText(ended.length + left_running)]
  return parts.filter(part => part !== '').join('\n') || 'It printed nothing. Exit code 0.'
}

/** Where the whole is said to be is no place that a model may look at; it is read by name. */
function printed({ text, file }: Captured): string {
  return (file === undefined ? text : text.replace(file, `${outputName(file)} (use read)`)).trimEnd()
}

function leftText(left: number): string {
  if (left === 0) return ''
  const what = left === 1 ? 'a process running, and it was ended' : `${left} processes running, and they were ended`
  return `It had left ${what}: nothing outlives its command. Start and use it in one command.`
}
