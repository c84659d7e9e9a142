import type { Change } from '../facts.ts'
import { type OutsideSource, outsideSources } from '../judges/dependency-sources.ts'
import { changedIntegrity } from '../judges/integrity.ts'
import { type LockedPackage, lockedPackages } from '../judges/locked-packages.ts'
import { judgesOf, touchesDependencies } from '../judges/protected.ts'
import { type FindingRule, finding } from './rule.ts'

const changed: FindingRule = facts => {
  if (facts.terms.scope.allow_dependencies) return []
  const judges = judgesOf(facts)
  return facts.changes.filter(change => touchesDependencies(change, judges)).map(({ path }) => finding('deps.changed', { path }))
}

/** What was pinned before and is pinned to something else now; leave to change dependencies does not cover it. */
const mismatch: FindingRule = facts => [
  ...(facts.prepare.mismatch === undefined ? [] : [finding('deps.mismatch', { measured: facts.prepare.mismatch })]),
  ...projectFiles(facts).flatMap(({ path, before, after }) => {
    const releases = changedIntegrity(path, before?.text ?? '', after?.text ?? '')
    return releases.map(release =>
      finding('deps.mismatch', {
        path,
        measured: release,
        hint: `Put the integrity value of ${release} back; its version did not change, so its content must not.`,
      }),
    )
  }),
]

interface Risk {
  name: string
  path: string
  measured: string
}

/** One finding for one dependency, however many files speak of it. */
const scripts: FindingRule = facts => {
  const risks = new Map<string, Risk>()
  for (const change of projectFiles(facts)) for (const risk of risksOf(change)) if (!risks.has(risk.name)) risks.set(risk.name, risk)
  return [...risks.values()].map(({ path, measured }) => finding('deps.scripts', { path, measured }))
}

function risksOf(change: Change): Risk[] {
  const { path, before, after } = change
  const text = after?.text ?? ''
  const oldSources = new Set(outsideSources(path, before?.text ?? '').map(sourceKey))
  const fromManifest = outsideSources(path, text).filter(source => !oldSources.has(sourceKey(source)))
  const old = lockedPackages(path, before?.text ?? '') ?? []
  const runsAlready = new Set(old.filter(one => one.scripts).map(one => one.name))
  const outsideAlready = new Set(old.filter(one => one.source !== null).map(lockKey))
  const now = lockedPackages(path, text) ?? []
  return [
    ...fromManifest.map(({ name, source }) => ({ name, path, measured: `${name} from ${source}` })),
    ...now
      .filter(one => one.source !== null && !outsideAlready.has(lockKey(one)))
      .map(({ name, source }) => ({ name, path, measured: `${name} from ${source}` })),
    ...now
      .filter(one => one.scripts && !runsAlready.has(one.name))
      .map(({ name, version }) => ({ name, path, measured: `${name}@${version} runs scripts on install` })),
  ]
}

function sourceKey({ name, source }: OutsideSource): string {
  return `${name}\n${source}`
}

function lockKey({ name, source }: LockedPackage): string {
  return `${name}\n${source}`
}

/** Manifests and lock files of the project, not those that tests read. */
function projectFiles(facts: Parameters<FindingRule>[0]): Change[] {
  const { isTest } = judgesOf(facts)
  return facts.changes.filter(change => !isTest(change.path))
}

export const DEPS_RULES: readonly FindingRule[] = [changed, mismatch, scripts]
