import { type Clock, systemClock } from '../../kernel/clock.ts'
import type { GivenSecret, Isolate } from '../process/isolate.ts'
import { isFolder } from '../process/launch.ts'
import type { AskConsent, ProcessOutcome, ProcessSpec } from '../process/types.ts'
import { createConsents, type Requirement } from './consents.ts'
import { detectSandbox, findSandboxProgram } from './detect.ts'
import type { ExtraVariable } from './environment.ts'
import { IsolationUnavailable } from './errors.ts'
import { createFindSensitive } from './find-sensitive.ts'
import { launchInSandbox, launchOnHost, launchOwnTool, refused } from './launches.ts'
import type { Surroundings } from './plan.ts'
import { createFindRootOnly } from './root-only.ts'
import type { IsSensitive } from './sensitive.ts'
import { fixesFor, type SandboxState } from './state.ts'

export interface IsolationOptions extends Surroundings {
  require: Requirement
  isSensitive: IsSensitive
  /** Asks the person where the process's own spec does not say how. Without either the answer is no. */
  consent?: AskConsent
  /** A person's answer for this project on this machine: whether there is one, and where it is kept. */
  accepted?: () => Promise<boolean>
  accept?: (what: readonly string[]) => Promise<void>
  /** The value of a secret. Policy has allowed its use before. */
  secret?: (name: string) => Promise<string>
  extraEnv?: readonly ExtraVariable[]
  /** Runs QED's own tools. */
  run: (spec: ProcessSpec) => Promise<ProcessOutcome>
  clock?: Clock
  /** Name of the sandbox program; tests name one that is not there. */
  program?: string
}

export interface Isolation {
  isolate: Isolate
  /** What bubblewrap can do here; probed once per boot, version and user. */
  state(): Promise<SandboxState>
  /** The same, tried anew. */
  probe(): Promise<SandboxState>
}

/** Chooses the walls of each process. There is no way down that nobody chose: without walls a process starts only where a
 *  person said so, and never because a sandbox failed. */
export function createIsolation(options: IsolationOptions): Isolation {
  const { clock = systemClock } = options
  const findSensitive = createFindSensitive({ file: options.isSensitive })
  const findRootOnly = createFindRootOnly()
  const program = findSandboxProgram(options.program ?? 'bwrap', options.env['PATH'] ?? '')
  let known: Promise<SandboxState> | null = null
  const detect = (anew: boolean): Promise<SandboxState> => {
    known = detectSandbox({ ...options, program, clock }, anew)
    known.catch(() => (known = null))
    return known
  }
  const state = (): Promise<SandboxState> => known ?? detect(false)
  const mayGoWithout = createConsents(options)

  return {
    state,
    probe: () => detect(true),
    async isolate(spec, mark) {
      if (!isFolder(spec.cwd)) return refused('ENOENT', `There is no folder ${spec.cwd}.`)
      if (spec.profile === 'own') return launchOwnTool(spec, mark, options)
      const found = await state()
      const secrets = await givenSecrets(spec, options)
      if (found.kind === 'available' && program !== null) {
        return launchInSandbox(spec, mark, { ...options, secrets, findSensitive, findRootOnly, program, found })
      }
      const reason = whyNot(found)
      if (await mayGoWithout(spec)) return launchOnHost(spec, mark, { ...options, secrets, reason })
      const { code, message } = new IsolationUnavailable(reason, fixesFor(found))
      return refused(code, message)
    },
  }
}

function whyNot(found: SandboxState): string {
  return found.kind === 'broken' ? `Bubblewrap does not hold here (${found.facet}: ${found.message}).` : 'Bubblewrap is not installed.'
}

async function givenSecrets({ secrets = [] }: ProcessSpec, { secret }: IsolationOptions): Promise<GivenSecret[]> {
  if (secrets.length > 0 && !secret) throw new IsolationUnavailable('There is no vault here to take a secret from.', [])
  return Promise.all(secrets.map(async use => ({ use, value: (await secret?.(use.name)) ?? '' })))
}
