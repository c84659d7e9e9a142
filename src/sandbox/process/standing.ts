// Walls that stand, with a shell in them that carries out one command after the other, each in a shell of its own. After a command
// it kills everything else in there. Between two commands nothing in there runs: the shell itself is stopped, from outside.
import type { Duplex } from 'node:stream'
import { setImmediate as nextRound } from 'node:timers/promises'
import { once } from '../../kernel/once.ts'
import { endMarked, gone, sameProcess, signalSame } from './endings.ts'
import type { ReadyLaunch } from './isolate.ts'
import { type Exit, exitOf, FIRST_FILE_FD, type Launched, launch as startProcess } from './launch.ts'
import { entryOf } from './mark.ts'
import { descendantsOf, type ProcessFacts, type ProcTable } from './proc-table.ts'
import { readStatus, type SandboxStatus } from './sandbox-status.ts'
import { watchTraces } from './traces.ts'
import { LIMITS } from './types.ts'

export interface Standing {
  launched: Launched
  status: SandboxStatus
  exited: Promise<Exit>
  /** Hands a command over; settles when it has ended and the shell is stopped. Never, where the shell is gone before that. */
  carryOut: (command: string, mark: string) => Promise<Told>
  /** The shell has read its command. Before that, nothing of it was run. */
  wasTaken: () => boolean
  /** No command will follow: the shell goes when the one it carries out is over, and at once where there is none. */
  dismiss: () => void
  /** Whether the shell is stopped, and alone. */
  isResting: () => boolean
  /** Whether everything is as it was before the first command. */
  isAsNew: () => boolean
  /** Kills it, and waits until everything in there is gone. */
  end: () => Promise<void>
}

export interface Told extends Exit {
  /** False: something in there would not die. */
  alone: boolean
  /** Processes that the command had left running; they were killed. */
  running: number
}

// Everything it says itself goes nowhere: words about how a command ended are not the command's. It is not killed by a command that
// signals its whole group. And it never kills everything else unless it is in a namespace of its own, where it is the second process.
// With how a command ended it tells how many processes it left, besides the two that are always there, and whether shared memory,
// queues or semaphores are left: only from in there they can be seen.
const SERVE = `[ $$ = 2 ] || exit 125
trap : HUP INT QUIT TERM USR1 USR2 ALRM
exec 8>&2 2>/dev/null
echo ready >&${FIRST_FILE_FD}
while IFS= read -r -d "" -u ${FIRST_FILE_FD} QED_MARK && IFS= read -r -d "" -u ${FIRST_FILE_FD} QED_COMMAND; do
  echo taken >&${FIRST_FILE_FD}
  SHLVL=0 "$0" --noprofile --norc -o pipefail -c "$QED_COMMAND" 2>&8 8>&- ${FIRST_FILE_FD}>&-
  QED_TOLD=$?
  QED_LEFT=0
  for QED_KIND in /proc/[0-9]*; do
    case $QED_KIND in /proc/[12]) continue ;; esac
    read -r QED_LINE <$QED_KIND/stat && [[ \${QED_LINE##*) } != Z* ]] && QED_LEFT=$((QED_LEFT + 1))
  done
  kill -KILL -1
  QED_TOLD+=" $QED_LEFT"
  for QED_KIND in msg sem shm; do { read -r QED_LINE && read -r QED_LINE; } </proc/sysvipc/$QED_KIND && QED_TOLD+=" left"; done
  echo "$QED_TOLD" >&${FIRST_FILE_FD}
done`

/** How long what was killed may take to be gone. */
const MOST_DYING_MS = 200

