import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import { readTree } from '../../sandbox/git/tree.ts'
import { copyIncluded } from '../../sandbox/place/include.ts'
import { fillSubmodules } from '../../sandbox/place/submodules.ts'
import { readContents } from '../capture/contents.ts'
import type { Repository } from '../capture/repository.ts'
import { countTests } from '../counts/count-tests.ts'
import type { ProofFacts } from '../facts.ts'
import { codeaudit } from '../gates/codeaudit.ts'
import { runGates } from '../gates/run-gates.ts'
import { secaudit } from '../gates/secaudit.ts'
import { judge } from '../judge.ts'
import { testSide } from '../judges/test-side.ts'
import { verifyInputs } from '../judges/verify-inputs.ts'
import { createLayers } from '../prepare/layers.ts'
import { mountLayers } from '../prepare/mount-layer.ts'
import type { ProofContext, ProofLog, ProveParts } from '../prove.ts'
import { fileBaseResults } from '../runs/base-results.ts'
import { runVerify } from '../runs/run-verify.ts'
import { CONFIG_PATH, settingsOf } from '../settings/settings-of.ts'
import type { GateDefinition } from '../terms.ts'
import type { ProofPorts } from './ports.ts'

/** Everything that proving needs and that does not depend on what is proven. */
export function proveParts(ports: ProofPorts, repository: Repository): Omit<ProveParts, 'seal' | 'progress' | 'surroundings'> {
  const { sandbox, clock, project, readShell } = ports
  const { git, root } = repository
  const { processes, state } = sandbox
  return {
    git,
    processes,
    clock,
    state,
    project: project?.id ?? idLike(git.folder),
    layers: createLayers({ state, clock }),
    bases: fileBaseResults(join(state, 'bases')),
    mountLayer: mountLayers(processes, { canShow: true }),
    mayPrepare: ports.mayPrepare,
    isInstalled: ports.isInstalled,
    countTests,
    include: async place => {
      if (existsSync(join(place.path, '.gitmodules'))) {
        const files = await readTree(git, place.commit)
        await fillSubmodules({ git, commit: place.commit, files, root: place.path, tmp: join(state, 'tmp') })
      }
      await copyIncluded(place.path, { git, root, include: project?.include ?? [] })
    },
    settings: async base => {
      const text = await textAt(repository, base.tree, CONFIG_PATH)
      const settings = settingsOf(text)
      const trusted = text !== null && settings.prepare != null && ((await project?.isTrusted(sha256(text))) ?? false)
      return { settings, prepare: trusted ? (settings.prepare ?? null) : null }
    },
    verifyInputs: ({ terms, settings, trees }) =>
      verifyInputs({
        command: terms.command.text,
        paths: trees.base,
        read: path => blobText(repository, trees.base.get(path)?.oid),
        isTestSide: testSide(settings),
        readShell,
      }),
    gates: (context, facts) => measureGates(context, facts, { ports, repository }),
    judge,
    log: proofLog(ports),
  }
}

// A path of a place must not tell a repository that is a project from one that is not.
function idLike(folder: string): string {
  return `prj_${sha256(folder)
    .toUpperCase()
    .replace(/[^0-9A-F]/g, '')
    .slice(0, 26)}`
}

async function measureGates(
  context: ProofContext,
  facts: ProofFacts,
  { ports, repository }: { ports: ProofPorts; repository: Repository },
): ReturnType<ProveParts['gates']> {
  const { terms, settings, subject, places, furnish, signal } = context
  if (terms.gates.length === 0) return []
  const { findings } = judge(facts)
  const now = await textAt(repository, subject.result.tree, CONFIG_PATH)
  return runGates({
    required: terms.gates,
    base: settings.gates,
    result: definitionsOf(now),
    audit: gate => (gate === 'codeaudit' ? codeaudit({ facts, findings, diagnostics: [] }) : secaudit({ facts, findings })),
    runGate: ({ command, timeout_s, network }) =>
      places.use(subject.result.commit, async place => {
        const mounted = await furnish(place)
        const run = { name: 'result' as const, n: 1, tree: subject.result.tree, place, command: { text: command, timeout_s, network } }
        return runVerify({ ...run, ...mounted }, { processes: ports.sandbox.processes, countTests: () => null, signal })
      }),
  })
}

function definitionsOf(text: string | null): readonly GateDefinition[] | null {
  try {
    return settingsOf(text).gates
  } catch {
    // The work has broken the settings: whatever gate is required then counts as changed.
    return null
  }
}

async function textAt({ git }: Repository, tree: string, path: string): Promise<string | null> {
  const { text, exit } = await git.call(['cat-file', 'blob', `${tree}:${path}`], { answers: [0, 128] })
  return exit === 0 ? text : null
}

async function blobText({ git }: Repository, oid: string | undefined): Promise<string | null> {
  if (oid === undefined) return null
  return (await readContents(git, [oid])).get(oid)?.text ?? null
}

/** Where the repository is a project, its log hears of every proof before anything is done. */
function proofLog({ project }: ProofPorts): ProofLog {
  if (!project) return { started: nothing, settled: nothing, interrupted: nothing }
  const { log } = project
  return {
    started: ({ proof, terms, run }) => {
      const { text, kind } = terms.command
      log.append(`proof:${proof}`, 'proof.started', { proof, command: text, kind, brief: terms.brief?.id ?? null, run })
      return nothing()
    },
    settled: ({ proof_id, verdict, causes, result, bundle }) => {
      log.append(`proof:${proof_id}`, 'proof.settled', { proof: proof_id, verdict, causes, ...result, bundle })
      return nothing()
    },
    interrupted: (proof, why) => {
      log.append(`proof:${proof}`, 'proof.interrupted', { proof, why: why.slice(0, 1000) })
      return nothing()
    },
  }
}

const nothing = (): Promise<void> => Promise.resolve()
