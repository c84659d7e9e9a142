import type { Flag } from '../types.ts'
import { judgeCpio, judgeSevenZip, judgeTar, judgeUnzip, judgeZip } from './archives.ts'
import { longNames, readArguments } from './arguments.ts'
import { BUILTINS } from './builtins.ts'
import { canHarm, destructiveFlags, graveFlags } from './destructive.ts'
import { FILE_EFFECTS } from './file-effect-table.ts'
import { judgeFileEffect } from './file-effects.ts'
import { judgeFind } from './find.ts'
import { judgeGit } from './git.ts'
import { flagsOfOrders, INTERPRETERS, judgeInterpreter } from './interpreters.ts'
import type { Call, Judge, Judgement } from './judgement.ts'
import { judgePackages, judgeTransfer } from './network.ts'
import { TRANSFERS } from './network-table.ts'
import { FETCH_AND_RUN, PACKAGES } from './packages-table.ts'
import { judgePatch } from './patches.ts'
import { judgeReadOnly } from './readonly.ts'
import { READ_ONLY, TELLS_VERSION } from './readonly-table.ts'
import { judgeSql, SQL_CLIENTS } from './sql.ts'
import { SUBCOMMANDS, type SubcommandRow } from './subcommand-table.ts'
import { judgeAwk, judgeDd, judgeSed, judgeXxd } from './text-programs.ts'
import { WRAPPERS } from './wrapper-table.ts'

/** Null hands on to the next judge of the same program. */
type MaybeJudge = (call: Call) => Judgement | null

function judgeSubcommand(row: SubcommandRow, call: Call): Judgement | null {
  const args = readArguments(call.args, row)
  const [first = '', second = ''] = args.operands.map(word => (word.kind === 'static' ? word.text : ''))
  if (!row.reads.has(first) && !row.reads.has(`${first} ${second}`)) return null
  if (row.leads && call.args[0] !== args.operands[0]) return null
  if (row.only.length > 0 && !args.options.every(option => row.only.includes(option.name))) return null
  if (row.holds && !row.holds(call.args)) return null
  const files = row.readsOperands ? args.operands.slice(1) : []
  return {
    class: 'read-only',
    hosts: row.host === undefined ? [] : [{ host: row.host, verb: 'net.get' }],
    paths: files.map(word => ({ word, access: 'read' })),
  }
}

const CONTAINER_SHAPE = {
  values: 'aehlmpuvwcf',
  longValues: longNames(
    'env env-file user workdir name volume mount network entrypoint publish label hostname platform memory cpus gpus file profile',
  ),
  stopsAtOperand: true,
}

/** A command inside a container or a cluster: nothing here knows what its paths mean there. */
function judgeRemote(call: Call): Judgement | null {
  const words = call.args.filter((word, i) => !(i === 0 && word.text === 'compose'))
  const at = words.findIndex(word => word.text === 'exec' || word.text === 'run')
  if (at < 0 || at > 4 || (call.base === 'kubectl' && words[at]?.text === 'run')) return null
  const dashes = words.findIndex(word => word.text === '--')
  const command = dashes > at ? words.slice(dashes + 1) : readArguments(words.slice(at + 1), CONTAINER_SHAPE).operands.slice(1)
  return { class: 'other', flags: ['remote-exec', ...(command.length > 0 ? call.harmOf(command) : [])] }
}

/** `python -m pip` is pip. */
function judgeModule(call: Call): Judgement | null {
  const at = call.args.findIndex(word => !/^-[bBdEiIOPqsSuvx]+$/.test(word.text))
  const name = call.args[at + 1]?.text ?? ''
  if (call.args[at]?.text !== '-m' || !PACKAGES.has(name)) return null
  return judgePackages({ ...call, base: name, args: call.args.slice(at + 2) })
}

/** Starts other commands in ways that are not followed; only their worst is looked for. */
const judgeStarter: Judge = call => {
  const at = call.args.findIndex(word => !word.text.startsWith('-'))
  const found = new Set<Flag>(['ambiguous'])
  for (let i = at; i >= 0 && i < Math.min(call.args.length, at + 4); i++) {
    const word = call.args[i]
    const harm = word?.text.includes(' ') ? call.harmOf(word.text) : call.harmOf(call.args.slice(i))
    for (const flag of harm) found.add(flag)
  }
  return { class: 'other', flags: [...found] }
}

const PRIVILEGED: Judgement = { class: 'other', flags: ['privileged'] }

