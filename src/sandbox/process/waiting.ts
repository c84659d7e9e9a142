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
  /** Walls like those of this launch, or null: it must be started by itself. */
  take: (guest: Guest) => Seat | null
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
  const wait = (room: Room, standing: Standing, key: string): void => {
    room.waiting.set(standing, key)
    keepAlive(standing.launched, false)
    void standing.exited.then(() => room.waiting.delete(standing))
  }
  const end = (room: Room, standing: Standing): Promise<void> => {
    const over = standing.end().finally(() => room.ending.delete(over))
    room.ending.add(over)
    return over
  }
  const make = (run: RunId, room: Room, { launch, shell, key }: Wanted): void => {
    // A run that has ended meanwhile has no room any more: nobody would end what waits for it.
    if (rooms.get(run) === room && room.waiting.size === 0) wait(room, standUp(launch, shell, table), key)
  }
  const found = (room: Room, key: string): Standing | undefined => {
    for (const [standing, itsKey] of room.waiting) {
      room.waiting.delete(standing)
      if (itsKey === key) return standing
      void end(room, standing)
    }
    return undefined
  }
  return {
    take: ({ spec, launch, mark }) => {
      const command = commandOf(spec)
      const wanted = wantedFor(launch)
      if (command === null || wanted === null) return null
      const room = roomOf(spec.run_id)
      const standing = found(room, wanted.key) ?? standUp(launch, wanted.shell, table)
      keepAlive(standing.launched, true)
      const isOpen = (): boolean => rooms.get(spec.run_id) === room
      return {
        ...standing,
        carryOut: () => standing.carryOut(command, mark.value),
        leave: async ({ reason }) => {
          if (isOpen() && standing.isAsNew() && room.waiting.size < MOST_WAITING) return wait(room, standing, wanted.key)
          const over = end(room, standing)
          if (!isOpen()) await over
          // One that was called off may be the last.
          else if (reason !== 'aborted') setImmediate(() => make(spec.run_id, room, wanted))
        },
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

/** Null where the walls are for one command alone. */
function wantedFor(launch: ReadyLaunch): Wanted | null {
  const shell = launch.argv[launch.argv.indexOf('--') + 1] ?? ''
  return launch.namespaced && launch.files.length === 0 && shell.endsWith('/bash') ? { launch, shell, key: keyOf(launch) } : null
}

function commandOf({ argv, stdin }: ProcessSpec): string | null {
  return !Array.isArray(argv) && argv.shell.length <= MOST_COMMAND && stdin === undefined ? argv.shell : null
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
