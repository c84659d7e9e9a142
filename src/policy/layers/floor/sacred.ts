import { changes, writesMemory } from '../../access.ts'
import { changesDependencies } from '../../paths/manifest.ts'
import { foldName } from '../../paths/names.ts'
import type { ResolvedPath } from '../../paths/resolve-path.ts'
import { builtInSacred, type CompiledSacredRow, DEPENDENCIES_ROW, sacredAnswer } from '../../paths/sacred.ts'
import { partsOf } from '../../patterns/path-pattern.ts'
import type { PathFact } from '../../types.ts'
import { strictest } from '../../verdict.ts'
import type { Answer, Layer, PolicyLayers, Subject } from '../layer.ts'
import { changedBelow } from './below.ts'

/** Without the list of what is sacred nothing may be written: the row that is missing may be the one that matters. */
export const sacredUnloadable: Layer = subject => {
  const { facet, operation } = subject
  if (operation.facts.sacredLoaded) return null
  const writes =
    facet.category === 'edit'
      ? subject.path?.special !== 'free'
      : facet.category === 'shell' || facet.category === 'git'
        ? subject.segment?.class !== 'read-only'
        : writesMemory(facet)
  return writes
    ? answer(
        'deny',
        'sacred-unloadable',
        'sacred-unloadable',
        'The list of sacred paths cannot be read, so nothing is written. Repair .qed/sacred-scopes.yaml.',
      )
    : null
}

export const sacred: Layer = (subject, layers) => {
  const { facet, operation } = subject
  if (facet.flags.includes('dependency-change') && !facet.path && !facet.host) {
    return rowAnswer(DEPENDENCIES_ROW, subject, 'dependency-change', 'The command changes what the project depends on')
  }
  if (writesGitConfig(subject)) return answer('deny', 'sacred:git-config', 'sacred', 'Git settings are not changed inside a run.')
  if (!subject.path || !changes(facet.access) || subject.path.special === 'free') return null
  const row = sacredRowOf(subject.path, layers, operation.facts.deployed)
  if (row) return rowAnswer(row, subject, 'sacred', `${subject.path.real} is sacred (${row.id})`)
  const below = sacredBelow(subject, layers)
  if (below) return below
  const keys = facet.access === 'write' || facet.access === 'create' ? operation.facts.manifestKeysChanged : undefined
  return changesDependencies(subject.path.real, keys)
    ? rowAnswer(DEPENDENCIES_ROW, subject, 'sacred', `${subject.path.real} says what the project depends on`)
    : null
}

/** The strictest answer of the rows that something below a changed folder touches. */
function sacredBelow(subject: Subject, layers: PolicyLayers): Answer | null {
  const rows = new Map<string, { row: CompiledSacredRow; real: string }>()
  for (const path of changedBelow(subject)) {
    const row = sacredRowOf({ ...path, fact: { exists: true } }, layers, subject.operation.facts.deployed)
    if (row && !rows.has(row.id)) rows.set(row.id, { row, real: path.real })
  }
  const answers = [...rows.values()].flatMap(({ row, real }) => rowAnswer(row, subject, 'sacred', `${real} is sacred (${row.id})`) ?? [])
  return strictest(answers, found => found.verdict) ?? null
}

/** The first row that a write to the path would touch. */
export function sacredRowOf(
  path: Pick<ResolvedPath, 'relative' | 'project'> & { fact: Pick<PathFact, 'exists'> | null },
  layers: Pick<PolicyLayers, 'sacred'>,
  deployed: string[] | undefined,
): CompiledSacredRow | null {
  const { relative } = path
  if (relative === null) return null
  const isLive = deployed ? deployed.includes(path.project ?? relative) : path.fact === null || path.fact.exists
  const parts = partsOf(relative).map(foldName)
  const touches = (row: CompiledSacredRow): boolean => row.coversParts(parts) && (!row.deployedOnly || isLive)
  return builtInSacred.find(touches) ?? layers.sacred.find(touches) ?? null
}

function writesGitConfig({ segment, levels }: Subject): boolean {
  if (!segment || segment.class === 'read-only') return false
  return levels.some(level => lastPart(level.argv[0]?.text ?? '') === 'git' && level.subcommand === 'config')
}

function rowAnswer(row: Pick<CompiledSacredRow, 'id' | 'unlock'>, subject: Subject, code: string, what: string): Answer | null {
  const verdict = sacredAnswer(row, subject.operation.context)
  if (!verdict) return null
  const way = row.unlock === 'nobody' ? 'Nobody changes it inside a run.' : `It needs: ${UNLOCK_WORDS[row.unlock]}.`
  return answer(verdict, `sacred:${row.id}`, code, `${what}. ${way}`)
}

const UNLOCK_WORDS = {
  person: "a person's own run",
  'auth-surface': 'a brief with the gate secaudit and auth-surface in its rubric',
  allow_billing: 'a brief with allow_billing',
  allow_dependency_change: 'a brief with allow_dependency_change',
} as const

function answer(verdict: Answer['verdict'], rule: string, code: string, reason: string): Answer {
  return { verdict, rule, code, reason }
}

function lastPart(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}
