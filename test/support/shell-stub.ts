import type { ReadShell, ShellClass, ShellLevel, ShellSegment } from '../../src/policy/shell-port.ts'
import type { Facet, Flag } from '../../src/policy/types.ts'

// Enough of a shell reader to judge by: words between blanks, `&&`, `||`, `;`, `|`, single quotes. Whatever looks like more is unknown.

const READ_ONLY = new Set(['ls', 'cat', 'echo', 'head', 'grep', 'pwd', 'true'])
const FILE_EFFECT = new Set(['cp', 'mv', 'touch', 'mkdir', 'tee', 'rm'])
const NETWORK = new Set(['curl', 'wget'])
const TRANSPARENT = new Set(['timeout', 'nice', 'env'])
const ALIASES = [
  ['-f', '--force'],
  ['-r', '-R', '--recursive'],
]

export const readSimpleShell: ReadShell = (input, _at) => {
  const text = typeof input === 'string' ? input : input.argv.join(' ')
  if (typeof input === 'string' && /[`(){}]|\$\(|<<|["\\]/.test(text)) {
    return { grammar: 'unknown', unknown_reason: 'more than the stub reads', class: 'other', segments: [], facets: [] }
  }
  const commands = typeof input === 'string' ? text.split(/&&|\|\||;|\|/).map(part => words(part.trim())) : [input.argv]
  const segments = commands.filter(argv => argv.length > 0).map((argv, index) => segment(argv, index))
  for (const [i, one] of segments.entries()) {
    const fetches = segments.slice(0, i).some(({ program }) => NETWORK.has(program))
    if (one.program === 'sh' && one.argv.length === 1) one.flags.push(fetches ? 'download-run' : 'ambiguous')
  }
  const classes = new Set(segments.map(one => one.class))
  return {
    grammar: 'known',
    class: classes.size === 1 ? (segments[0]?.class ?? 'other') : 'other',
    segments,
    facets: segments.flatMap(facetsOf),
  }
}

function words(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|\S+/g)].map(match => match[1] ?? match[0])
}

function segment(argv: string[], index: number): ShellSegment {
  const levels = levelsOf(argv)
  const inner = levels.at(-1)!
  const flags: Flag[] = argv.some(word => word.startsWith('$')) ? ['ambiguous'] : []
  if (argv[0] === 'sudo') flags.push('privileged')
  if (argv.at(-1) === '&') flags.push('background')
  const isGit = inner.program === 'git'
  const destroys =
    (inner.program === 'rm' && inner.flags.includes('-r')) || (isGit && inner.subcommand === 'push' && inner.flags.includes('-f'))
  if (destroys) flags.push(inner.operands.some(path => path === '/' || path === '~') ? 'catastrophic' : 'destructive')
  if (inner.program === 'npm' && inner.subcommand === 'install' && inner.operands.length > 1) flags.push('dependency-change')
  return {
    index,
    text: argv.join(' '),
    range: { start: 0, end: 0 },
    program: inner.program,
    argv: inner.argv,
    via: 'top',
    wrappers: levels.slice(0, -1).map(level => level.program),
    assignments: [],
    redirects: [],
    cwd: null,
    class: destroys ? 'destructive' : classOf(inner),
    category: isGit ? 'git' : 'shell',
    flags,
    paths: [],
    levels,
  }
}

function classOf({ program, subcommand }: ShellLevel): ShellClass {
  if (READ_ONLY.has(program) || (program === 'git' && ['diff', 'log', 'status'].includes(subcommand ?? ''))) return 'read-only'
  return FILE_EFFECT.has(program) ? 'file-effect' : NETWORK.has(program) ? 'network' : 'other'
}

function levelsOf(argv: string[]): ShellLevel[] {
  const levels = [level(argv, true)]
  for (let rest = argv; ; ) {
    const wrapper = rest[0] ?? ''
    if (!TRANSPARENT.has(wrapper) && wrapper !== 'sudo') return levels
    rest = rest.slice(wrapper === 'timeout' ? 2 : 1)
    levels.push(level(rest, TRANSPARENT.has(wrapper)))
  }
}

function level(argv: string[], transparent: boolean): ShellLevel {
  const operands = argv.slice(1).filter(word => !word.startsWith('-'))
  const given = argv.slice(1).flatMap(word => {
    if (word.startsWith('--')) return [word.split('=')[0] ?? '']
    return /^-[A-Za-z]+$/.test(word)
      ? word
          .slice(1)
          .split('')
          .map(letter => `-${letter}`)
      : []
  })
  const flags = [...new Set(given.flatMap(flag => ALIASES.find(names => names.includes(flag)) ?? [flag]))]
  return {
    argv: argv.map(text => ({ text, kind: text.startsWith('$') ? 'dynamic' : 'static' })),
    transparent,
    program: argv[0] ?? '',
    ...(operands[0] !== undefined && { subcommand: operands[0] }),
    flags,
    operands,
  }
}

const READS = new Set(['cat', 'head', 'grep'])

function facetsOf(one: ShellSegment): Facet[] {
  const inner = one.levels.at(-1)!
  const base = { segment: one.index, flags: one.flags }
  const command: Facet = { ...base, category: one.category, verb: 'process.exec', argv: inner.argv.map(word => word.text) }
  const paths = inner.operands.map((path): Facet | null => {
    if (READS.has(one.program)) return { category: 'read', verb: 'file.read', segment: one.index, path, access: 'read', flags: [] }
    if (one.program === 'ls') return { category: 'read', verb: 'file.list', segment: one.index, path, access: 'list', flags: [] }
    if (!FILE_EFFECT.has(one.program)) return null
    const recursive = inner.flags.includes('-r')
    return {
      category: 'edit',
      verb: 'file.write',
      segment: one.index,
      path,
      access: one.program === 'rm' ? 'delete' : 'create',
      ...(recursive && { recursive }),
      flags: [],
    }
  })
  const hosts = NETWORK.has(one.program)
    ? inner.operands.map((host): Facet => ({ category: 'network', verb: 'net.get', segment: one.index, host, flags: [] }))
    : []
  return [command, ...paths.filter(facet => facet !== null), ...hosts]
}
