import { linksOut, replacesWithLink } from '../judges/links.ts'
import { matchesAny } from '../judges/matching.ts'
import { nameClashes } from '../judges/name-clashes.ts'
import { namesPath } from '../judges/named-by-commands.ts'
import { type FindingRule, finding } from './rule.ts'

const outsideOwned: FindingRule = ({ terms, changes }) => {
  if (terms.scope.owned === null) return []
  const isOwned = matchesAny(terms.scope.owned)
  return changes.filter(({ path }) => !isOwned(path)).map(({ path, kind }) => finding('scope.outside-owned', { path, measured: kind }))
}

const links: FindingRule = facts => [
  ...facts.changes.flatMap(change => {
    const why = replacesWithLink(change, facts) ?? linksOut(change, facts)
    return why === null ? [] : [finding('scope.link', { path: change.path, measured: why })]
  }),
  ...(facts.surroundings?.hard_links ?? []).map(path => finding('scope.link', { path, measured: 'a second hard link is new' })),
]

const FILE_MODES = /^100/

/** A mode or type that changed; a file that became a link or a repository has a rule of its own. */
const modes: FindingRule = ({ changes }) =>
  changes.flatMap(({ path, before, after }) => {
    if (before === null || after === null || before.mode === after.mode) return []
    const isOthers = [before.mode, after.mode].includes('160000') || (FILE_MODES.test(before.mode) && after.mode === '120000')
    return isOthers ? [] : [finding('scope.mode', { path, measured: `${before.mode} → ${after.mode}` })]
  })

const clashes: FindingRule = facts => nameClashes(facts).map(({ path, why }) => finding('scope.clash', { path, measured: why }))

const ignored: FindingRule = ({ surroundings }) =>
  (surroundings?.ignored ?? []).map(({ path, kind }) =>
    finding(kind === 'added' ? 'scope.ignored-added' : 'scope.ignored-changed', { path, measured: kind }),
  )

/** F-5: with the sandbox in force nothing outside can have been the worker's. */
const outside: FindingRule = ({ surroundings }) =>
  (surroundings?.outside ?? []).map(({ path, kind }) => {
    if (surroundings?.sandboxed === true) return finding('scope.outside-noted', { path, measured: kind })
    const isNamed = namesPath(surroundings?.commands ?? [], path)
    return finding('scope.outside-root', {
      path,
      measured: kind,
      ...(isNamed && { severity: 'error', said: 'a command of the run names it' }),
    })
  })

const sacred: FindingRule = ({ surroundings }) => (surroundings?.sacred ?? []).map(path => finding('scope.sacred', { path }))

export const SCOPE_RULES: readonly FindingRule[] = [outsideOwned, links, modes, clashes, ignored, outside, sacred]
