// What a command can leave behind inside walls although every process in them is gone: something in the folders that are theirs alone,
// ports of their own network that stay taken for a while, and other limits for the shell that starts the next one.
import { type BigIntStats, lstatSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '../isolation/bubblewrap-arguments.ts'
import type { NamedProcess } from './endings.ts'

export interface Walls {
  init: NamedProcess
  /** It starts the commands, which have their limits from it. */
  shell: NamedProcess
  /** The arguments that they were made with. */
  args: readonly string[]
}

/** Tells whether everything is as it is now. False, too, where it cannot be looked at. */
export function watchTraces({ init, shell, args }: Walls): () => boolean {
  const { mounts, flags } = readArguments(args)
  const folders = mounts.flatMap(({ kind, to }) => (kind === 'tmpfs' || kind === 'dev' ? [`/proc/${init.pid}/root${to}`] : []))
  // The first is quick whatever was left, and the others are only once it found nothing more than before.
  const looks = [
    () => folders.map(usedIn),
    () => folders.map(folder => itemsOf(folder)),
    () => (flags.has('--unshare-net') ? portsOf(init) : []),
    () => termsOf(shell),
  ].map(look => () => ifSeen(() => JSON.stringify(look())))
  const before = looks.map(look => look())
  return () => looks.every((look, i) => before[i] !== null && look() === before[i])
}

function usedIn(folder: string): string {
  const { files, ffree, blocks, bfree } = statfsSync(folder)
  return `${files - ffree}:${blocks - bfree}`
}

// Something may come and go in a folder without a trace, so that of folders only their names and permissions count. What is mounted in
// there is not theirs alone.
function itemsOf(folder: string, root = lstatSync(folder, { bigint: true })): string[] {
  const items = readdirSync(folder).map(name => ({ path: join(folder, name), found: lstatSync(join(folder, name), { bigint: true }) }))
  const own = items.filter(({ found }) => found.dev === root.dev)
  return [
    `${folder} ${factsOf(lstatSync(folder, { bigint: true }))}`,
    ...own.flatMap(({ path, found }) => (found.isDirectory() ? itemsOf(path, root) : [`${path} ${factsOf(found)}`])),
  ]
}

function factsOf(found: BigIntStats): string {
  return [found.ino, found.mode, found.isDirectory() ? '' : found.ctimeNs].join(':')
}

/** How many are in use, or were a moment ago. */
function portsOf({ pid }: NamedProcess): string[] {
  const text = ['sockstat', 'sockstat6'].map(name => ifSeen(() => readFileSync(`/proc/${pid}/net/${name}`, 'utf8')) ?? '').join('\n')
  return text.match(/^\w+: inuse \d+|\btw \d+/gm) ?? []
}

/** In the order of the kernel: the state of a process is the first one after its name. */
const STAT = { nice: 16, realtime: 37, scheduling: 38 }

function termsOf({ pid }: NamedProcess): string[] {
  const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const stat = read('stat')
  const facts = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const processors = /^Cpus_allowed:.*$/m.exec(read('status'))?.[0] ?? ''
  return [read('limits'), read('oom_score_adj'), processors, ...Object.values(STAT).map(at => facts[at] ?? '')]
}

function ifSeen<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    // It may not be looked at, or it is gone.
    return null
  }
}
