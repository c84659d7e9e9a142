import { expandBraces } from '../patterns/braces.ts'
import type { Flag } from '../types.ts'
import { type Arguments, hasOption, optionValues, readArguments } from './arguments.ts'
import { excludedNames } from './excluded.ts'
import { hostOf, remoteHost } from './hosts.ts'
import type { Call, HostUse, Judge, Judgement, PathUse } from './judgement.ts'
import { FIXED_HOSTS, SSH_RUNS, TRANSFERS, type TransferRow } from './network-table.ts'
import { CHANGING_KEYS, CHANGING_PAIRS, DEPENDENCY_KEY, FETCH_AND_RUN, PACKAGES } from './packages-table.ts'
import { staticWord, type Word } from './word.ts'

const MILD_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Judges a program that moves data between machines. */
export function judgeTransfer(row: TransferRow, call: Call): Judgement {
  const args = readArguments(call.args, row)
  const flags = new Set<Flag>()
  if (hasOption(args, row.strange ?? []) || startsProgram(args)) flags.add('ambiguous')
  const method = methodOf(row, args, call)
  if (method === 'DELETE') flags.add('destructive')
  const sends = hasOption(args, row.sends ?? []) || (method !== null && !MILD_METHODS.has(method))
  const verb = sends ? 'net.send' : row.verb
  const hosts = hostsOf(row, args, call).map((host): HostUse => ({ host: hasOption(args, row.bends ?? []) ? '*' : host, verb }))
  return {
    class: flags.has('destructive') ? 'destructive' : isLocal(row, hosts) ? 'other' : 'network',
    flags: [...flags],
    hosts,
    paths: pathsOf(row, args, call),
    knowsPaths: FIXED_HOSTS.get(call.base) === undefined,
    ...(call.base === 'ssh' && remoteCommand(args, call)),
  }
}

/** `rsync` and `scp` between two folders of this machine. */
function isLocal(row: TransferRow, hosts: readonly HostUse[]): boolean {
  return row.addresses === 'remote-paths' && hosts.length === 0
}

function startsProgram(args: Arguments): boolean {
  return optionValues(args, ['-o']).some(word => SSH_RUNS.test(word.text))
}

function methodOf(row: TransferRow, args: Arguments, call: Call): string | null {
  const given = optionValues(args, row.method ?? []).at(-1)
  if (given) return given.kind === 'static' ? given.text.toUpperCase() : '*'
  if (call.base !== 'http' && call.base !== 'https') return null
  const [first, ...items] = args.operands
  if (first && /^[A-Z]+$/.test(first.text)) return first.text
  return items.some(item => /[=@]/.test(item.text)) ? 'POST' : 'GET'
}

function hostsOf(row: TransferRow, args: Arguments, call: Call): string[] {
  const fixed = FIXED_HOSTS.get(call.base)
  if (fixed !== undefined) return [fixed]
  const urls = [...args.operands, ...optionValues(args, ['--url'])]
  if (row.addresses === 'remote-paths') return [...new Set(urls.flatMap(word => remoteHost(word) ?? []))]
  if (row.addresses === 'first') return [hostOf(urls[0])]
  const addresses = urls.filter(
    word => !/^(?:file:|\+)/i.test(word.text) && !(call.base.startsWith('http') && /^[A-Z]+$|[=@]/.test(word.text)),
  )
  if (addresses.length === 0 && urls.some(word => /^file:/i.test(word.text))) return []
  return addresses.length === 0 ? ['*'] : [...new Set(addresses.map(word => hostOf(call.base === 'dig' ? dropAt(word) : word)))]
}

function dropAt(word: Word): Word {
  return word.text.startsWith('@') ? { ...word, text: word.text.slice(1) } : word
}

function pathsOf(row: TransferRow, args: Arguments, call: Call): PathUse[] {
  const written = optionValues(args, row.writes ?? []).filter(word => word.text !== '-' && word.text !== '/dev/null')
  const read = optionValues(args, row.reads ?? []).filter(word => word.text !== '-')
  return [
    ...written.map((word): PathUse => ({ word, access: 'create' })),
    ...read.map((word): PathUse => ({ word, access: 'read' })),
    ...(PATHS_OF[call.base]?.(args, call) ?? []),
  ]
}

/** What single programs do with paths beyond their options. */
const PATHS_OF: Record<string, (args: Arguments, call: Call) => PathUse[]> = {
  curl: args => {
    const files = args.operands.filter(word => /^file:/i.test(word.text))
    const bodies = optionValues(args, [
      '-d',
      '-F',
      '--data',
      '--data-ascii',
      '--data-binary',
      '--data-urlencode',
      '--form',
      '--json',
      '-H',
      '--header',
      '-b',
      '-w',
    ])
    const folder = optionValues(args, ['--output-dir'])[0]
    const keepsName = hasOption(args, ['-O', '--remote-name', '--remote-name-all', '-J', '--remote-header-name'])
    return [
      ...files.map((word): PathUse => ({ word: staticWord(decoded(word.text.replace(/^file:(?:\/\/[^/]*)?/i, ''))), access: 'read' })),
      ...bodies.flatMap(word => attachedFile(word)),
      ...optionValues(args, ['--data-urlencode', '--url-query']).flatMap(word => behind(word, /^[^=]*@(.+)$/)),
      // A cookie without a value is the name of a file with cookies.
      ...optionValues(args, ['-b', '--cookie']).flatMap(word => behind(word, /^([^=]+)$/)),
      ...optionValues(args, ['-T', '--upload-file']).flatMap(({ text }) => expandBraces(text).map(read)),
      ...(keepsName ? [downloaded(args, folder)] : []),
    ]
  },
  wget: args => {
    const isElsewhere = hasOption(args, ['-O', '--output-document', '--spider'])
    return isElsewhere ? [] : [downloaded(args, optionValues(args, ['-P', '--directory-prefix'])[0])]
  },
  http: sentItems,
  https: sentItems,
  scp: copied,
  rsync: copied,
}

