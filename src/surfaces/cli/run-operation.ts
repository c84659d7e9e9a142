import type { Caller } from '../../kernel/caller.ts'
import { asQedError, Cancelled, InvalidInput, type QedError, TimedOut, TooLarge, Usage } from '../../kernel/errors.ts'
import { exitCodeOf } from '../../kernel/exit-codes.ts'
import { type JsonObject, parseJson } from '../../kernel/json.ts'
import { kebabCase } from '../../kernel/names.ts'
import { allVisible, visible } from '../../kernel/visible.ts'
import { inputSchema } from '../../operations/describe.ts'
import { checkInput, invoke } from '../../operations/invoke.ts'
import type { AnyOperation, Call, Terminal } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import { publicError } from '../../operations/public-error.ts'
import { type InputFlag, inputFlags, mergeInput, type ParsedArguments, parseArguments } from './arguments.ts'
import { type Globals, isGlobalSwitch } from './globals.ts'
import { type Io, MOST_INPUT_BYTES, readAll, readReference, write } from './io.ts'
import { readLines } from './lines.ts'
import { type Progress, progressFor } from './progress.ts'
import type { Session } from './session.ts'
import { show } from './show.ts'
import { readLine, terminalOf } from './terminal.ts'

export function parseFor(operation: AnyOperation, args: string[]): ParsedArguments & { flags: InputFlag[] } {
  // Most reads are called with global switches alone; making a JSON Schema for those would be felt.
  const own = new Set(Object.keys(operation.input.shape).map(key => `--${kebabCase(key)}`))
  const flags = args.every(arg => isGlobalSwitch(arg) && !own.has(arg)) ? [] : inputFlags(inputSchema(operation))
  return { flags, ...parseArguments(args, flags, operation.positional ?? [], operation.streams ?? false) }
}

/** Calls one operation as the command line asked, prints the answer, and gives the exit code. */
export async function runOperation(operation: AnyOperation, parsed: ParsedArguments, session: Session): Promise<number> {
  if (session.globals.jsonl) return runLines(operation, parsed, session)
  const { io, globals } = session
  const progress = progressFor(operation, session)
  const call = callFor(session, progress)
  const input = await withTexts(operation, await wholeInput(parsed, globals, io), io)
  const output = await watched(operation, session, progress, () =>
    withTimeout(operation, session, call, limited => invoke(operation, session.app, input, limited)),
  )
  const exit = exitOf(operation, output, input)
  if (operation.exitCode) session.settle(exit)
  if (globals.stream) await write(io.stdout, `${JSON.stringify({ type: 'result', final: true, data: output })}\n`)
  else if (globals.json) await write(io.stdout, `${JSON.stringify(output)}\n`)
  else {
    const seen = allVisible(output)
    await print(io.stdout, (await progress.answer?.(seen)) ?? (await humanText(operation, seen, await session.paint())))
  }
  return exit
}

/** Says that the work is being stopped, where that can take a while, and takes the live line away in the end. */
async function watched<T>(operation: AnyOperation, { signal }: Session, progress: Progress, work: () => Promise<T>): Promise<T> {
  const stopping = (): void => progress.say('Stopping. Once more within 3 s leaves at once.')
  if (operation.long && operation.effect === 'execute') signal.addEventListener('abort', stopping, { once: true })
  try {
    return await work()
  } finally {
    signal.removeEventListener('abort', stopping)
    await progress.end()
  }
}

function exitOf(operation: AnyOperation, output: unknown, input: unknown): number {
  if (operation.exitCode) return operation.exitCode(output, checkInput(operation.name, operation.input, input, { unknownKeys: 'refuse' }))
  return operation.failed?.(output) ? 1 : 0
}

// An operation that has nothing to say prints nothing, not an empty line.
async function print(stdout: NodeJS.WritableStream, text: string): Promise<void> {
  if (text !== '') await write(stdout, `${text}\n`)
}

// What comes from files, models and hosts was made visible before, so that no renderer can forget.
function humanText(operation: AnyOperation, output: unknown, paint: Paint): string | Promise<string> {
  return operation.human ? operation.human(output, paint) : show(output, paint)
}

/** One answer per line, in order, whatever the lines hold. */
async function runLines(operation: AnyOperation, { input, references }: ParsedArguments, session: Session): Promise<number> {
  const single = [...Object.keys(input), ...references.keys(), ...(session.globals.input === undefined ? [] : ['input'])]
  if (single.length > 0)
    throw new Usage(`--jsonl takes every input from stdin: write ${single.join(', ')} into its lines.`, { details: { keys: single } })
  const call = callFor(session, { aside: ask => ask() })
  let highest = 0
  for await (const line of readLines(session.io.stdin as AsyncIterable<Uint8Array>, MOST_INPUT_BYTES)) {
    if (typeof line === 'string' && line.trim() === '') continue
    const { exit, answer } = await answerLine(operation, line, session, call)
    highest = Math.max(highest, exit)
    await write(session.io.stdout, `${answer}\n`)
    if (session.signal.aborted) throw new Cancelled(operation.name)
  }
  return session.globals.strict ? highest : 0
}

