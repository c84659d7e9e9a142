import { join } from 'node:path'
import type { Clock } from '../kernel/clock.ts'
import type { Requirement } from './isolation/consents.ts'
import type { ExtraVariable } from './isolation/environment.ts'
import { createIsolation, type Isolation } from './isolation/isolation.ts'
import { toolFolders } from './isolation/plan.ts'
import { isRoot, ROOT_HOME } from './isolation/root-only.ts'
import { type IsSensitive, isSensitiveName } from './isolation/sensitive.ts'
import type { Isolate } from './process/isolate.ts'
import { createLedger } from './process/ledger.ts'
import { systemProcTable } from './process/proc-table.ts'
import { createProcesses } from './process/processes.ts'
import type { AskConsent, Processes } from './process/types.ts'
import { createRedaction } from './redaction/redaction.ts'
import type { Redaction } from './redaction/text-redactor.ts'
import type { CanaryWatch } from './vault/canary.ts'
import type { KnownValues } from './vault/known-values.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface SandboxOptions {
  env: Environment
  home: string
  /** `<personal>`: its sub-folder `state` holds what the sandbox keeps. */
  personal: string
  /** Further folders of the person's own that are never shown. */
  private?: string[]
  project: { root: string; gitFolder: string } | null
  require: Requirement
  homeRead?: string[]
  resolver?: string
  extraEnv?: readonly ExtraVariable[]
  /** Takes out what looks like a secret. */
  redact: (text: string) => string
  isSensitive?: IsSensitive
  secret?: (name: string) => Promise<string>
  canary?: CanaryWatch
  values?: Pick<KnownValues, 'known' | 'load'>
  consent?: AskConsent
  accepted?: () => Promise<boolean>
  accept?: (what: readonly string[]) => Promise<void>
  clock: Clock
  atOnce?: number
  program?: string
}

/** Where processes run, wired together. */
export interface Sandbox {
  processes: Processes
  isolation: Isolation
  redaction: Redaction
  state: string
  /** Folder of what processes printed beyond what is kept of it. */
  outputs: string
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { env, home, personal, clock, redact, canary, values } = options
  const state = join(personal, 'state')
  const outputs = join(state, 'outputs')
  const redaction = createRedaction({
    byShape: redact,
    ...(values && { values }),
    ...(canary && { canaries: canary.known, onCanary: () => canary.seen('output of a process') }),
  })
  const isolation: Isolation = createIsolation({
    ...options,
    state,
    personal: [personal, ...(options.private ?? [])],
    homeRead: [
      ...toolFolders(home, env['PATH'] ?? ''),
      ...(isRoot() ? toolFolders(ROOT_HOME, env['PATH'] ?? '') : []),
      ...(options.homeRead ?? []),
    ],
    isSensitive: options.isSensitive ?? isSensitiveName,
    run: spec => processes.run(spec),
  })
  const isolate: Isolate = async (spec, mark) => {
    // Behind walls no process can reach a vault; without them the bait must be known before anything is printed.
    if (canary && spec.profile !== 'own' && (await isolation.state()).kind !== 'available') await canary.load()
    // A value may stand in a file that anyone can print.
    if (spec.profile !== 'own') await redaction.ready()
    return isolation.isolate(spec, mark)
  }
  const table = systemProcTable()
  const processes = createProcesses({
    isolate,
    redaction,
    clock,
    table,
    outputs,
    ledger: createLedger(join(state, 'marks'), table),
    ...(options.atOnce !== undefined && { atOnce: options.atOnce }),
  })
  return { processes, isolation, redaction, state, outputs }
}
