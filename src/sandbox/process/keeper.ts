// Bubblewrap ends with its parent, but not at every moment: what it is about to put behind walls waits for it, or goes on, when it is
// killed in the middle. So a small shell stands by: it is told of every group that is started and every one that is over, and when
// this process is gone, however that came, it kills the groups that are left.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

const STAND_BY = `
while read -r word pid; do
  case $word in
    begun) groups="$groups $pid" ;;
    over) left=; for group in $groups; do [ "$group" = "$pid" ] || left="$left $group"; done; groups=$left ;;
  esac
done
for group in $groups; do kill -9 "-$group"; done 2>/dev/null`

let keeper: ReturnType<typeof standBy> | undefined
/** All that began and is not over: one that takes the place of a keeper which was killed has to know. */
const groups = new Set<number>()

/** Where a process that leads its group says `begun <pid>` by itself: this process may be killed before it could say it. */
export function keeperInput(): Writable {
  keeper ??= standBy()
  return keeper.stdin
}

/** To be told of every group that was given the keeper's input. */
export function watchGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  groups.add(pid)
  child.once('exit', () => {
    groups.delete(pid)
    keeper?.stdin.write(`over ${pid}\n`)
  })
}

// In a session of its own: a Ctrl-C at the terminal must not take it away before its time.
function standBy(): ChildProcessByStdio<Writable, null, null> {
  const child = spawn('/bin/sh', ['-c', STAND_BY], { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const isGone = (): void => {
    if (keeper === child) keeper = undefined
  }
  child.on('error', isGone).on('exit', isGone)
  child.stdin.on('error', isGone).on('close', isGone)
  child.unref()
  ;(child.stdin as unknown as { unref?: () => void }).unref?.()
  for (const pid of groups) child.stdin.write(`begun ${pid}\n`)
  return child
}
