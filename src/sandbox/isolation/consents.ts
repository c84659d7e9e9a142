import type { RunId } from '../../kernel/ids.ts'
import type { AskConsent, ProcessSpec } from '../process/types.ts'
import { OUTSIDE_RUNS } from './detect.ts'
import { isPlace } from './launches.ts'
import type { Surroundings } from './plan.ts'
import { WITHOUT_SANDBOX } from './state.ts'

/** The least that a person accepts; null where nobody has chosen yet. */
export type Requirement = 'bubblewrap' | 'worktree' | 'none' | null

interface ConsentOptions extends Pick<Surroundings, 'state'> {
  require: Requirement
  consent?: AskConsent
  accepted?: () => Promise<boolean>
  accept?: (what: readonly string[]) => Promise<void>
}

/** Whether a process may start without walls: by what the person chose, or by asking once per run. */
export function createConsents(options: ConsentOptions): (spec: ProcessSpec) => Promise<boolean> {
  const asked = new Map<RunId, Promise<boolean>>()
  const ask = async ({ consent = options.consent }: ProcessSpec): Promise<boolean> => {
    if (await options.accepted?.()) return true
    const answer = (await consent?.(WITHOUT_SANDBOX)) ?? 'no'
    if (answer === 'project') await options.accept?.(WITHOUT_SANDBOX)
    return answer !== 'no'
  }
  return spec => {
    if (options.require !== null)
      return Promise.resolve(options.require === 'none' || (options.require === 'worktree' && isPlace(spec, options)))
    // Commands outside runs share no run: one answer is for one command.
    if (spec.run_id === OUTSIDE_RUNS) return ask(spec)
    const known = asked.get(spec.run_id) ?? ask(spec)
    asked.set(spec.run_id, known)
    known.catch(() => asked.delete(spec.run_id))
    return known
  }
}
