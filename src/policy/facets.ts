import { changes } from './access.ts'
import type { PolicyLayers, Subject } from './layers/layer.ts'
import { type PathReading, type PathSettings, resolvePath } from './paths/resolve-path.ts'
import { preflightState } from './preflight.ts'
import type { ReadShell, ShellReading } from './shell-port.ts'
import type { Access, Category, Facet, Flag, PolicyOperation } from './types.ts'

/** An operation cut into parts that are judged one by one. */
export function cutIntoSubjects(operation: PolicyOperation, layers: PolicyLayers, digest: string, readShell: ReadShell): Subject[] {
  const reading = readingOf(operation, readShell)
  const facets = [...shellFacets(operation, reading), ...pathFacets(operation), ...targetFacets(operation)]
  const bare = facets.length === 0
  if (bare) facets.push(bareFacet(operation))
  const destructive = (reading?.segments ?? []).filter(segment => segment.flags.includes('destructive'))
  const preflight =
    destructive.length > 0 && operation.context.brief
      ? preflightState(operation, destructive, digest, readShell)
      : ({ kind: 'incomplete', why: 'No destructive segment could be cut out.' } as const)
  const pathSettings = settingsFor(layers, operation)
  return facets.map(facet => {
    const segment = facet.segment === undefined ? undefined : reading?.segments[facet.segment]
    const whole =
      segment && isCommandItself(facet)
        ? { ...facet, class: segment.class, flags: [...new Set([...facet.flags, ...segment.flags])] }
        : facet
    const resolved =
      facet.path === undefined ? null : resolvePath(facet.path, facet.access ?? 'read', operation.cwd, operation.facts, pathSettings)
    return {
      facet: withPath(whole, resolved),
      path: resolved?.kind === 'resolved' ? resolved.path : null,
      malformed: resolved?.kind === 'malformed' ? resolved.why : null,
      pathSettings,
      segment: segment && isCommandItself(facet) ? segment : null,
      levels: segment?.levels ?? [],
      reading,
      operation,
      bare,
      preflight,
    }
  })
}

function settingsFor(layers: PolicyLayers, { context }: PolicyOperation): PathSettings {
  const agent = context.agent === undefined ? undefined : layers.agents[context.agent]
  const sources = [...layers.project, ...layers.personal, ...(agent ? [agent] : [])]
  return {
    sensitive: sources.flatMap(({ policy }) => (policy.kind === 'loaded' ? policy.sensitive : [])),
    sensitiveExcept: layers.sensitiveExcept,
  }
}

function readingOf({ command, argv, cwd, facts }: PolicyOperation, readShell: ReadShell): ShellReading | null {
  if (command !== undefined) return readShell(command, { cwd, facts })
  return argv === undefined ? null : readShell({ argv }, { cwd, facts })
}

function shellFacets(operation: PolicyOperation, reading: ShellReading | null): Facet[] {
  if (!reading) return []
  const certain = reading.grammar === 'known' && reading.facets.length > 0
  if (certain || reading.facets.some(facet => facet.flags.includes('ambiguous'))) return reading.facets
  // What could not be read is a part of its own, so that nothing allows the whole.
  return [...reading.facets, { category: 'shell', verb: operation.verb, flags: ['ambiguous'] }]
}

const ACCESS_OF_VERB: Record<string, Access> = { 'file.read': 'read', 'file.list': 'list', 'file.write': 'write', 'file.delete': 'delete' }

function pathFacets({ paths = [], verb, url }: PolicyOperation): Facet[] {
  const local = url !== undefined && /^file:/i.test(url) ? [{ path: pathOfUrl(url), access: 'read' as const }] : []
  return [...paths, ...local].map(({ path, access, ...rest }) => ({
    category: changes(access ?? ACCESS_OF_VERB[verb]) ? 'edit' : 'read',
    verb,
    path,
    access: access ?? ACCESS_OF_VERB[verb] ?? 'read',
    ...('recursive' in rest && rest.recursive !== undefined && { recursive: rest.recursive }),
    flags: [],
  }))
}

function targetFacets({ verb, url, tool, secret, memory, category, paths, command, argv }: PolicyOperation): Facet[] {
  const facets: Facet[] = []
  if (url !== undefined && !/^file:/i.test(url))
    facets.push({ category: 'network', verb: verb.startsWith('net.') ? verb : 'net.get', ...hostOf(url) })
  if (secret !== undefined || verb === 'secret.read') {
    facets.push({
      category: 'secrets',
      verb: verb.startsWith('secret.') ? verb : 'secret.use',
      ...(secret !== undefined && { secret }),
      flags: [],
    })
  }
  if (memory !== undefined || verb.startsWith('memory.')) facets.push({ category: 'memory', verb, flags: [] })
  // A built-in tool is judged by what it touches; only a foreign one is a target by itself.
  const touches = (paths?.length ?? 0) > 0 || command !== undefined || argv !== undefined || facets.length > 0
  if (tool !== undefined && (!touches || category === 'provider-tool')) facets.push({ category: 'provider-tool', verb, tool, flags: [] })
  return facets
}

// A category alone says too little to allow anything; what is denied by default stays denied.
function bareFacet({ category, verb, command, argv }: PolicyOperation): Facet {
  const known = category ?? CATEGORY_OF_VERB[verb] ?? (command !== undefined || argv !== undefined ? 'shell' : 'read')
  return { category: known, verb, flags: known === 'secrets' || known === 'external-directory' ? [] : ['ambiguous'] }
}

export const CATEGORY_OF_VERB: Record<string, Category> = {
  'file.read': 'read',
  'file.list': 'read',
  'file.write': 'edit',
  'file.delete': 'edit',
  'process.exec': 'shell',
  'net.get': 'network',
  'net.send': 'network',
  'memory.search': 'memory',
  'memory.save': 'memory',
  'tool.call': 'provider-tool',
  'secret.use': 'secrets',
  'secret.read': 'secrets',
}

function isCommandItself({ path, host, category }: Facet): boolean {
  return path === undefined && host === undefined && (category === 'shell' || category === 'git')
}

/** The facet with its category, binding and flags from where its path really leads. */
function withPath(facet: Facet, resolved: PathReading | null): Facet {
  if (resolved?.kind !== 'resolved') return facet
  const { path } = resolved
  const flags = new Set<Flag>(facet.flags)
  const writes = changes(facet.access)
  // A look at a name needs no certainty about what it is; everything else does.
  if (path.fact === null && path.special !== 'free') flags.add('ambiguous')
  if (writes && path.fact?.type === 'file' && path.fact.links > 1) flags.add('hard-linked')
  const hidden = path.sensitivity?.kind === 'sensitive' && facet.access !== 'list'
  const outside = path.root === null && path.special !== 'free'
  const category: Category = hidden ? 'secrets' : outside ? 'external-directory' : writes ? 'edit' : 'read'
  const { device, inode, type } = path.fact ?? {}
  return {
    ...facet,
    category,
    real: path.real,
    ...(device !== undefined && inode !== undefined && type !== undefined && { binding: { device, inode, type } }),
    flags: [...flags],
  }
}

function hostOf(url: string): { host: string; flags: Flag[] } {
  const parsed = URL.canParse(url) ? new URL(url) : null
  return parsed?.hostname ? { host: parsed.host, flags: [] } : { host: '*', flags: ['ambiguous'] }
}

function pathOfUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  try {
    return decodeURIComponent(parsed?.pathname ?? url)
  } catch {
    return url
  }
}
