import * as z from 'zod'
import { fixesFor, type SandboxState } from '../sandbox/isolation/state.ts'
import { PROFILES } from '../sandbox/process/types.ts'
import { operation } from './operation.ts'
import type { Paint } from './paint.ts'
import { outcomeFailed, outcomeForPerson, ProcessOutcome } from './process-outcome.ts'
import { runCommand } from './run-command.ts'

const Profiles = () => z.enum(PROFILES).exclude(['own'])

const Status = () =>
  z.strictObject({
    state: z.enum(['available', 'absent', 'broken']),
    version: z.string().nullable(),
    probe: z
      .strictObject({ at: z.string(), tool: z.string(), checks: z.record(z.string(), z.enum(['pass', 'fail', 'skipped'])) })
      .nullable(),
    profiles: z.array(z.string()),
    degraded: z.string().nullable(),
    reason: z.string().nullable(),
    fixes: z.array(z.string()),
  })
type Status = z.infer<ReturnType<typeof Status>>

const status = operation({
  name: 'sandbox.status',
  summary: 'Whether commands can be isolated here, and what to do where they cannot',
  when: 'Use it to see whether commands run isolated on this machine.',
  effect: 'read',
  mcp: 'full',
  input: z.strictObject({}),
  output: Status,
  examples: ['sandbox status', 'sandbox status --json'],
  run: async app => statusOf(await (await app.sandbox()).isolation.state()),
  human: statusForPerson,
})

const probe = operation({
  name: 'sandbox.probe',
  summary: 'Try the walls of the sandbox from inside, now',
  when: 'Use it when commands fail in the sandbox, to see which wall does not stand.',
  effect: 'execute',
  mcp: 'full',
  long: true,
  input: z.strictObject({}),
  output: Status,
  examples: ['sandbox probe', 'sandbox probe --json'],
  failed: ({ state }) => state !== 'available',
  run: async app => statusOf(await (await app.sandbox()).isolation.probe()),
  human: statusForPerson,
})

const exec = operation({
  name: 'sandbox.exec',
  summary: 'Run a command in the sandbox; policy or a person decides',
  when: 'Use it to run a command of the project behind the walls of the sandbox.',
  effect: 'execute',
  mcp: 'full',
  long: true,
  exitCodes: [3, 4, 5, 9],
  positional: ['argv'],
  input: z.strictObject({
    argv: z.array(z.string()).default([]).describe('The program and its arguments'),
    shell: z.string().min(1).optional().describe('A command text for the shell, instead of words'),
    sandbox_profile: Profiles().default('worker').describe('Which walls it gets'),
    writable: z.array(z.string()).default([]).describe('Patterns of files it may write, relative to the project'),
    timeout_s: z.int().min(1).max(3600).optional().describe('Longest time; the setting shell.timeout_ms where left out'),
    secrets: z.array(z.string()).default([]).describe('Names from the vault: NAME, NAME:VARIABLE or NAME:/run/secrets/FILE'),
  }),
  output: ProcessOutcome,
  examples: ['sandbox exec --shell "make test" --writable "build/**"', 'sandbox exec --sandbox-profile advisor -- ls -la'],
  failed: outcomeFailed,
  run: (app, { sandbox_profile: profile, ...input }, call) => runCommand(app, { ...input, profile }, call, 'qed sandbox exec'),
  human: outcomeForPerson,
})

export const operations = [status, probe, exec] as const

function statusOf(state: SandboxState): Status {
  return {
    state: state.kind,
    version: state.kind === 'absent' ? null : state.version,
    probe: state.kind === 'absent' ? null : state.probe,
    profiles: PROFILES.filter(profile => profile !== 'own'),
    degraded: state.kind === 'available' ? state.degraded : null,
    reason: state.kind === 'available' ? null : state.kind === 'absent' ? state.reason : `${state.facet}: ${state.message}`,
    fixes: fixesFor(state),
  }
}

function statusForPerson({ state, version, probe, degraded, reason, fixes }: Status, paint: Paint): string {
  const head = {
    available: paint.good(`${paint.glyph.ok} isolated`),
    absent: paint.bad(`${paint.glyph.fail} not isolated`),
    broken: paint.bad(`${paint.glyph.fail} not isolated`),
  }[state]
  const checks = Object.entries(probe?.checks ?? {}).map(
    ([name, result]) => `  ${result === 'pass' ? paint.glyph.ok : paint.glyph.fail} ${name}: ${result}`,
  )
  return [
    `${head}  bubblewrap ${version ?? ''} ${[reason, degraded && `but for ${degraded}`].filter(Boolean).join(' ')}`.trimEnd(),
    ...checks,
    ...fixes.map(fix => `${paint.glyph.arrow} ${fix}`),
  ].join('\n')
}
