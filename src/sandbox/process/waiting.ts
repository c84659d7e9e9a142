// Making the walls of a command takes longer than most commands do. Where others will follow, the next walls are made while the
// caller is busy elsewhere: bubblewrap is started with a shell in it that waits for its command and does nothing before it comes.
// It is used only where walls made anew would be the same.
import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { RunId } from '../../kernel/ids.ts'
import { readArguments } from '../isolation/bubblewrap-arguments.ts'
import type { ReadyLaunch } from './isolate.ts'
import { type Launched, launch as startProcess } from './launch.ts'
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
const WAIT = 'IFS= read -r -d "" -u 4 command || exit 125; exec 4<&-; exec "$0" --noprofile --norc -o pipefail -c "$command"'

export function createWaitingRoom(marks: RunMarks): WaitingRoom {
  const waiting = new Map<RunId, { key: string; mark: Mark; launched: Launched }>()
  const make = (run: RunId, launch: ReadyLaunch, shell: string): void => {
    if (waiting.has(run)) return
    const mark = newMark(run, marks)
    const argv = [...wallsOf(launch), '--', shell, '--noprofile', '--norc', '-c', WAIT, shell]
    const key = keyOf(launch)
    const launched = startProcess({ ...launch, argv, env: { ...launch.env, QED_MARK: mark.value }, status: true, command: true })
    launched.child.on('error', () => waiting.delete(run))
    launched.command?.on('error', () => undefined)
    launched.child.once('exit', () => {
      if (waiting.get(run)?.launched === launched) waiting.delete(run)
    })
    keepAlive(launched, false)
    waiting.set(run, { key, mark, launched })
  }
  return {
    take: (spec, launch) => {
      const command = commandOf(spec)
      const found = waiting.get(spec.run_id)
      if (!found || command === null) return null
      waiting.delete(spec.run_id)
      if (!isFit(launch) || found.key !== keyOf(launch)) {
        stop(found.launched)
        return null
      }
      keepAlive(found.launched, true)
      let gone = false
      return {
        mark: found.mark,
        launched: found.launched,
        start: () => void found.launched.command?.on('error', () => (gone = true)).end(`${command}\0`),
        wasGone: () => gone,
      }
    },
    prepare: (spec, launch) => {
      const shell = launch.argv[launch.argv.indexOf('--') + 1] ?? ''
      if (isFit(launch) && shell.endsWith('/bash')) setImmediate(() => make(spec.run_id, launch, shell))
    },
    end: async run => {
      const found = waiting.get(run)
      if (!found) return
      waiting.delete(run)
      const over = once(found.launched.child, 'exit').catch(() => undefined)
      keepAlive(found.launched, true)
      stop(found.launched)
      await over
    },
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
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
}

// One that only waits must not keep this process from ending; it ends with its parent.
function keepAlive({ child, stdout, stderr, status, command }: Launched, alive: boolean): void {
  const word = alive ? 'ref' : 'unref'
  child[word]()
  for (const pipe of [stdout, stderr, status, command]) (pipe as (Writable & { ref?: () => void; unref?: () => void }) | null)?.[word]?.()
}
