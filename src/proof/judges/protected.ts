import { changedManifestKeys, changesDependencies } from '../../policy/paths/manifest.ts'
import { foldName } from '../../policy/paths/names.ts'
import type { Change, ProofFacts } from '../facts.ts'
import type { FindingName } from '../findings/catalogue.ts'
import type { ProofScope } from '../terms.ts'
import { matchesAny, type PathTest } from './matching.ts'
import { PROTECTED_FILES, PROTECTED_KEYS, SHADOWING_FILES } from './protected-table.ts'

/** What of a proof decides which files judge: all of it comes from the base. */
export type JudgeFacts = Pick<ProofFacts, 'verify_inputs' | 'settings'>

/** A broken rule about a protected file. */
export interface Breach {
  finding: FindingName
  /** What of the file changed, where only a part of it judges. */
  keys?: string[]
  hint?: string
}

const FOLDED = { fold: foldName, nameAnywhere: true }
const ROWS = PROTECTED_FILES.map(row => ({ ...row, covers: matchesAny(row.files, FOLDED) }))
const isShadowing = matchesAny(SHADOWING_FILES, FOLDED)

/** Tests over the paths of one proof, compiled once. */
export interface Judges {
  isTest: PathTest
  /** Files that judge as a whole: the first class that claims the path. */
  classOf(path: string): { finding: FindingName; never: boolean; shadows: boolean } | null
  /** Whether the path judges in any way, its manifest keys and dependencies included (F-15). */
  isProtected: PathTest
}

export function judgesOf({ settings, verify_inputs }: JudgeFacts): Judges {
  const isTest = matchesAny(settings.tests)
  const isAdded = matchesAny(settings.protect ?? [], FOLDED)
  const inputs = new Set(verify_inputs)
  const classOf: Judges['classOf'] = path => {
    const row = ROWS.find(one => one.covers(path))
    if (row?.mayChange === 'never') return { finding: row.finding, never: true, shadows: false }
    if (inputs.has(path)) return { finding: 'judge.verify-changed', never: false, shadows: false }
    if (row) return { finding: row.finding, never: false, shadows: row.shadows }
    return isAdded(path) ? { finding: 'judge.config-changed', never: false, shadows: true } : null
  }
  return {
    isTest,
    classOf,
    isProtected: path => classOf(path) !== null || changesDependencies(path, undefined) || keysOf(path) !== undefined,
  }
}

/** What the brief lets the work change, compiled once. */
export interface Leave {
  judges: PathTest
  /** Existing tests: owned as well as named. */
  tests: PathTest
}

export function leaveOf(scope: ProofScope): Leave {
  const isOwned = scope.owned === null ? () => true : matchesAny(scope.owned)
  const isNamed = matchesAny(scope.allow_tests)
  return { judges: matchesAny(scope.allow_judges), tests: path => isOwned(path) && isNamed(path) }
}

/** §4 and F-18: how a change breaks the protection of its file, or null. Dependencies and tests have rules of their own. */
export function judgeBreach(change: Change, judges: Judges, leave: Leave): Breach | null {
  const { path } = change
  const found = judges.classOf(path)
  if (found?.never === true)
    return { finding: found.finding, hint: 'Put it back: it belongs to QED itself, and no brief allows a change of it.' }
  if (leave.judges(path)) return null
  if (change.before === null)
    return found?.shadows === true || (isShadowing(path) && !judges.isTest(path)) ? { finding: 'judge.shadowed' } : null
  if (found?.finding === 'judge.verify-changed') return verifyInputBreach(change)
  return found ? { finding: found.finding } : null
}

/** Row 4: protected keys of a manifest that is not itself a test's. */
export function manifestKeysBreach({ path, before, after }: Change, judges: Judges, leave: Leave): Breach | null {
  const keys = keysOf(path)
  if (keys === undefined || before === null || judges.isTest(path) || leave.judges(path)) return null
  const changed = changedManifestKeys(path, before.text, after?.text ?? null)
  if (changed === undefined) return { finding: 'judge.script-changed', keys: ['not readable'] }
  const protectedOnes = changed.filter(key => keys.some(pattern => coversKey(pattern, key)))
  return protectedOnes.length === 0 ? null : { finding: 'judge.script-changed', keys: protectedOnes }
}

/** Row 6: an existing test needs to be owned and in the leave to change tests. */
export function testBreach({ path, before }: Change, judges: Judges, leave: Leave): Breach | null {
  if (before === null || !judges.isTest(path) || judges.classOf(path) !== null) return null
  return leave.tests(path) ? null : { finding: 'judge.test-changed' }
}

/** Row 5: whether a change touches what the project depends on. */
export function touchesDependencies({ path, before, after }: Change, judges: Judges): boolean {
  if (judges.isTest(path) || !changesDependencies(path, undefined)) return false
  // A text that is there but cannot be shown is not the empty manifest.
  const isUnread = (before !== null && before.text === null) || (after !== null && after.text === null)
  return isUnread || changesDependencies(path, changedManifestKeys(path, before?.text ?? null, after?.text ?? null))
}

// A manifest that the command reads judges by its keys, and what it depends on has a row of its own.
function verifyInputBreach({ path, before, after }: Change): Breach | null {
  const breach: Breach = { finding: 'judge.verify-changed' }
  if (!changesDependencies(path, undefined)) return breach
  const hasKeys = changedManifestKeys(path, null, null) !== undefined
  if (!hasKeys || keysOf(path) !== undefined) return null
  const keys = changedManifestKeys(path, before?.text ?? null, after?.text ?? null)
  return keys?.every(key => changesDependencies(path, [key])) === true ? null : breach
}

function keysOf(path: string): readonly string[] | undefined {
  const name = foldName(path.slice(path.lastIndexOf('/') + 1))
  return Object.hasOwn(PROTECTED_KEYS, name) ? PROTECTED_KEYS[name] : undefined
}

function coversKey(pattern: string, key: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern || key.startsWith(`${pattern}.`)
}
