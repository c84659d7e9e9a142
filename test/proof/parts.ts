import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId } from '../../src/kernel/new-id.ts'
import type { Repository } from '../../src/proof/capture/repository.ts'
import { subjectOfCheckout } from '../../src/proof/capture/subject.ts'
import type { ProofFacts } from '../../src/proof/facts.ts'
import { createLayers } from '../../src/proof/prepare/layers.ts'
import { copyLayers } from '../../src/proof/prepare/mount-layer.ts'
import type { ProveJob, ProveParts, ProveProgress } from '../../src/proof/prove.ts'
import { fileBaseResults } from '../../src/proof/runs/base-results.ts'
import type { VerifyCommand } from '../../src/proof/terms.ts'
import type { Processes } from '../../src/sandbox/process/types.ts'

interface Where {
  repository: Repository
  processes: Processes
  state: string
}

export interface Told {
  facts: ProofFacts | null
  log: string[]
  progress: ProveProgress[]
}

/** Everything real but the parts that judge and seal. */
export function partsOf(h: Where, told: Told, more: Partial<ProveParts> = {}): ProveParts {
  return {
    processes: h.processes,
    state: h.state,
    git: h.repository.git,
    clock: systemClock,
    project: 'prj_01JGFJJZ00000000000000000',
    bases: fileBaseResults(join(h.state, 'bases')),
    layers: createLayers({ state: h.state, clock: systemClock }),
    mountLayer: copyLayers(h.processes),
    mayPrepare: () => Promise.resolve(false),
    isInstalled: () => true,
    include: () => Promise.resolve(),
    countTests: () => null,
    settings: () =>
      Promise.resolve({
        settings: { tests: ['**/*.test.*'], outputs: [], secret_allow: [], gates: [], vary: false },
        prepare: null,
      }),
    verifyInputs: () => Promise.resolve([]),
    surroundings: () => Promise.resolve(null),
    gates: () => Promise.resolve([]),
    judge: facts => {
      told.facts = facts
      return { verdict: 'proven', causes: [], findings: [] }
    },
    seal: () => Promise.resolve({ bundle: '/b', attestation: null }),
    log: {
      started: ({ proof }) => Promise.resolve(void told.log.push(`started ${proof}`)),
      settled: ({ proof_id, verdict }) => Promise.resolve(void told.log.push(`${verdict} ${proof_id}`)),
      interrupted: (proof, why) => Promise.resolve(void told.log.push(`interrupted ${proof} ${why}`)),
    },
    progress: event => void told.progress.push(event),
    ...more,
  }
}

export function jobOf(h: Where, command: Partial<VerifyCommand> & { text: string }, more: Partial<ProveJob> = {}): ProveJob {
  const proof = newId('prf', systemClock)
  return {
    proof,
    terms: {
      brief: null,
      command: { kind: 'red-green', timeout_s: 60, network: false, repeat: 1, hang_is_red: false, sabotage: null, ...command },
      scope: { owned: null, allow_tests: [], allow_judges: [], allow_dependencies: false, destructive: [] },
      gates: [],
    },
    subject: () => subjectOfCheckout(h.repository, {}, { clock: systemClock, state: h.state, proof }),
    run: null,
    given: { brief_digest: null, regressions: [], claim: null, acceptances: [], author: null, canaries: [] },
    ...more,
  }
}

export const newTold = (): Told => ({ facts: null, log: [], progress: [] })
