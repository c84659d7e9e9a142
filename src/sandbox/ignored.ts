import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const LONGEST_MS = 2000
/** Only the repository's own word counts: what a person's settings ignore elsewhere may not hold for the search. */
const ENVIRONMENT = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' }
/** With these ripgrep opens again what git ignores. */
const OVERRIDES = ['.ignore', '.rgignore']

/** Which of some files below a folder git's ignore rules keep from a search that begins there. None where that is not certain. */
export function ignoredBelow(folder: string, files: readonly string[]): string[] {
  if (files.length === 0 || files.some(file => !file.startsWith(`${folder}/`) || isOverridden(folder, file))) return []
  const { status, stdout } = spawnSync('git', ['-c', 'core.fsmonitor=false', 'check-ignore', '--no-index', '-z', '--stdin'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...ENVIRONMENT },
    input: [folder, ...files].join('\0'),
    encoding: 'utf8',
    timeout: LONGEST_MS,
  })
  if (status !== 0) return []
  const ignored = new Set(stdout.split('\0'))
  // A rule about the folder itself, or about one above it, does not hold for what is named.
  return ignored.has(folder) ? [] : files.filter(file => ignored.has(file))
}

function isOverridden(folder: string, file: string): boolean {
  for (let at = dirname(file); ; at = dirname(at)) {
    if (OVERRIDES.some(name => existsSync(join(at, name)))) return true
    if (at === folder || at === dirname(at)) break
  }
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (OVERRIDES.some(name => existsSync(join(at, name)))) return true
  return false
}
