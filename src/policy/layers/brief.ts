import { isSealed, raisingFlags } from '../flags.ts'
import { isWithin } from '../paths/names.ts'
import { compileHostPattern, type HostPattern } from '../patterns/host-pattern.ts'
import { compilePathPattern, type PathPattern } from '../patterns/path-pattern.ts'
import { compileWords, type LevelTest } from '../rules/command-pattern.ts'
import type { BriefScope } from '../types.ts'
import type { Answer, Layer, Subject } from './layer.ts'

/** The contract of the task at hand: inside its scope allow, outside it deny, silent about the rest. */
export const brief: Layer = subject => {
  const scope = subject.operation.context.brief
  if (!scope) return null
  const { category } = subject.facet
  if (category === 'edit') return edit(subject, compiledScope(scope))
  if (category === 'network') return network(subject, scope)
  return category === 'shell' || category === 'git' ? command(subject, scope) : null
}

function edit({ path, facet, operation }: Subject, owned: PathPattern[]): Answer | null {
  if (path?.special === 'free') return null
  const { scratch, caseInsensitive } = operation.facts
  if (path && scratch !== undefined && isWithin(path.real, scratch, caseInsensitive))
    return allow('scratch', 'The scratch folder belongs to the run.')
  const project = path?.project ?? null
  if (project !== null && owns(owned, project, facet.recursive === true)) return allow('files_owned', 'The brief owns this path.')
  const what = path?.real ?? 'A path that is not named'
  const reason = facet.recursive
    ? `${what} and everything below it is not covered by one pattern of the brief's files_owned.`
    : `${what} is outside the scope (${operation.context.brief?.files_owned.join(', ')}).`
  return { verdict: 'deny', rule: 'outside-scope', code: 'outside-scope', reason }
}

/** Whether a brief owns a project path; for a recursive effect all that is below it too. */
export function owns(owned: PathPattern[], path: string, recursive: boolean): boolean {
  return owned.some(pattern => (recursive ? pattern.coversBelow(path) : pattern.matches(path)))
}

function network(subject: Subject, scope: BriefScope): Answer | null {
  const { facet, operation } = subject
  if (isVerify(operation.command, scope)) return allow('verify', 'It is part of the verify command.')
  const host = facet.host
  if (host === undefined) return null
  // No host pattern can speak about a host that is not written, such as a remote of git; the pattern of the command does.
  if (host === '*')
    return isListedCommand(subject, scope) ? allow('allow_commands', 'The brief allows the command that reaches out.') : null
  const hosts = compiled(scope.allow_network ?? [], compileHostPattern)
  return hosts.some((pattern: HostPattern) => pattern.matches(host, false)) ? allow('allow_network', `The brief allows ${host}.`) : null
}

function isListedCommand({ levels, reading }: Subject, scope: BriefScope): boolean {
  const innermost = levels.at(-1)
  if (!innermost || reading?.grammar !== 'known' || !levels.every(level => level.transparent)) return false
  const tests = compiled(scope.allow_commands ?? [], compileWords)
  return tests.some((fits: LevelTest) => fits(innermost, { programByName: false, staticOnly: true }))
}

function command(subject: Subject, scope: BriefScope): Answer | null {
  const { facet, segment, operation, preflight } = subject
  if (isVerify(operation.command, scope)) return allow('verify', "It is the brief's verify command, word for word.")
  if (facet.flags.includes('destructive') && preflight.kind === 'complete')
    return allow('destructive', 'The brief lists it and every step of its preparation stands.')
  if (segment && isListedCommand(subject, scope)) return allow('allow_commands', 'The brief allows this command.')
  const sealed = facet.category === 'shell' && raisingFlags(facet.flags).length === 0 && isSealed(operation.facts.isolation)
  return sealed ? allow('sandboxed-shell', 'The sandbox holds it: no network, nothing writable but the scope.') : null
}

function isVerify(command: string | undefined, scope: BriefScope): boolean {
  return command !== undefined && scope.verify !== undefined && scope.verify !== '' && command === scope.verify
}

const scopes = new WeakMap<BriefScope, PathPattern[]>()

/** The compiled patterns of a scope; a pattern that cannot be meant owns nothing. */
export function compiledScope(scope: BriefScope): PathPattern[] {
  const known = scopes.get(scope)
  if (known) return known
  const patterns = compiled(scope.files_owned, text => compilePathPattern(text))
  scopes.set(scope, patterns)
  return patterns
}

function compiled<T>(texts: string[], compile: (text: string) => T): T[] {
  return texts.flatMap(text => {
    try {
      return [compile(text)]
    } catch {
      return []
    }
  })
}

function allow(rule: string, reason: string): Answer {
  return { verdict: 'allow', rule, code: 'rule', reason }
}