async function answerLine(
  operation: AnyOperation,
  line: string | TooLarge,
  session: Session,
  call: Call,
): Promise<{ exit: number; answer: string }> {
  try {
    if (line instanceof TooLarge) throw line
    const input = parseJson(line)
    if (input === undefined) throw new InvalidInput('The line', [{ path: '', message: 'this is not JSON' }])
    const output = await withTimeout(operation, session, call, limited => invoke(operation, session.app, input, limited))
    return { exit: exitOf(operation, output, input), answer: JSON.stringify(output) }
  } catch (error) {
    const failure = asQedError(error, operation.name)
    return { exit: exitCodeOf(failure.code), answer: errorJson(failure) }
  }
}

export function errorJson(error: QedError): string {
  return JSON.stringify({ error: publicError(error) })
}

async function withTimeout<T>(
  operation: AnyOperation,
  { globals, signal }: Session,
  call: Call,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  if (globals.timeoutMs === undefined) return work(call)
  const late = AbortSignal.timeout(globals.timeoutMs)
  const timedOut = new TimedOut(operation.name, globals.timeoutMs, operation.afterTimeout)
  // What goes on only where it was settled has some time to settle it.
  const expired = new Promise<never>((_, reject) =>
    late.addEventListener('abort', () => (operation.afterTimeout ? setTimeout(reject, SETTLE_MS, timedOut).unref() : reject(timedOut)), {
      once: true,
    }),
  )
  const output = await Promise.race([work({ ...call, signal: AbortSignal.any([signal, late]) }), expired])
  if (late.aborted && operation.afterTimeout) throw timedOut
  return output
}

/** As long as a call that is under way is waited for, and what is saved after it. */
const SETTLE_MS = 10_000

function callFor({ io, globals, signal, catalogue }: Session, { emit, aside }: Pick<Progress, 'emit' | 'aside'>): Call {
  const caller = callerOf(io, globals)
  const forPerson = caller.role === 'person' && !globals.json && !globals.jsonl && !globals.stream
  const ask: Call['ask'] = (prompt, also) => aside(() => readLine(io, prompt, also ? AbortSignal.any([signal, also]) : signal))
  return {
    caller,
    signal,
    catalogue,
    confirm: question => aside(() => confirm(question, io, globals, signal)),
    ...(emit && { emit }),
    ...(forPerson && { terminal: asideOf(terminalOf(io, signal), aside) }),
    ...(caller.role === 'person' && !globals.jsonl && { ask, columns: io.terminal.columns }),
  }
}

/** The same terminal, with the screen held while it asks. */
function asideOf({ write, ask, askHidden }: Terminal, aside: Progress['aside']): Terminal {
  return { write, ask: prompt => aside(() => ask(prompt)), askHidden: prompt => aside(() => askHidden(prompt)) }
}

// Enter means no, and so does an input that has ended.
async function confirm(question: string, io: Io, globals: Globals, signal: AbortSignal): Promise<boolean> {
  if (globals.yes) return true
  const answer = await readLine(io, `${visible(question)} [y/N] `, signal)
  return /^y(es)?$/i.test(answer.trim())
}

/** A person is a terminal on both ends with nothing in between that says otherwise. */
function callerOf(io: Io, globals: Globals): Caller {
  const unattended = globals.noInput || !['', 'false', '0'].includes(io.env['CI'] ?? '') || io.env['QED_RUN'] !== undefined
  const person = io.terminal.stdin && io.terminal.stdout && !unattended
  return { surface: 'cli', connection: `cli:${process.pid}`, role: person ? 'person' : 'program', approver: person ? 'person' : 'none' }
}

async function withTexts({ texts = [] }: AnyOperation, input: JsonObject, io: Io): Promise<JsonObject> {
  const key = texts.find(text => input[text] === '-')
  return key === undefined ? input : { ...input, [key]: await readAll(io.stdin) }
}

async function wholeInput({ input, references }: ParsedArguments, globals: Globals, io: Io): Promise<JsonObject> {
  const single = { ...input }
  for (const [key, reference] of references) single[key] = await readReference(reference, `--${key}`, io)
  return mergeInput(globals.input === undefined ? undefined : await readReference(globals.input, '--input', io), single)
}
