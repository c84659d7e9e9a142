import { foldName } from '../../policy/paths/names.ts'
import type { Surroundings } from '../facts.ts'
import { namesRef } from '../judges/named-by-commands.ts'
import type { FindingName } from './catalogue.ts'
import { type FindingRule, finding } from './rule.ts'

const METADATA: [keyof Surroundings['git'], FindingName][] = [
  ['hooks', 'git.hooks-changed'],
  ['config', 'git.config-changed'],
  ['replace', 'git.replace'],
]

/** The project's git folder is outside the place: with the sandbox in force what changes there is not the worker's (F-5). */
const metadata: FindingRule = ({ surroundings }) => {
  if (surroundings === null) return []
  const { git, sandboxed } = surroundings
  return METADATA.flatMap(([kind, id]) =>
    git[kind].map(what => (sandboxed ? finding('scope.outside-noted', { path: what, measured: kind }) : finding(id, { measured: what }))),
  )
}

/** The index belongs to the place, so no wall stands before it. */
const indexFlags: FindingRule = ({ surroundings }) =>
  (surroundings?.git.index_flags ?? []).map(path => finding('git.index-flags', { path }))

const OWN_REFS = /^refs\/(?:qed\/|notes\/qed$|heads\/qed\/)/

const refs: FindingRule = ({ surroundings }) =>
  (surroundings?.git.refs ?? [])
    .filter(ref => !OWN_REFS.test(ref))
    .map(ref => {
      if (surroundings?.sandboxed === true) return finding('scope.outside-noted', { path: ref, measured: 'moved' })
      const isNamed = namesRef(surroundings?.commands ?? [], ref)
      return finding('git.refs-moved', { measured: ref, ...(isNamed && { severity: 'error', said: 'a command of the run names it' }) })
    })

const GITLINK = '160000'

const nestedRepositories: FindingRule = ({ changes }) =>
  changes.flatMap(({ path, before, after }) => {
    if (after !== null && path.split('/').some(part => foldName(part) === '.git')) return [finding('git.nested-repository', { path })]
    if (after?.mode !== GITLINK && before?.mode !== GITLINK) return []
    const measured = before?.mode !== GITLINK ? 'new' : after?.mode !== GITLINK ? 'gone' : `${before.oid} → ${after.oid}`
    return [finding('git.nested-repository', { path, measured })]
  })

export const GIT_RULES: readonly FindingRule[] = [metadata, indexFlags, refs, nestedRepositories]
