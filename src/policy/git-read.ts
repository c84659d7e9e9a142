// The git that an advisor may run: a closed list of subcommands and options, under settings that start no other program.

const SUBCOMMANDS = new Set(['status', 'diff', 'show', 'log', 'blame', 'rev-parse'])

const SHORT_OPTIONS = /^(?:-[npsbuwMCL]|-n\d+|-U\d+|-L.+)$/
const LONG_OPTIONS = new Set(
  (
    'stat shortstat numstat name-only name-status oneline graph decorate max-count since until author grep patch unified cached staged follow ' +
    'first-parent merges no-merges reverse all porcelain line-porcelain short branch date format pretty abbrev-commit abbrev-ref word-diff ' +
    'diff-filter find-renames verify show-toplevel is-inside-work-tree'
  ).split(' '),
)

// Placeholders such as %G? start the program that the repository names for checking signatures.
const SIGNATURES = 'signatures are not shown by git_read'

/** Why the arguments after `git` are refused, or null. */
export function checkGitRead(argv: readonly string[]): string | null {
  const [subcommand = '', ...rest] = argv
  if (subcommand === 'branch') return rest.length === 1 && rest[0] === '--show-current' ? null : 'branch takes --show-current alone'
  if (!SUBCOMMANDS.has(subcommand)) return `git_read takes ${[...SUBCOMMANDS].join(', ')} and branch --show-current`
  for (const word of rest) {
    if (word === '--') return null
    if (/[\u0000-\u001f\u007f]/.test(word)) return 'a control character stands in an argument'
    if (!word.startsWith('-')) {
      if (/%[+ -]?G/.test(word)) return SIGNATURES
      continue
    }
    const long = /^--([a-z-]+)(?:=.*)?$/.exec(word)
    const known = long ? LONG_OPTIONS.has(long[1] ?? '') : SHORT_OPTIONS.test(word)
    if (!known) return `git_read does not take ${word}`
    if (/%[+ -]?G/.test(word)) return SIGNATURES
  }
  return null
}

const NO_HELPERS: Record<string, string[]> = {
  diff: ['--no-ext-diff', '--no-textconv'],
  show: ['--no-ext-diff', '--no-textconv'],
  log: ['--no-ext-diff', '--no-textconv'],
  blame: ['--no-textconv'],
}

export const GIT_READ_ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
} as const

/** The command line to run for arguments that were checked. */
export function gitReadCommand(argv: readonly string[]): string[] {
  const [subcommand = '', ...rest] = argv
  const settings = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
  return ['git', '--no-pager', ...settings, subcommand, ...(NO_HELPERS[subcommand] ?? []), ...rest]
}

/** An environment without any other word of git's. */
export function gitReadEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('GIT_'))
  return { ...Object.fromEntries(kept), ...GIT_READ_ENVIRONMENT }
}
