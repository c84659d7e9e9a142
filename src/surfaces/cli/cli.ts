import { asQedError, type QedError, Usage } from '../../kernel/errors.ts'
import { exitCodeOf } from '../../kernel/exit-codes.ts'
import { version } from '../../kernel/version.ts'
import { allVisible, visible } from '../../kernel/visible.ts'
import { createCatalogue } from '../../operations/catalogue.ts'
import type { Catalogue } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import { publicError } from '../../operations/public-error.ts'
import { redactText } from '../../policy/secrets/redact.ts'
import { inputFlags, parseArguments } from './arguments.ts'
import { findCommand } from './find-command.ts'
import { GLOBAL_FLAGS, type Globals } from './globals.ts'
import { type Io, write } from './io.ts'
import { type ColourChoice, createPaint } from './paint.ts'
import { appFor, errorJson, parseFor, runOperation } from './run-operation.ts'
import { SERVICE_COMMANDS, type ServiceCommand } from './services.ts'
import { showError } from './show.ts'

// The command line: words → command → arguments → operation → answer. Everything but the answer goes to stderr.

export interface Cli {
  argv: string[]
  io: Io
  /** The command that starts this program again. */
  self: string[]
  signal: AbortSignal
}

/** Runs one command line and gives its exit code. Never rejects. */
export async function runCli(cli: Cli): Promise<number> {
  const asked = outputAsked(cli.argv)
  try {
    return await dispatch(cli, createCatalogue())
  } catch (thrown) {
    const error = asQedError(thrown)
    await report(error, cli.io, asked)
    return exitCodeOf(error.code)
  }
}

async function dispatch(cli: Cli, catalogue: Catalogue): Promise<number> {
  const { leading, words } = splitLeadingFlags(cli.argv)
  if (words.length === 0) return bare(cli, leading, catalogue)
  const service = SERVICE_COMMANDS.find(command => (command.words as readonly string[]).every((word, i) => words[i] === word))
  if (service) return runService(service, [...leading, ...words.slice(service.words.length)], cli, catalogue)
  if (words[0] === 'help') return dispatch({ ...cli, argv: [...words.slice(1), '--help'] }, catalogue)
  const found = await findCommand(
    words,
    catalogue,
    SERVICE_COMMANDS.map(command => command.words[0]),
  )
  if (found.kind === 'noun') {
    const help = await import('./help.ts')
    await write(cli.io.stdout, `${help.nounHelp(found.noun, found.operations, paintFor(cli.io))}\n`)
    return [...leading, ...words].some(isHelpFlag) ? 0 : 2
  }
  const parsed = parseFor(found.operation, [...leading, ...found.rest])
  const { globals } = parsed
  if (globals.version) return printVersion(cli.io)
  const paint = paintFor(cli.io, globals)
  if (globals.help) {
    const help = await import('./help.ts')
    await write(cli.io.stdout, `${help.operationHelp(found.operation, paint)}\n`)
    return 0
  }
  const app = appFor(globals, cli.io, cli.self)
  try {
    return await runOperation(found.operation, parsed, { io: cli.io, paint, catalogue, app, globals, signal: cli.signal })
  } finally {
    app.close()
  }
}

async function bare({ io }: Cli, leading: string[], catalogue: Catalogue): Promise<number> {
  if (leading.some(arg => arg === '-V' || arg === '--version')) return printVersion(io)
  const { overview } = await import('./help.ts')
  await write(io.stdout, `${overview(catalogue.groups, paintFor(io))}\n`)
  return leading.length === 0 || leading.some(isHelpFlag) ? 0 : 2
}

async function runService(service: ServiceCommand, args: string[], cli: Cli, catalogue: Catalogue): Promise<number> {
  const { runServiceCommand, serviceHelp, serviceSchema } = await import('./run-service.ts')
  const { schema, positional } = serviceSchema(service)
  const { input, globals } = parseArguments(args, inputFlags(schema), positional, false)
  const paint = paintFor(cli.io, globals)
  if (globals.help) {
    await write(cli.io.stdout, `${serviceHelp(service, paint)}\n`)
    return 0
  }
  const app = appFor(globals, cli.io, cli.self)
  try {
    return await runServiceCommand(service, input, { io: cli.io, paint, catalogue, app, globals, signal: cli.signal })
  } finally {
    app.close()
  }
}

async function printVersion(io: Io): Promise<number> {
  await write(io.stdout, `qed ${version}\n`)
  return 0
}

/** Flags may stand before the command. Those that take a value take the next word with them. */
function splitLeadingFlags(argv: string[]): { leading: string[]; words: string[] } {
  let at = 0
  while (argv[at]?.startsWith('-') && argv[at] !== '--') {
    const arg = argv[at] ?? ''
    const flag = GLOBAL_FLAGS.find(({ name, short }) => arg === `--${name}` || arg === `-${short}` || arg.startsWith(`--${name}=`))
    if (!flag && !/^-[a-zA-Z]{2,}$/.test(arg))
      throw new Usage(`There is no flag ${arg} before a command.`, { next: { command: 'qed --help', why: 'It lists commands and flags.' } })
    at += flag?.value && !arg.includes('=') ? 2 : 1
  }
  return { leading: argv.slice(0, at), words: argv.slice(at) }
}

function isHelpFlag(arg: string): boolean {
  return arg === '-h' || arg === '--help'
}

function paintFor(io: Io, globals?: Globals): Paint {
  const choice = (globals?.color ?? 'auto') as ColourChoice
  if (!['auto', 'always', 'never'].includes(choice)) throw new Usage(`--color takes auto, always or never, not ${choice}.`)
  return createPaint({
    isTerminal: io.terminal.stdout,
    columns: io.terminal.columns,
    env: io.env,
    choice,
    ascii: Boolean(io.env['QED_ASCII']),
  })
}

// Known before anything is parsed, so that a wrong command line is also answered in the form that was asked for.
function outputAsked(argv: string[]): { json: boolean; verbose: boolean } {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  return {
    json: own.some(arg => ['--json', '--jsonl', '--stream'].includes(arg)),
    verbose: own.includes('-v') || own.includes('--verbose'),
  }
}

async function report(error: QedError, io: Io, asked: { json: boolean; verbose: boolean }): Promise<void> {
  if (asked.json) await write(io.stdout, `${errorJson(error)}\n`)
  else {
    const paint = createPaint({
      isTerminal: io.terminal.stderr,
      columns: undefined,
      env: io.env,
      choice: 'auto',
      ascii: Boolean(io.env['QED_ASCII']),
    })
    await write(io.stderr, `${showError(allVisible(publicError(error)), paint)}\n`)
  }
  if (asked.verbose && error.cause instanceof Error)
    await write(io.stderr, `${visible(redactText(error.cause.stack ?? error.cause.message))}\n`)
}
