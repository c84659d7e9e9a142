import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { type Duplex, Readable, type Writable } from 'node:stream'
import { isErrno } from '../../store/files.ts'
import { keeperInput, watchGroup } from './keeper.ts'

/** A process as it is really started, after isolation had its say. */
export interface Launch {
  argv: string[]
  cwd: string
  env: Record<string, string>
  umask: string
  stdin?: Uint8Array | Readable | undefined
  /** Bubblewrap tells on descriptor 3 how far it came. */
  status: boolean
  /** Read by bubblewrap from descriptors 5, 6, …; so the bytes are never on a disk. */
  files: Uint8Array[]
  /** It takes commands from the first of these descriptors, and answers there. */
  commands?: boolean
}

export interface Launched {
  child: ChildProcess
  stdout: Readable
  stderr: Readable
  /** Bubblewrap's reports, as JSON lines; null without it. */
  status: Readable | null
  /** Where its commands go and its answers come from, if it takes any. */
  commands: Duplex | null
}

export interface Exit {
  exit: number | null
  signal: string | null
}

const STATUS_FD = 3
const KEEPER_FD = 4
export const FIRST_FILE_FD = 5
// umask and core limit are set in the child: set here they would hold for this whole process.
const PREAMBLE = 'umask "$1"; ulimit -c 0; shift; exec "$@"'
// The same, with its group put into the keeper's hands first.
const KEPT_PREAMBLE = `umask "$1"; ulimit -c 0; shift; echo "begun $$" >&${KEEPER_FD}; exec ${KEEPER_FD}>&-; exec "$@"`

/** Starts it in its own session and group. Throws nothing: a failure comes as the child's `error` event. */
export function launch({ argv, cwd, env, umask, stdin, status, files, commands = false }: Launch): Launched {
  const more = [...files, ...(commands ? [commands] : [])].map(() => 'pipe' as const)
  const extra = status ? ['pipe' as const, keeperInput(), ...more] : []
  const child = spawn('/bin/sh', ['-c', status ? KEPT_PREAMBLE : PREAMBLE, 'qed', umask, ...argv], {
    cwd,
    env,
    detached: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...extra],
  })
  if (status) watchGroup(child)
  const pipes = child.stdio as (Readable | Writable | null | undefined)[]
  for (const pipe of pipes) pipe?.on('error', () => undefined)
  feed(pipes[0] as Writable | null, stdin)
  for (const [i, bytes] of files.entries()) feed(pipes[FIRST_FILE_FD + i] as Writable | null, bytes)
  return {
    child,
    stdout: pipes[1] as Readable,
    stderr: pipes[2] as Readable,
    status: (pipes[STATUS_FD] as Readable | null | undefined) ?? null,
    commands: commands ? (pipes[FIRST_FILE_FD] as Duplex) : null,
  }
}

export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise(settle => {
    child.once('exit', (exit, signal) => settle({ exit, signal })).once('error', () => settle({ exit: null, signal: null }))
  })
}

// The reader may be gone before it read everything; that is its own affair.
function feed(pipe: Writable | null | undefined, input: Uint8Array | Readable | undefined): void {
  if (!pipe || input === undefined) return
  if (input instanceof Readable) input.pipe(pipe)
  else pipe.end(input)
}

export type Found = { kind: 'found'; path: string } | { kind: 'missing'; code: 'ENOENT' | 'EACCES'; message: string }

/** Where a program is, looked up as exec would; asked beforehand because the shell in between would only say 127. */
export function findProgram(name: string, { cwd, path }: { cwd: string; path: string }): Found {
  const candidates = name.includes('/')
    ? [resolve(cwd, name)]
    : path
        .split(':')
        .filter(isAbsolute)
        .map(folder => join(folder, name))
  let denied = false
  for (const candidate of candidates) {
    const answer = canRun(candidate)
    if (answer === 'yes') return { kind: 'found', path: candidate }
    denied ||= answer === 'denied'
  }
  return denied
    ? { kind: 'missing', code: 'EACCES', message: `${name} may not be run: it is not an executable file.` }
    : { kind: 'missing', code: 'ENOENT', message: `There is no program ${name}. Check its name and the PATH.` }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function canRun(path: string): 'yes' | 'no' | 'denied' {
  try {
    if (!statSync(path).isFile()) return 'denied'
    accessSync(path, constants.X_OK)
    return 'yes'
  } catch (error) {
    return isErrno(error, 'EACCES', 'EPERM') ? 'denied' : 'no'
  }
}