export function standUp(launch: ReadyLaunch, shell: string, table: ProcTable): Standing {
  const argv = [...wallsOf(launch), '--', shell, '--noprofile', '--norc', '-c', SERVE, shell]
  const launched = startProcess({ ...launch, argv, status: true, commands: true })
  const status = readStatus(launched.status, table)
  const exited = exitOf(launched.child)
  const lines = linesOf(launched.commands)
  const inside = lines.next().then(() => lookInside(launch, status, table))
  let isResting = false
  let isUnchanged = (): boolean => true
  let now: 'free' | 'handed over' | 'taken' = 'free'
  let dismissed = false
  return {
    launched,
    status,
    exited,
    carryOut: async (command, mark) => {
      const found = await inside
      isResting = false
      // Called off before it began: there is nobody any more who could carry it out.
      if (launched.commands?.writable !== true) return new Promise(() => undefined)
      now = 'handed over'
      found?.goOn()
      launched.commands.write(`${mark}\0${command}\0`)
      await lines.next()
      now = 'taken'
      const [exit, running, left] = (await lines.next()).split(' ')
      isResting = (await found?.stop(() => !dismissed)) ?? false
      // Nothing in there runs any more: it can be looked at whenever there is time for it, and once is enough.
      isUnchanged = once(() => left === undefined && found?.isUnchanged() === true)
      return { exit: Number(exit), signal: null, alone: isResting, running: Number(running) }
    },
    wasTaken: () => now === 'taken',
    dismiss: () => {
      dismissed = true
      if (now === 'free') killGroup(launched)
      else launched.commands?.end()
    },
    isResting: () => isResting,
    isAsNew: () => isUnchanged(),
    end: async () => {
      keepAlive(launched, true)
      killGroup(launched)
      await exited
      // With its end the kernel ends everything else in there. Where it is not known yet, whatever carries the mark is looked for.
      const init = status.init()
      if (init) await gone(() => sameProcess(table, init), LIMITS.lookMs)
      else await endMarked([entryOf(launch.env['QED_MARK'] ?? '')], table)
    },
  }
}

/** What is in there besides a command. */
interface Inside {
  goOn: () => void
  /** Stops the shell once it is alone; false: it does not come to be, or is not wanted any more. One that is about to end must be
   *  able to. */
  stop: (isWanted: () => boolean) => Promise<boolean>
  isUnchanged: () => boolean
}

async function lookInside(launch: ReadyLaunch, status: SandboxStatus, table: ProcTable): Promise<Inside | null> {
  // Both words are there; this one may have been read first.
  for (let rounds = 0; status.init() === null && rounds < 2; rounds++) await nextRound()
  const init = status.init()
  const shell = init && descendantsOf(table, init.pid)[0]
  if (!shell) return null
  const others = (): ProcessFacts[] => descendantsOf(table, init.pid).filter(({ pid }) => pid !== shell.pid)
  return {
    goOn: () => signalSame(shell, 'SIGCONT', table),
    stop: async isWanted => {
      if ((await gone(others, MOST_DYING_MS)).length > 0 || !isWanted()) return false
      signalSame(shell, 'SIGSTOP', table)
      return others().length === 0
    },
    isUnchanged: watchTraces({ init, shell, args: wallsOf(launch).slice(1) }),
  }
}

/** One line after the other; one that nobody waits for yet is kept. */
function linesOf(pipe: Duplex | null): { next: () => Promise<string> } {
  let text = ''
  let wake = (): void => undefined
  pipe?.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    wake()
  })
  return {
    next: async () => {
      while (!text.includes('\n')) await new Promise<void>(resolve => (wake = resolve))
      const [line = '', ...rest] = text.split('\n')
      text = rest.join('\n')
      return line
    },
  }
}

// The whole group, because bubblewrap may not have come so far that its own end is the end of what it started; and without a command
// to come the shell in it goes by itself.
function killGroup({ child, commands }: Launched): void {
  commands?.destroy()
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself, and this process has not been told yet.
  }
}

/** One that only waits must not keep this process from ending; it ends with its parent. */
export function keepAlive({ child, stdout, stderr, status, commands }: Launched, alive: boolean): void {
  const word = alive ? 'ref' : 'unref'
  child[word]()
  for (const pipe of [stdout, stderr, status, commands]) (pipe as Partial<Record<'ref' | 'unref', () => void>> | null)?.[word]?.()
}

export function wallsOf({ argv }: ReadyLaunch): string[] {
  return argv.slice(0, argv.indexOf('--'))
}
