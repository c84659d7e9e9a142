import * as z from 'zod'
import type { App } from '../app.ts'
import { ActorNotPerson } from '../kernel/errors.ts'
import type { VaultScope } from '../sandbox/vault/vault-files.ts'
import { type Call, operation, type Terminal } from './operation.ts'
import { outcomeFailed, outcomeForPerson, ProcessOutcome } from './process-outcome.ts'
import { runCommand } from './run-command.ts'

// Values never stand in an input or an output: they come from the person's keyboard and go to the person's screen, or to one
// process. So no surface, log or record of calls can hold one.

const name = z.string().min(1).max(64).describe('Capital letters, digits and underscores')
const scope = z.enum(['project', 'personal']).default('project').describe('Whose vault')
const Info = () =>
  z.strictObject({
    name: z.string(),
    scope: z.enum(['project', 'personal']),
    created_at: z.string(),
    note: z.string().optional(),
    hidden: z.boolean(),
  })

const list = operation({
  name: 'vault.list',
  summary: 'Names of secrets and where each is kept; never a value',
  effect: 'read',
  mcp: 'never',
  exitCodes: [9],
  input: z.strictObject({}),
  output: () => z.strictObject({ items: z.array(Info()), leaked: z.strictObject({ at: z.string(), where: z.string() }).optional() }),
  examples: ['vault list', 'vault list --json'],
  run: async (app, _input, call) => {
    const vault = await vaultFor(app, call)
    const leaked = vault.leaked()
    return { items: await vault.list(), ...(leaked && { leaked }) }
  },
})

const set = operation({
  name: 'vault.set',
  summary: 'Keep a secret; its value is asked for and not shown',
  effect: 'write',
  personOnly: true,
  mcp: 'never',
  exitCodes: [4, 9],
  positional: ['name'],
  input: z.strictObject({ name, scope, note: z.string().max(200).optional().describe('What it is for') }),
  output: Info,
  examples: ['vault set DEPLOY_TOKEN', 'vault set NPM_TOKEN --scope personal --note "read only"'],
  run: async (app, { name, scope, note }, call) => {
    const value = await terminalOf(call, 'vault.set', 'qed vault set').askHidden(`Value of ${name}: `)
    const kept = await (await vaultFor(app, call)).set({ name, scope, value, ...(note !== undefined && { note }) })
    await recorded(app, 'vault.set', name, scope)
    return kept
  },
})

const remove = operation({
  name: 'vault.remove',
  summary: 'Take a secret out of the vault for good',
  effect: 'write',
  personOnly: true,
  destructive: true,
  mcp: 'never',
  exitCodes: [3, 4, 9],
  positional: ['name'],
  input: z.strictObject({ name, scope }),
  output: () => z.strictObject({ name: z.string(), scope: z.enum(['project', 'personal']) }),
  examples: ['vault remove DEPLOY_TOKEN'],
  run: async (app, { name, scope }, call) => {
    await (await vaultFor(app, call)).remove(name, scope)
    await recorded(app, 'vault.removed', name, scope)
    return { name, scope }
  },
})

const execution = {
  summary: 'Run one command with secrets from the vault; what it prints is redacted',
  effect: 'execute' as const,
  mcp: 'never' as const,
  long: true,
  exitCodes: [3, 4, 5, 9],
  positional: ['argv'],
  input: z.strictObject({
    argv: z.array(z.string()).min(1).describe('The program and its arguments'),
    secrets: z.array(z.string()).min(1).describe('NAME, NAME:VARIABLE or NAME:/run/secrets/FILE'),
  }),
  output: ProcessOutcome,
  failed: outcomeFailed,
  human: outcomeForPerson,
}

const exec = operation({
  ...execution,
  name: 'vault.exec',
  examples: ['vault exec --secrets DEPLOY_TOKEN -- ./deploy.sh'],
  run: (app, input, call) => runCommand(app, { ...input, profile: 'worker', writable: [] }, call, 'qed vault exec'),
})

const run = operation({
  ...execution,
  name: 'vault.run',
  summary: 'The same as vault exec',
  examples: ['vault run --secrets DEPLOY_TOKEN -- ./deploy.sh'],
  run: (app, input, call) => runCommand(app, { ...input, profile: 'worker', writable: [] }, call, 'qed vault run'),
})

const reveal = operation({
  name: 'vault.reveal',
  summary: 'Write the value of a secret to this terminal, and nothing else',
  effect: 'read',
  personOnly: true,
  mcp: 'never',
  exitCodes: [3, 4, 9],
  positional: ['name'],
  input: z.strictObject({ name }),
  output: () => z.strictObject({ name: z.string() }),
  examples: ['vault reveal DEPLOY_TOKEN'],
  run: async (app, { name }, call) => {
    const terminal = terminalOf(call, 'vault.reveal', `qed vault reveal ${name}`)
    await terminal.write(await (await vaultFor(app, call)).value(name))
    return { name }
  },
  human: () => '',
})

export const operations = [list, set, remove, exec, run, reveal] as const

function vaultFor(app: App, { terminal }: Call) {
  return app.vault(terminal && (() => terminal.askHidden('Passphrase of the vault: ')))
}

function terminalOf({ terminal }: Call, operationName: string, command: string): Terminal {
  if (!terminal) throw new ActorNotPerson(operationName, command)
  return terminal
}

async function recorded(app: App, type: 'vault.set' | 'vault.removed', name: string, scope: VaultScope): Promise<void> {
  if (!app.findProject()) return
  const { log } = await app.projectStore()
  log.append('sandbox', type, { name, scope })
}
