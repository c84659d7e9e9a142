import type { Access, PathFact } from '../types.ts'
import { isWithin } from './names.ts'

/** What the system itself provides at a path. `free` may be used although it is outside every root. */
export type Special = 'free' | 'device' | 'kernel'

const isRead = (access: Access): boolean => access === 'read' || access === 'list'

interface FreeRow {
  paths: string[]
  use: 'read' | 'write' | 'both'
}

const FREE: FreeRow[] = [
  { paths: ['/dev/null', '/dev/fd/0', '/dev/fd/1', '/dev/fd/2'], use: 'both' },
  { paths: ['/dev/zero', '/dev/random', '/dev/urandom', '/dev/stdin'], use: 'read' },
  { paths: ['/dev/stdout', '/dev/stderr'], use: 'write' },
  { paths: ['cpuinfo', 'meminfo', 'loadavg', 'uptime', 'version'].map(name => `/proc/${name}`), use: 'read' },
  { paths: ['/etc/os-release', '/usr/lib/os-release'], use: 'read' },
]
const CHANGES = new Set<Access>(['delete', 'move', 'link'])

/** By the path as written, because `/dev/stdout` is a link into `/proc`; by the resolved one for what hides behind a link. */
export function specialOf(absolute: string, real: string, access: Access, type: PathFact['type']): Special | null {
  const free = FREE.find(row => row.paths.includes(absolute))
  if (free && !CHANGES.has(access) && (free.use === 'both' || (free.use === 'read') === isRead(access))) return 'free'
  if (isWithin(real, '/proc', false) || isWithin(real, '/sys', false)) {
    const readable = FREE.some(row => row.use === 'read' && row.paths.includes(real))
    return readable && isRead(access) ? 'free' : 'kernel'
  }
  if (isWithin(real, '/dev', false)) return real === '/dev/null' && !CHANGES.has(access) ? 'free' : 'device'
  return type === 'device' || type === 'fifo' || type === 'socket' ? 'device' : null
}
