// Making the walls of a command takes longer than most commands do. Where others will follow, the walls of the last one are used again
// if it left nothing behind in them; else new ones are made while the caller is busy elsewhere. They are used only where walls made
// anew would be the same.
import { lstatSync } from 'node:fs'
import type { RunId } from '../../kernel/ids.ts'
import { readArguments } from '../isolation/bubblewrap-arguments.ts'
import type { ReadyLaunch, RefusedLaunch } from './isolate.ts'
import type { Mark } from './mark.ts'
import type { ProcTable } from './proc-table.ts'
import { keepAlive, type Standing, standUp, type Told, wallsOf } from './standing.ts'
import type { ProcessOutcome, ProcessSpec } from './types.ts'

/** Walls for one command. */
export interface Seat extends Pick<Standing, 'launched' | 'status' | 'exited' | 'wasTaken' | 'dismiss'> {
  carryOut: () => Promise<Told>
  /** To be called when the command is over. */
  leave: (outcome: ProcessOutcome) => Promise<void>
}

interface Guest {
  spec: ProcessSpec
  launch: ReadyLaunch
  mark: Mark
}

export interface WaitingRoom {
  /** Gives walls like those of a launch, or null: it must be started by itself. To be asked before anything else is awaited: for one
   *  that comes when its run has ended meanwhile, no walls are kept. */
  enter: (run: RunId) => (guest: Guest) => Seat | null
  /** Makes walls for a command that is likely to come. */
  expect: (spec: ProcessSpec, launching: Promise<ReadyLaunch | RefusedLaunch>) => Promise<void>
  /** Ends what waits for a run. */
  end: (run: RunId) => Promise<void>
}

/** The shell reads its command byte by byte; long ones go the usual way. */
const MOST_COMMAND = 4_096
const MOST_WAITING = 2

interface Room {
  waiting: Map<Standing, string>
  ending: Set<Promise<void>>
}

export function createWaitingRoom(table: ProcTable): WaitingRoom {
  const rooms = new Map<RunId, Room>()
  const roomOf = (run: RunId): Room => {
    const room = rooms.get(run) ?? { waiting: new Map(), ending: new Set() }
    rooms.set(run, room)
    return room
  }
  const built = (room: Room, { launch, shell }: Wanted): Standing => {
    const standing = standUp(launch, shell, table)
    void standing.exited.then(() => room.waiting.delete(standing))
    return standing
  }
  const wait = (room: Room, standing: Standing, key: string): void => {
    room.waiting.set(standing, key)
    keepAlive(standing.launched, false)
  }
  const end = (room: Room, standing: Standing): Promise<void> => {
    const over = standing.end().finally(() => room.ending.delete(over))
    room.ending.add(over)
    return over
  }
  const make = (run: RunId, room: Room, wanted: Wanted): void => {
    // A run that has ended meanwhile has no room any more: nobody would end what waits for it.
    if (rooms.get(run) === room && room.waiting.size === 0) wait(room, built(room, wanted), wanted.key)
  }
  /** In the place of walls in which something was left, others are made. */
  const renew = (run: RunId, room: Room, { standing, wanted }: { standing: Standing; wanted: Wanted }): void => {
    if (!room.waiting.has(standing) || standing.isAsNew()) return
    room.waiting.delete(standing)
    void end(room, standing)
    make(run, room, wanted)
  }
  const found = (room: Room, key: string): Standing | undefined => {
    for (const [standing, itsKey] of room.waiting) {
      room.waiting.delete(standing)
      if (itsKey === key && standing.isAsNew()) return standing
      void end(room, standing)
    }
    return undefined
  }
  return {
    enter: run => {
      const room = roomOf(run)
      const isOpen = (): boolean => rooms.get(run) === room
      return ({ spec, launch, mark }) => {
        const command = commandOf(spec)
        const wanted = wantedFor(launch)
        if (command === null || wanted === null) return null
        const standing = found(room, wanted.key) ?? built(room, wanted)
        keepAlive(standing.launched, true)
        return {
          ...standing,
          carryOut: () => standing.carryOut(command, mark.value),
          leave: async ({ reason }) => {
            if (isOpen() && standing.isResting() && room.waiting.size < MOST_WAITING) {
              wait(room, standing, wanted.key)
              setImmediate(() => renew(run, room, { standing, wanted }))
              return
            }
            const over = end(room, standing)
            if (!isOpen()) await over
            // One that was called off may be the last.
            else if (reason !== 'aborted') setImmediate(() => make(run, room, wanted))
          },
        }
      }
    },
    expect: async ({ run_id }, launching) => {
      const room = roomOf(run_id)
      const launch = await launching
      const wanted = launch.kind === 'ready' ? wantedFor(launch) : null
      if (wanted) make(run_id, room, wanted)
    },
    end: async run => {
      const room = rooms.get(run)
      rooms.delete(run)
      if (!room) return
      for (const standing of room.waiting.keys()) void end(room, standing)
      await Promise.all(room.ending)
    },
  }
}

interface Wanted {
  launch: ReadyLaunch
  shell: string
  key: string
}

/** What a bash does at its start or while it waits is done by these; each command has to have it done anew. */
const TOLD_TO_BASH = /^(?:BASH|SHELLOPTS$|POSIXLY_CORRECT$|TMOUT$)/

/** Null where the walls are for one command alone; so are those in which a secret is. */
function wantedFor(launch: ReadyLaunch): Wanted | null {
  const shell = launch.argv[launch.argv.indexOf('--') + 1] ?? ''
  const isForOne = launch.files.length + launch.secrets.length > 0 || Object.keys(launch.env).some(name => TOLD_TO_BASH.test(name))
  return launch.namespaced && shell.endsWith('/bash') && !isForOne ? { launch, shell, key: keyOf(launch) } : null
}

function commandOf({ argv, stdin }: ProcessSpec): string | null {
  if (Array.isArray(argv) || stdin !== undefined) return null
  // A zero byte is where a command ends.
  return argv.shell.length <= MOST_COMMAND && !argv.shell.includes('\0') ? argv.shell : null
}

/** Equal for launches with equal walls. A file that was replaced since is another one: the mount over it would be gone. */
function keyOf(launch: ReadyLaunch): string {
  const walls = wallsOf(launch)
  const { mounts, cwd } = readArguments(walls.slice(1))
  const places = mounts.flatMap(mount => ('from' in mount ? [mount.from, mount.to] : [mount.to]))
  return JSON.stringify([walls, Array.from(new Set([...places, cwd]), identityOf), launch.umask, { ...launch.env, QED_MARK: '' }])
}

// Many disks give the number of a file that was removed to the next one that is made; the times tell them apart.
function identityOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  return found ? [path, found.dev, found.ino, found.birthtimeNs, found.isDirectory() ? '' : found.ctimeNs].join(':') : path
}
