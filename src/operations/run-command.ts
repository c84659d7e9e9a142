import type { App } from '../app.ts'
import { InvalidInput } from '../kernel/errors.ts'
import { decide } from '../policy/decide.ts'
import type { Decision, PolicyOperation } from '../policy/types.ts'
import { strictest } from '../policy/verdict.ts'
import { decideCommand, type MayRun } from '../sandbox/decide.ts'
import { OUTSIDE_RUNS } from '../sandbox/isolation/detect.ts'
import { type AskConsent, type Profile, type SecretUse, TOOL_KEEP } from '../sandbox/process/types.ts'
import { commandMs } from './command-time.ts'
import type { Call, Terminal } from './operation.ts'
import { Scene, sceneFor } from './policy-question.ts'
import { type ProcessOutcome, toOutput } from './process-outcome.ts'

export interface CommandInput {
  argv: string[]
  shell?: string | undefined
  profile: Exclude<Profile, 'own'>
  writable: string[]
  timeout_s?: number | undefined
  secrets: string[]
}

/** Decides, runs and records one command in the project's checkout. */
export async function runCommand(app: App, input: CommandInput, call: Call, command: string): Promise<ProcessOutcome> {
  const { argv, shell, profile, writable, timeout_s } = input
  if ((argv.length === 0) === (shell === undefined)) {
    throw new InvalidInput('The command', [{ path: '/argv', message: 'give either the words of a command or --shell' }])
  }
  const project = app.project()
  const secrets = input.secrets.map(parseSecret)
  const names = secrets.map(({ name }) => name)
  const question = { cwd: project.root, secrets: names, network: 'off' as const }
  const wanted = shell === undefined ? { ...question, argv } : { ...question, command: shell }
  await decideCommand(await policyOf(app, call), wanted, { person: call.caller.approver === 'person', command })
  const { processes, redaction } = await app.sandbox()
  const outcome = await processes.run({
    argv: shell === undefined ? argv : { shell },
    cwd: project.root,
    profile,
    writable: { place: project.root, owned: writable },
    env: {},
    timeout_ms: timeout_s === undefined ? commandMs(app) : timeout_s * 1000,
    keep: TOOL_KEEP,
    secrets,
    run_id: OUTSIDE_RUNS,
    ...(call.terminal && { consent: askConsent(call.terminal) }),
    signal: call.signal,
  })
  const { log } = await app.projectStore()
  log.append('sandbox', 'process.ran', {
    command: redaction.text(shell ?? argv.join(' ')).slice(0, 1000),
    reason: outcome.reason,
    exit: outcome.exit,
    level: outcome.isolation.level,
    secrets: names,
  })
  return toOutput(outcome)
}

/** Shows what would not hold and takes one of three answers; anything else is a no. */
function askConsent(terminal: Terminal): AskConsent {
  return async what => {
    const lines = [
      'This command would not be isolated:',
      ...what.map(line => `  - ${line}`),
      'Run it none the less? [o]nce, for this [p]roject on this machine, [N]o: ',
    ]
    const answer = (await terminal.ask(lines.join('\n'))).trim().toLowerCase()
    if (['o', 'once'].includes(answer)) return 'once'
    return ['p', 'project'].includes(answer) ? 'project' : 'no'
  }
}

/** The project's policy, as it judges a command of this caller and the secrets that it would get. A secret that a person names
 *  is theirs to give; anyone else needs a rule that names it. */
async function policyOf(app: App, { caller }: Call): Promise<MayRun> {
  const { layers, readShell, facts, context } = await sceneFor(app, Scene.parse({}), caller.surface)
  return ({ argv, command, cwd, secrets }) => {
    const judge = (asked: Pick<PolicyOperation, 'verb' | 'argv' | 'command' | 'secret'>): Decision =>
      decide({ ...asked, cwd, facts, context }, layers, readShell)
    const given = caller.role === 'person' ? [] : secrets.map(secret => judge({ verb: 'secret.use', secret }))
    const own = judge({ verb: 'process.exec', ...(argv ? { argv } : { command: command ?? '' }) })
    return Promise.resolve(strictest([own, ...given], ({ verdict }) => verdict) ?? own)
  }
}

/** `NAME` as a variable of that name, `NAME:VARIABLE`, or `NAME:/run/secrets/FILE` as a file in memory. */
function parseSecret(text: string): SecretUse {
  const match = /^([A-Z][A-Z0-9_]{1,63})(?::(?:([A-Za-z_][A-Za-z0-9_]*)|(\/run\/secrets\/[\w.-]+)))?$/.exec(text)
  if (!match) {
    throw new InvalidInput('A secret', [{ path: '/secrets', message: 'write NAME, NAME:VARIABLE or NAME:/run/secrets/FILE' }])
  }
  const [, name = '', variable, file] = match
  return { name, as: file === undefined ? { env: variable ?? name } : { file } }
}
