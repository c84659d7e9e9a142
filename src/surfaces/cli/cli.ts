import { asQedError, type QedError, Usage } from '../../kernel/errors.ts'
import { exitCodeOf } from '../../kernel/exit-codes.ts'
import { version } from '../../kernel/version.ts'
import { allVisible, visible } from '../../kernel/visible.ts'
import { createCatalogue } from '../../operations/catalogue.ts'
import type { Catalogue } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import { publicError } from '../../operations/public-error.ts'
import { redactText } from '../../policy/secrets/redact.ts'
import { appFor } from './app-for.ts'
import { inputFlags, parseArguments, scanGlobals, splitLeadingFlags } from './arguments.ts'
import { type Found, findCommand, verbOf } from './find-command.ts'
import { type Globals, isForProgram } from './globals.ts'
import { type Io, write } from './io.ts'
import { createPaint } from './paint.ts'
import { errorJson, parseFor, runOperation } from './run-operation.ts'
import { SERVICE_COMMANDS, type ServiceCommand } from './services.ts'
import type { Session } from './session.ts'
import { showError } from './show.ts'

// The command line: words → command → arguments → operation → answer. Everything but the answer goes to stderr.

export interface Cli {
  argv: string[]
  io: Io
  /** The command that starts this program again. */
  self: string[]
  /** Aborted when the process is to stop. */
  signal: AbortSignal
  /** Whether stdout was closed: then there is nothing more to say. */
  isReaderGone(): boolean
  /** Told the exit code of work that has come to its end and is recorded, before it is shown. */
  settle: (exitCode: number) => void
}

/** One command line at work. What it asked for is guessed until it is parsed, so that a wrong one is also answered in the form
 *  and the colours that it asked for. */
interface Work extends Cli {
  catalogue: Catalogue
  globals: Globals
}

/** Runs one command line and gives its exit code. Never rejects. */
export async function runCli(cli: Cli): Promise<number> {
  const work: Work = { ...cli, catalogue: createCatalogue(), globals: scanGlobals(cli.argv) }
  try {
    return await dispatch(work, cli.argv)
  } catch (thrown) {
    const error = asQedError(thrown)
    if (!cli.isReaderGone()) await report(error, work)
    return exitCodeOf(error.code)
  }
}

async function dispatch(work: Work, argv: string[]): Promise<number> {
  const { leading, words } = splitLeadingFlags(argv)
  if (words.length === 0) return bare(work, leading)
  const service = SERVICE_COMMANDS.find(command => (command.words as readonly string[]).every((word, i) => words[i] === word))
  if (service) return runService(service, [...leading, ...words.slice(service.words.length)], work)
  if (words[0] === 'help') return helpFor(work, [...leading, ...words.slice(1), '--help'])
  const found = await findCommand(
    words,
    work.catalogue,
    SERVICE_COMMANDS.map(command => command.words.join(' ')),
  )
  if (found.kind === 'noun') {
    const { noun, operations } = found
    refuseForProgram(work, `qed ${noun} needs a verb: ${operations.map(verbOf).join(', ')}.`)
    const help = await import('./help.ts')
    await print(work, help.nounHelp(noun, operations, await paintAt('stdout', work)))
    return work.globals.help ? 0 : 2
  }
  try {
    return await operate(work, found, { leading, words })
  } catch (thrown) {
    if (isForProgram(work.globals)) throw thrown
    const { wrongUse } = await import('./wrong-use.ts')
    throw wrongUse(asQedError(thrown), found.operation, words[0])
  }
}

async function operate(
  work: Work,
  found: Extract<Found, { kind: 'operation' }>,
  { leading, words }: { leading: string[]; words: string[] },
): Promise<number> {
  const parsed = parseFor(found.operation, [...leading, ...found.rest])
  work.globals = parsed.globals
  if (work.globals.version) return print(work, `qed ${version}`)
  if (work.globals.help) {
    const help = await import('./help.ts')
    return print(work, help.operationHelp(found.operation, await paintAt('stdout', work), words[0]))
  }
  return withSession(work, session => runOperation(found.operation, parsed, session))
}

function helpFor(work: Work, argv: string[]): Promise<number> {
  work.globals = scanGlobals(argv)
  return dispatch(work, argv)
}

async function bare(work: Work, leading: string[]): Promise<number> {
  work.globals = parseArguments(leading, [], [], false).globals
  if (work.globals.version) return print(work, `qed ${version}`)
  refuseForProgram(work, 'There is no command.')
  const { overview } = await import('./help.ts')
  await print(work, overview(work.catalogue.groups, await paintAt('stdout', work)))
  return leading.length === 0 || work.globals.help ? 0 : 2
}

async function runService(service: ServiceCommand, args: string[], work: Work): Promise<number> {
  const { runServiceCommand, serviceHelp, serviceSchema } = await import('./run-service.ts')
  const { schema, positional } = serviceSchema(service)
  const { input, globals } = parseArguments(args, inputFlags(schema), positional, false)
  work.globals = globals
  if (globals.help) return print(work, serviceHelp(service, await paintAt('stdout', work)))
  return withSession(work, session => runServiceCommand(service, input, session))
}

async function withSession(work: Work, run: (session: Session) => Promise<number>): Promise<number> {
  const { io, catalogue, globals, signal, settle } = work
  const app = appFor(globals, io, work.self)
  const paints: Partial<Record<'stdout' | 'stderr', Promise<Paint>>> = {}
  try {
    return await run({ io, catalogue, app, globals, signal, settle, paint: (end = 'stdout') => (paints[end] ??= paintAt(end, work)) })
  } finally {
    await app.close()
  }
}

// Help that nobody asked for is a mistake told to a person; a program gets its mistake as an error.
function refuseForProgram({ globals }: Work, message: string): void {
  if (isForProgram(globals) && !globals.help)
    throw new Usage(message, { next: { command: 'qed --help', why: 'It lists commands and flags.' } })
}

async function print({ io }: Work, text: string): Promise<number> {
  await write(io.stdout, `${text}\n`)
  return 0
}

// Lazy: settings are read only where something is shown to a person.
async function paintAt(end: 'stdout' | 'stderr', { globals, io }: Work): Promise<Paint> {
  const { screenAt } = await import('./screen.ts')
  return createPaint(screenAt(end, io, globals, () => appFor(globals, io, []).configPlaces()))
}

async function report(error: QedError, work: Work): Promise<void> {
  const { io, globals } = work
  if (globals.stream) await write(io.stdout, `${JSON.stringify({ type: 'error', final: true, error: publicError(error) })}\n`)
  else if (isForProgram(globals)) await write(io.stdout, `${errorJson(error)}\n`)
  else await write(io.stderr, `${showError(allVisible(publicError(error)), await paintAt('stderr', work))}\n`)
  if (globals.verbose && error.cause instanceof Error)
    await write(io.stderr, `${visible(redactText(error.cause.stack ?? error.cause.message))}\n`)
}
