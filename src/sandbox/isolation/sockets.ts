import { dirname } from 'node:path'
import { readFileIfThere } from '../../store/files.ts'
import { isInside, lstatIfThere, realPath } from '../paths.ts'
import type { Mask } from './bubblewrap-arguments.ts'

export interface SocketWalls {
  /** Folders to cover whole. */
  folders: string[]
  /** Sockets that lie where a whole folder cannot be covered. */
  masks: Mask[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where the sockets of the person's session are, by the variables that name them. */
const NAMED: ((env: Environment) => string | undefined)[] = [
  env => env['XDG_RUNTIME_DIR'],
  env => parentOf(env['SSH_AUTH_SOCK']),
  env => parentOf(/^unix:\/\/(\/.+)$/.exec(env['DOCKER_HOST'] ?? '')?.[1]),
  env => parentOf(/(?:^|;)unix:path=([^,;]+)/.exec(env['DBUS_SESSION_BUS_ADDRESS'] ?? '')?.[1]),
]

/** A read-only mount does not keep anyone from connecting to a socket, so sockets are covered: their folders where that hides
 *  nothing else that is needed (`needed`), else the sockets alone. */
export function socketWalls(env: Environment, { covered, needed }: { covered: readonly string[]; needed: readonly string[] }): SocketWalls {
  const isCovered = (path: string): boolean => covered.some(folder => isInside(folder, path))
  const named = NAMED.map(find => find(env))
    .filter(folder => folder?.startsWith('/'))
    .map(folder => realPath(folder ?? ''))
    .filter(folder => !isCovered(folder) && (lstatIfThere(folder)?.isDirectory() ?? false))
  const mayCover = (folder: string): boolean => folder.split('/').length > 2 && !needed.some(path => isInside(folder, path))
  const folders = [...new Set(named.filter(mayCover))]
  const masks = boundSockets()
    .filter(path => !isCovered(path) && !folders.some(folder => isInside(folder, path)))
    .map(path => ({ path, kind: 'file' as const }))
  return { folders, masks }
}

/** Every socket with a path that someone on this machine listens on. */
function boundSockets(): string[] {
  const table = readFileIfThere('/proc/net/unix') ?? ''
  const paths = table.split('\n').map(line => /^\S+: (?:\S+ +){6}(\/.*)$/.exec(line)?.[1])
  return [...new Set(paths.filter(path => path !== undefined).map(realPath))].filter(path => lstatIfThere(path)?.isSocket() ?? false)
}

function parentOf(path: string | undefined): string | undefined {
  return path?.startsWith('/') ? dirname(path) : undefined
}
