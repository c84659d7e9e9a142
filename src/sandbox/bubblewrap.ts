import { runProcess } from './process.ts'

export type BubblewrapProbe =
  | { kind: 'usable'; version: string }
  | { kind: 'missing' }
  | { kind: 'unusable'; version: string; reason: string }

/** Whether bubblewrap is there and really makes the namespaces it is needed for, by using it once. */
export async function probeBubblewrap(): Promise<BubblewrapProbe> {
  const asked = await runProcess({ command: 'bwrap', args: ['--version'], timeoutMs: 5000 })
  if (asked.kind === 'not-started') return { kind: 'missing' }
  const version = asked.kind === 'exited' ? asked.stdout.trim().replace(/^bubblewrap\s+/, '') : 'unknown'
  const tried = await runProcess({
    command: 'bwrap',
    args: [
      '--unshare-user',
      '--unshare-pid',
      '--unshare-net',
      '--die-with-parent',
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      'true',
    ],
    timeoutMs: 5000,
  })
  if (tried.kind === 'exited' && tried.exit === 0) return { kind: 'usable', version }
  return { kind: 'unusable', version, reason: 'stderr' in tried ? tried.stderr.trim().split('\n')[0] || tried.kind : tried.kind }
}
