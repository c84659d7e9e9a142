import * as z from 'zod'
import { createApp } from '../../app.ts'
import { NotFound, Usage } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { visibleLine } from '../../kernel/visible.ts'
import { checkInput } from '../../operations/invoke.ts'
import type { Paint } from '../../operations/paint.ts'
import { getSetting } from '../../project/config/config.ts'
import { inputFlags } from './arguments.ts'
import { completionScript, SHELLS } from './completion.ts'
import { type CommandHelp, commandHelp } from './help.ts'
import { write } from './io.ts'
import { SERVICE_COMMANDS, type ServiceCommand } from './services.ts'
import type { Session } from './session.ts'

const port = z.int().min(0).max(65535).optional().describe('Port to listen on; default http.port, where 0 is any free one')
const tools = z.string().min(1).optional().describe('core, full, or tool names with commas; default mcp.tools')

interface Service {
  input: z.ZodObject
  positional: string[]
  note: string
  examples: string[]
  exitCodes: number[]
  run(input: Record<string, unknown>, session: Session): Promise<number>
}

const SERVICES: Record<string, Service> = {
  serve: {
    input: z.strictObject({
      port,
      tools,
      listen: z.string().min(1).optional().describe('Another address than this machine; needs both TLS files'),
      tls_cert: z.string().min(1).optional().describe('Certificate file'),
      tls_key: z.string().min(1).optional().describe('Key file'),
    }),
    positional: [],
    note: 'Runs until interrupted. The token for programs is in .qed/server.json. A second one finds the first and exits.',
    examples: ['serve', 'serve --port 8123 --json'],
    exitCodes: [0, 2, 3, 9, 130],
    run: runServer,
  },
  'mcp start': {
    input: z.strictObject({
      tools,
      http: z.boolean().default(false).describe('Streamable HTTP at /mcp instead of stdin and stdout'),
      port,
    }),
    positional: [],
    note: 'Ends when the client closes stdin. stdout carries the protocol only.',
    examples: ['mcp start', 'mcp start --tools full', 'mcp start --http --port 8124'],
    exitCodes: [0, 2, 3, 9, 130],
    run: async (input, session) => {
      if (input['http']) return runServer(input, session)
      const { serveMcpOnStdio } = await import('../mcp/start.ts')
      await serveMcpOnStdio(session.app, session.catalogue, toolSet(input, session), session.signal)
      return 0
    },
  },
  completion: {
    input: z.strictObject({ shell: z.enum(SHELLS).describe('Which shell') }),
    positional: ['shell'],
    note: 'Only prints; the examples show where each shell looks.',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/qed',
      'completion zsh > ~/.zfunc/_qed',
      'completion fish > ~/.config/fish/completions/qed.fish',
    ],
    exitCodes: [0, 2],
    run: async ({ shell }, { io, catalogue }) => {
      const services = SERVICE_COMMANDS.map(command => ({ ...command, flags: inputFlags(serviceSchema(command).schema) }))
      await write(io.stdout, await completionScript(shell as (typeof SHELLS)[number], catalogue, services))
      return 0
    },
  },
}

export function serviceSchema(command: ServiceCommand): { schema: JsonObject; positional: string[] } {
  const { input, positional } = serviceOf(command)
  return { schema: z.toJSONSchema(input, { io: 'input' }) as JsonObject, positional }
}

export function serviceHelp(command: ServiceCommand, paint: Paint): string {
  const { note, examples, exitCodes } = serviceOf(command)
  const { schema, positional } = serviceSchema(command)
  const help: CommandHelp = {
    command: `qed ${command.words.join(' ')}`,
    summary: command.about,
    note,
    input: schema,
    positional,
    examples,
    exitCodes,
  }
  return commandHelp(help, paint)
}

export function runServiceCommand(command: ServiceCommand, input: JsonObject, session: Session): Promise<number> {
  const service = serviceOf(command)
  return service.run(checkInput(`Flags of qed ${command.words.join(' ')}`, service.input, input, { unknownKeys: 'refuse' }), session)
}

function serviceOf(command: ServiceCommand): Service {
  const service = SERVICES[command.words.join(' ')]
  if (!service) throw new NotFound(`There is no service ${command.words.join(' ')}.`)
  return service
}

async function runServer(input: Record<string, unknown>, session: Session): Promise<number> {
  const { io, app, catalogue, globals, signal } = session
  const { serve } = await import('../http/serve.ts')
  const text = (key: string): string | undefined => input[key] as string | undefined
  const address = text('listen')
  if (address === undefined && (text('tls_cert') ?? text('tls_key')) !== undefined)
    throw new Usage('--tls-cert and --tls-key go with --listen.')
  const serving = await serve(app, catalogue, {
    port: (input['port'] ?? getSetting(app.configPlaces(), 'http.port').value) as number,
    toolSet: toolSet(input, session),
    listen: address === undefined ? undefined : { address, cert: text('tls_cert'), key: text('tls_key') },
    openApp: root => (root === app.project().root ? app : createApp({ cwd: root, env: app.env, clock: app.clock, self: app.self })),
  })
  const at =
    serving.kind === 'started'
      ? { pid: process.pid, port: serving.server.port, url: serving.server.url }
      : { pid: serving.file.pid, port: serving.file.port, url: serving.file.url }
  const answer = { ...at, started: serving.kind === 'started' }
  await write(io.stdout, globals.json ? `${JSON.stringify(answer)}\n` : servingText(answer, await session.paint()))
  if (serving.kind === 'running') return 0
  await new Promise<void>(resolve => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })))
  await serving.stop()
  return 0
}

function servingText({ url, started }: { url: string; started: boolean }, paint: Paint): string {
  const state = paint.good(`${paint.glyph.ok} ${started ? 'serving' : 'already serving'}`)
  return `${state}  ${visibleLine(url)}\n${paint.dim('Token for programs: .qed/server.json. Stop with Ctrl-C.')}\n`
}

function toolSet(input: Record<string, unknown>, { app }: Session): string {
  return (input['tools'] ?? getSetting(app.configPlaces(), 'mcp.tools').value) as string
}
