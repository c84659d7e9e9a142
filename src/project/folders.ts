import { homedir } from 'node:os'
import { join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** The person's own folders, outside every project. `config` holds what a person writes, `data` what QED keeps. */
export interface PersonalFolders {
  config: string
  data: string
  cache: string
}

export function personalFolders(env: Environment, platform: NodeJS.Platform = process.platform): PersonalFolders {
  const home = env['HOME'] || homedir()
  if (platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support', 'qed')
    return {
      config: xdg(env, 'CONFIG') ?? support,
      data: xdg(env, 'DATA') ?? support,
      cache: xdg(env, 'CACHE') ?? join(home, 'Library', 'Caches', 'qed'),
    }
  }
  if (platform === 'win32') {
    const roaming = env['APPDATA'] || join(home, 'AppData', 'Roaming')
    const local = env['LOCALAPPDATA'] || join(home, 'AppData', 'Local')
    return { config: join(roaming, 'qed'), data: join(local, 'qed'), cache: join(local, 'qed', 'cache') }
  }
  return {
    config: xdg(env, 'CONFIG') ?? join(home, '.config', 'qed'),
    data: xdg(env, 'DATA') ?? join(home, '.local', 'share', 'qed'),
    cache: xdg(env, 'CACHE') ?? join(home, '.cache', 'qed'),
  }
}

// The XDG rules say that a relative path is to be ignored.
function xdg(env: Environment, kind: 'CONFIG' | 'DATA' | 'CACHE'): string | undefined {
  const base = env[`XDG_${kind}_HOME`]
  return base?.startsWith('/') ? join(base, 'qed') : undefined
}