const JUDGES: ReadonlyMap<string, readonly MaybeJudge[]> = collect([
  ...[...TELLS_VERSION].map((name): [string, MaybeJudge] => [name, tellsVersion]),
  ...BUILTINS,
  ['sed', judgeSed],
  ...['awk', 'gawk', 'mawk'].map((name): [string, MaybeJudge] => [name, judgeAwk]),
  ['dd', judgeDd],
  ...['tar', 'bsdtar', 'gtar'].map((name): [string, MaybeJudge] => [name, judgeTar]),
  ['unzip', judgeUnzip],
  ['zipinfo', judgeUnzip],
  ['cpio', judgeCpio],
  ...['7z', '7za', '7zr', '7zz'].map((name): [string, MaybeJudge] => [name, judgeSevenZip]),
  ['zip', judgeZip],
  ['patch', judgePatch],
  ['xxd', judgeXxd],
  ['find', judgeFind],
  ['git', judgeGit],
  ...[...READ_ONLY].map(([name, row]): [string, MaybeJudge] => [name, call => judgeReadOnly(row, call)]),
  ...[...FILE_EFFECTS].map(([name, row]): [string, MaybeJudge] => [name, call => judgeFileEffect(row, call)]),
  ...[...SUBCOMMANDS].map(([name, row]): [string, MaybeJudge] => [name, call => judgeSubcommand(row, call)]),
  ...['docker', 'podman', 'kubectl', 'docker-compose', 'podman-compose', 'oc'].map((name): [string, MaybeJudge] => [name, judgeRemote]),
  ...[...TRANSFERS].map(([name, row]): [string, MaybeJudge] => [name, call => judgeTransfer(row, call)]),
  ...[...PACKAGES.keys(), ...FETCH_AND_RUN.keys()].map((name): [string, MaybeJudge] => [name, judgePackages]),
  ...[...SQL_CLIENTS.keys()].map((name): [string, MaybeJudge] => [name, judgeSql]),
  ...['python', 'python3', 'pypy', 'pypy3'].map((name): [string, MaybeJudge] => [name, judgeModule]),
  ...[...INTERPRETERS].map(([name, row]): [string, MaybeJudge] => [name, call => judgeInterpreter(row, call)]),
  // What needs higher rights and shows no command: a log-in, an edit, a list.
  ...[...WRAPPERS].filter(([, row]) => row.treatment === 'privileged').map(([name]): [string, MaybeJudge] => [name, () => PRIVILEGED]),
  ['sudoedit', () => PRIVILEGED],
  ...['parallel', 'watch', 'strace', 'ltrace', 'script', 'entr', 'socat', 'rush'].map((name): [string, MaybeJudge] => [name, judgeStarter]),
])

function collect(pairs: [string, MaybeJudge][]): ReadonlyMap<string, readonly MaybeJudge[]> {
  const map = new Map<string, MaybeJudge[]>()
  for (const [name, judge] of pairs) map.set(name, [...(map.get(name) ?? []), judge])
  return map
}

function tellsVersion({ args }: Call): Judgement | null {
  const isAsked = args.length === 1 && (args[0]?.text === '--version' || args[0]?.text === '--help')
  return isAsked ? { class: 'read-only', knowsPaths: true } : null
}

/** Judges one simple command whose wrappers are off. */
export function judge(call: Call): Judgement {
  const found = firstJudgement(call)
  const harm = [...destructiveFlags(call), ...(found.wipes ? graveFlags(found.wipes, call) : []), ...harmBehind(call)]
  const flags = [...(found.flags ?? []), ...flagsOfOrders(call)]
  // A program of another folder is not the known one, but what it would destroy counts all the same.
  const trusted: Judgement =
    call.name === null ? { class: 'other', flags, hosts: found.hosts ?? [], inner: found.inner ?? [] } : { ...found, flags }
  if (harm.length === 0) return trusted
  return { ...trusted, class: 'destructive', flags: [...(trusted.flags ?? []), ...harm] }
}

const STARTERS = new Set([...PACKAGES.keys(), ...FETCH_AND_RUN.keys()])

/** Whatever else a program does, it may start the command among its words. */
function harmBehind(call: Call): Flag[] {
  if (JUDGES.has(call.base) && !STARTERS.has(call.base)) return []
  const at = call.args.findIndex(word => word.kind === 'static' && canHarm(word.text))
  return at < 0 ? [] : call.harmOf(call.args.slice(at))
}

function firstJudgement(call: Call): Judgement {
  for (const candidate of JUDGES.get(call.base) ?? []) {
    const judgement = candidate(call)
    if (judgement) return judgement
  }
  return { class: 'other' }
}

/** Whether operands that a listing adds can only be read. */
export function isFeedable(name: string | null): boolean {
  return name !== null && (READ_ONLY.get(name)?.feedable === true || name === 'echo' || name === 'printf' || name === 'test')
}