/** `@file` in a body, or behind an equals sign in a form. */
function attachedFile(word: Word): PathUse[] {
  const match = /^(?:[^=@]*=)?[@<]([^;]+)/.exec(word.text)
  return match?.[1] && match[1] !== '-' ? [{ word: { ...word, text: match[1] }, access: 'read' }] : []
}

/** `name@file`, `name=@file` and `@file` of httpie. */
function sentItems({ operands }: Arguments): PathUse[] {
  return operands.slice(1).flatMap(word => behind(word, /^[\w.[\]-]*(?::?=)?@(.+)$/))
}

function behind(word: Word, pattern: RegExp): PathUse[] {
  const name = pattern.exec(word.text)?.[1]
  return name === undefined || name === '-' ? [] : [{ word: { ...word, text: name }, access: 'read' }]
}

function read(text: string): PathUse {
  return { word: staticWord(text), access: 'read' }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** A file named by the other side: the last part of the address when that is certain, else anything in the folder. */
function downloaded(args: Arguments, folder: Word | undefined): PathUse {
  const [url, more] = args.operands
  const address = url?.text ?? ''
  const isBare = /^(?:\w+:\/\/)?[\w.:-]+\/?$/.test(address)
  const name = isBare ? 'index.html' : /\/\/[^/]+\/(?:[^?#]*\/)?([\w.-]*\w[\w.-]*)(?:[?#]|$)/.exec(address)?.[1]
  const isCertain =
    name !== undefined && more === undefined && url?.kind === 'static' && !hasOption(args, ['-J', '-r', '-m', '--recursive', '--mirror'])
  const base = folder ?? staticWord('.')
  return isCertain && base.kind === 'static'
    ? { word: staticWord(`${base.text}/${name}`), access: 'create' }
    : { word: base, access: 'create', recursive: true }
}

function copied(args: Arguments): PathUse[] {
  const isLocal = (word: Word): boolean => remoteHost(word) === null
  const target = args.operands.at(-1)
  const excludes = excludedNames(optionValues(args, ['--exclude']))
  const sources = args.operands.slice(0, -1).filter(isLocal)
  return [
    ...sources.map((word): PathUse => ({ word, access: 'read', recursive: true, ...(excludes.length > 0 && { excludes }) })),
    ...(target && isLocal(target) ? [{ word: target, access: 'create', recursive: true } satisfies PathUse] : []),
  ]
}

function remoteCommand(args: Arguments, call: Call): Pick<Judgement, 'flags'> {
  const command = args.operands.slice(1)
  // ssh looks for options behind the host once more, so that a dash there is not certainly the remote command's.
  const isOwn = startsProgram(args) || hasOption(args, TRANSFERS.get('ssh')?.strange ?? []) || command[0]?.text.startsWith('-')
  const harm = command.length === 0 ? [] : call.harmOf(command.map(word => word.text).join(' '))
  return { flags: [...new Set<Flag>(['remote-exec', ...harm, ...(isOwn ? (['ambiguous'] as const) : [])])] }
}

export const judgePackages: Judge = call => {
  const row = PACKAGES.get(call.base)
  const args = readArguments(call.args, PACKAGE_SHAPE)
  const [verb, second, third] = args.operands.map(word => word.text)
  const name = verb ?? (call.base === 'yarn' ? 'install' : '')
  if (!row) return fetchAndRun(call, args)
  const flags: Flag[] = []
  const pair = [call.base, verb, second].join(' ')
  const isPackageNamed = second !== undefined && row.changesWithOperand?.has(name)
  const changesKeys = CHANGING_KEYS.has(pair) && args.operands.slice(2).some(({ text }) => DEPENDENCY_KEY.test(text))
  if (row.changes.has(name) || isPackageNamed || changesKeys || CHANGING_PAIRS.has(pair) || CHANGING_PAIRS.has(`${pair} ${third}`))
    flags.push('dependency-change')
  const fetches = row.fetches.has(name)
  return {
    class: fetches ? 'network' : 'other',
    flags,
    hosts: fetches ? [{ host: '*', verb: name === 'publish' ? 'net.send' : 'net.get' }] : [],
  }
}

const PACKAGE_SHAPE = { values: 'CF', longValues: new Set(['prefix', 'filter', 'dir', 'cwd', 'workspace', 'manifest-path', 'registry']) }

function fetchAndRun(call: Call, args: Arguments): Judgement {
  const options = FETCH_AND_RUN.get(call.base)
  const fetches = options === null || (options !== undefined && hasOption(args, options)) || args.operands[0]?.text.includes('@') === true
  return { class: 'other', hosts: fetches ? [{ host: '*', verb: 'net.get' }] : [] }
}
