import { type LockedPackage, lockedPackages } from './locked-packages.ts'

/** Weakest first; a value may be replaced by one of a stronger algorithm. */
const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha384', 'sha512']

/** Packages of unchanged version whose content now must hash to something else, or to nothing. */
export function changedIntegrity(path: string, before: string, after: string): string[] {
  const old = byRelease(lockedPackages(path, before) ?? [])
  const now = byRelease(lockedPackages(path, after) ?? [])
  return [...old].filter(([release, values]) => differs(values, now.get(release))).map(([release]) => release)
}

/** A release may be pinned several times in one file; all of its values count. */
function byRelease(packages: readonly LockedPackage[]): Map<string, Map<string, Set<string>>> {
  const releases = new Map<string, Map<string, Set<string>>>()
  for (const { name, version, integrity } of packages) {
    const release = `${name}@${version}`
    const values = releases.get(release) ?? new Map<string, Set<string>>()
    for (const [what, value] of integrity) values.set(what, (values.get(what) ?? new Set()).add(value))
    releases.set(release, values)
  }
  return releases
}

// Files are added to an old release now and then, so more values than before are no change; fewer are none either, as long as
// others did not come for them and some are left.
function differs(old: ReadonlyMap<string, ReadonlySet<string>>, now: ReadonlyMap<string, ReadonlySet<string>> | undefined): boolean {
  if (now === undefined || old.size === 0) return false
  if (now.size === 0) return true
  const shared = [...old].filter(([what]) => now.has(what))
  if (shared.some(([what, values]) => [...(now.get(what) ?? [])].some(value => !values.has(value)))) return true
  const isReplaced = shared.length < old.size && shared.length < now.size
  return isReplaced && !isStronger([...old.keys()], [...now.keys()])
}

function isStronger(old: readonly string[], now: readonly string[]): boolean {
  const best = (names: readonly string[]): number => Math.max(-1, ...names.map(name => ALGORITHMS.indexOf(name)))
  return best(old) >= 0 && best(now) > best(old)
}
