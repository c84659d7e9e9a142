import { homedir } from 'node:os'
import { join } from 'node:path'
import { Unavailable } from '../kernel/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The person's own folders, outside every project. `config` holds what a person writes, `data` what QED keeps. */
export interface PersonalFolders {
  config: string
  data: string
  cache: string
}

export function personalFolders(env: Environment, platform: NodeJS.Platform = process.platform): PersonalFolders {
  const inHome = (...parts: string[]): string => join(env['HOME'] || ownHome(), ...parts)
  if (platform === 'darwin') {
    const support = (): string => inHome('Library', 'Application Support', 'qed')
    return {
      config: xdg(env, 'CONFIG') ?? support(),
      data: xdg(env, 'DATA') ?? support(),
      cache: xdg(env, 'CACHE') ?? inHome('Library', 'Caches', 'qed'),
    }
  }
  if (platform === 'win32') {
    const roaming = env['APPDATA'] || inHome('AppData', 'Roaming')
    const local = env['LOCALAPPDATA'] || inHome('AppData', 'Local')
    return { config: join(roaming, 'qed'), data: join(local, 'qed'), cache: join(local, 'qed', 'cache') }
  }
  return {
    config: xdg(env, 'CONFIG') ?? inHome('.config', 'qed'),
    data: xdg(env, 'DATA') ?? inHome('.local', 'share', 'qed'),
    cache: xdg(env, 'CACHE') ?? inHome('.cache', 'qed'),
  }
}

// A user that the system does not know has no home, and homedir() throws. A folder that others can write is no substitute.
function ownHome(): string {
  try {
    return homedir()
  } catch (cause) {
    throw new Unavailable('This user has no home folder, so there is no place for personal settings.', {
      cause,
      next: {
        command: 'export HOME=<folder>',
        why: 'Name a folder of your own, or set XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME.',
      },
    })
  }
}

// The XDG rules say that a relative path is to be ignored.
function xdg(env: Environment, kind: 'CONFIG' | 'DATA' | 'CACHE'): string | undefined {
  const base = env[`XDG_${kind}_HOME`]
  return base?.startsWith('/') ? join(base, 'qed') : undefined
}
