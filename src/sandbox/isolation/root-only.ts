import { lstatIfThere } from '../paths.ts'
import type { Mask } from './bubblewrap-arguments.ts'
import { createFindSensitive } from './find-sensitive.ts'

// A process of user 0 keeps the owner's right to what only root may read, with every capability gone. Shown is what any other user
// would see.

/** Root's own home, where the person's is another one. */
export const ROOT_HOME = '/root'

/** Where a system keeps what only root may read. */
const SYSTEM_FOLDERS = ['/etc', '/var/backups', '/var/cache/debconf', '/var/lib/private', '/var/spool/cron', '/var/spool/at']

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Passwords, keys and the like of the whole machine, as masks; none for an ordinary user, whom the system itself keeps out. */
export function createFindRootOnly(): () => Mask[] {
  if (!isRoot()) return () => []
  // A link has no rights of its own, and most of what lies in /etc is links.
  const find = createFindSensitive({ file: isClosed, link: () => false, folder: isClosed })
  const look = (): Mask[] =>
    SYSTEM_FOLDERS.flatMap(folder => (isClosed(folder) ? [{ path: folder, kind: 'folder' as const }] : find(folder)))
  let looked: { at: number; masks: Mask[] } | null = null
  return () => {
    if (looked === null || performance.now() - looked.at > STALE_MS) looked = { at: performance.now(), masks: look() }
    return looked.masks
  }
}

/** What nobody in a sandbox can change is not looked at for every command. */
const STALE_MS = 1_000

const OTHERS_READ = 0o004

function isClosed(path: string): boolean {
  const found = lstatIfThere(path)
  // An empty file tells nothing, and each mask costs a mount.
  return found !== undefined && !found.isSymbolicLink() && (found.mode & OTHERS_READ) === 0 && (found.isDirectory() || found.size > 0)
}
