// Making the walls of a command takes longer than most commands do. Where others will follow, the next walls are made while the
// caller is busy elsewhere: bubblewrap is started with a shell in it that waits for its command and does nothing before it comes.
// It is used only where walls made anew would be the same.
import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { RunId } from '../../kernel/ids.ts'
import { readArguments } from '../isolation/bubblewrap-arguments.ts'
import type { ReadyLaunch } from './isolate.ts'
import { FIRST_FILE_FD, type Launched, launch as startProcess } from './launch.ts'
import { type Mark, newMark, type RunMarks } from './mark.ts'
import type { ProcessSpec } from './types.ts'

export interface Waiting {
  mark: Mark
  launched: Launched
  /** Hands the command over. */
  start: () => void
  /** The shell was gone before it could read its command, of which nothing was run. */
  wasGone: () => boolean
}

export interface WaitingRoom {
  /** One whose walls are those of this launch; null: none is there. */
  take: (spec: ProcessSpec, launch: ReadyLaunch) => Waiting | null
  /** Makes one like this launch, as soon as there is nothing else to do. */
  prepare: (spec: ProcessSpec, launch: ReadyLaunch) => void
  /** Ends the one of a run. */
  end: (run: RunId) => Promise<void>
}

/** The shell reads its command byte by byte; long ones go the usual way. */
const MOST_COMMAND = 4_096
const WAIT = `IFS= read -r -d "" -u ${FIRST_FILE_FD} command || exit 125; exec ${FIRST_FILE_FD}<&-; exec "$0" --noprofile --norc -o pipefail -c "$command"`

/** One takes about as long to be made as three short turns of a run. */
const MOST_WAITING = 2

interface Ready {
  key: string
  mark: Mark
  launched: Launched
}

export function createWaitingRoom(marks: RunMarks): WaitingRoom {
  const rooms = new Map<RunId, Set<Ready>>()
  const roomOf = (run: RunId): Set<Ready> => rooms.get(run) ?? rooms.set(run, new Set()).get(run) ?? new Set()
  const make = (run: RunId, room: Set<Ready>, { launch, shell }: { launch: ReadyLaunch; shell: string }): void => {
    // A run that has ended meanwhile has no room any more: nobody would end what waits for it.
    if (rooms.get(run) !== room || room.size >= MOST_WAITING) return
    const ready = makeReady(launch, shell, newMark(run, marks))
    room.add(ready)
    for (const event of ['error', 'exit'] as const) ready.launched.child.once(event, () => room.delete(ready))
  }
  return {
    take: (spec, launch) => {
      const command = commandOf(spec)
      if (command === null || !isFit(launch)) return null
      const room = roomOf(spec.run_id)
      const key = room.size === 0 ? '' : keyOf(launch)
      for (const ready of room) {
        room.delete(ready)
        if (ready.key === key) return handOver(ready, command)
        stop(ready.launched)
      }
      return null
    },
    prepare: (spec, launch) => {
      const shell = launch.argv[launch.argv.indexOf('--') + 1] ?? ''
      if (!isFit(launch) || !shell.endsWith('/bash')) return
      const room = roomOf(spec.run_id)
      setImmediate(() => make(spec.run_id, room, { launch, shell }))
    },
    end: async run => {
      const left = [...roomOf(run)]
      rooms.delete(run)
      await Promise.all(
        left.map(({ launched }) => {
          const over = once(launched.child, 'exit').catch(() => undefined)
          keepAlive(launched, true)
          stop(launched)
          return over
        }),
      )
    },
  }
}

function makeReady(launch: ReadyLaunch, shell: string, mark: Mark): Ready {
  const argv = [...wallsOf(launch), '--', shell, '--noprofile', '--norc', '-c', WAIT, shell]
  const key = keyOf(launch)
  const launched = startProcess({ ...launch, argv, env: { ...launch.env, QED_MARK: mark.value }, status: true, command: true })
  launched.child.on('error', () => undefined)
  launched.command?.on('error', () => undefined)
  keepAlive(launched, false)
  return { key, mark, launched }
}

function handOver({ mark, launched }: Ready, command: string): Waiting {
  keepAlive(launched, true)
  let gone = false
  return {
    mark,
    launched,
    start: () => void launched.command?.on('error', () => (gone = true)).end(`${command}\0`),
    wasGone: () => gone,
  }
}

function commandOf({ argv, stdin }: ProcessSpec): string | null {
  return !Array.isArray(argv) && argv.shell.length <= MOST_COMMAND && stdin === undefined ? argv.shell : null
}

function isFit({ namespaced, files }: ReadyLaunch): boolean {
  return namespaced && files.length === 0
}

function wallsOf({ argv }: ReadyLaunch): string[] {
  return argv.slice(0, argv.indexOf('--'))
}

/** Equal for launches with equal walls. A file that was replaced since is another one: the mount over it would be gone. */
function keyOf(launch: ReadyLaunch): string {
  const { cwd, umask, env } = launch
  const walls = wallsOf(launch)
  const places = readArguments(walls.slice(1)).mounts.map(({ to }) => identityOf(to))
  return JSON.stringify([walls, places, cwd, umask, { ...env, QED_MARK: '' }])
}

function identityOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}

// The whole group, because bubblewrap may not have come so far that its own end is the end of what it started; and without a command
// to come the shell in it goes by itself.
function stop({ child, command }: Launched): void {
  command?.destroy()
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself, and this process has not been told yet.
  }
}

// One that only waits must not keep this process from ending; it ends with its parent.
function keepAlive({ child, stdout, stderr, status, command }: Launched, alive: boolean): void {
  const word = alive ? 'ref' : 'unref'
  child[word]()
  for (const pipe of [stdout, stderr, status, command]) (pipe as (Writable & { ref?: () => void; unref?: () => void }) | null)?.[word]?.()
}
