import { type Arguments, hasOption, longNames, type OptionShape } from './arguments.ts'
import type { Word } from './word.ts'

/** A subcommand of git that only looks, under its condition. */
export interface GitReadRow extends OptionShape {
  subcommands: string
  never?: readonly string[]
  only?: readonly string[]
  /** What the operands are. */
  operands: 'read' | 'list' | 'none'
  /** The first operand is text unless one of these options gave it. */
  textUnless?: readonly string[]
  holds?: (args: Arguments, words: readonly Word[]) => boolean
  /** Options whose value is a file that is read. */
  files?: readonly string[]
  /** Options with which it also reads files that git does not know: everything below the operands or here. */
  beyond?: readonly string[]
  /** Options whose value is a range of lines with its file behind the last colon. */
  ranges?: readonly string[]
}

const LOG_LONG = longNames(
  'author committer grep since until after before max-count skip date format pretty encoding diff-filter inter-hunk-context unified ' +
    'stat-width min-parents max-parents glob branches remotes tags exclude grep-reflog',
)
const NEVER_IN_DIFFS = ['--output', '--output-directory', '--ext-diff', '--textconv', '--show-signature', '-O']
const firstIs = (...wanted: string[]) => {
  const names = new Set(wanted)
  return (args: Arguments): boolean => names.has(args.operands[0]?.text ?? '')
}

const LISTING = [
  '--list -l -a --all -r --remotes -v -vv --verbose -n --show-current --contains --no-contains --merged --no-merged --sort --format',
  '--points-at --no-color --color --column --no-column -i --ignore-case -q --quiet',
]
  .join(' ')
  .split(' ')
const LISTING_TAKES_OPERAND = ['--list', '-l', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at']

const GIT_READS: readonly GitReadRow[] = [
  {
    subcommands: 'diff log show shortlog whatchanged range-diff diff-tree diff-index diff-files',
    operands: 'read',
    values: 'nSGLlO',
    attached: 'UMCBX',
    longValues: LOG_LONG,
    never: NEVER_IN_DIFFS,
    ranges: ['-L'],
    holds: args => !args.options.some(({ name }) => name.startsWith('--output') && !name.startsWith('--output-indicator')),
  },
  {
    subcommands: 'reflog',
    operands: 'none',
    values: 'nSGLlO',
    longValues: LOG_LONG,
    never: NEVER_IN_DIFFS,
    holds: args => args.operands.length === 0 || args.operands[0]?.text === 'show',
  },
  {
    subcommands: 'status ls-files check-ignore check-attr',
    operands: 'list',
    values: 'xX',
    longValues: longNames('exclude exclude-from'),
    files: ['-X', '--exclude-from'],
  },
  {
    subcommands: 'blame annotate',
    operands: 'read',
    values: 'LS',
    longValues: longNames('since date contents ignore-revs-file'),
    files: ['-S', '--contents', '--ignore-revs-file'],
  },
  {
    subcommands: 'rev-parse rev-list name-rev describe merge-base cherry ls-tree for-each-ref show-ref count-objects version',
    operands: 'none',
    values: 'n',
    longValues: LOG_LONG,
  },
  // In a batch the names of objects come from standard input, where nobody sees which files they are.
  {
    subcommands: 'cat-file',
    operands: 'read',
    never: ['--filters', '--textconv'],
    holds: args =>
      !args.options.some(({ name }) => name.startsWith('--batch') && name !== '--batch-check' && name !== '--batch-all-objects'),
  },
  {
    subcommands: 'grep',
    operands: 'read',
    values: 'ABCefm',
    attached: 'O',
    longValues: longNames('max-depth threads context after-context before-context max-count'),
    never: ['-O', '--open-files-in-pager', '--textconv'],
    textUnless: ['-e', '-f'],
    files: ['-f'],
    beyond: ['--no-index', '--untracked'],
  },
  { subcommands: 'symbolic-ref', operands: 'none', values: 'm', never: ['-d', '--delete'], holds: args => args.operands.length === 1 },
  { subcommands: 'archive', operands: 'none', only: ['--list', '-l'], holds: args => hasOption(args, ['--list', '-l']) },
  { subcommands: 'stash', operands: 'none', never: NEVER_IN_DIFFS, holds: firstIs('list', 'show') },
  { subcommands: 'worktree', operands: 'none', holds: firstIs('list') },
  { subcommands: 'submodule', operands: 'none', holds: firstIs('status') },
  { subcommands: 'notes', operands: 'none', holds: firstIs('list', 'show') },
  {
    subcommands: 'remote',
    operands: 'none',
    only: ['-v', '--verbose', '--all', '--push'],
    holds: args => args.operands.length === 0 || args.operands[0]?.text === 'get-url',
  },
  {
    subcommands: 'branch tag',
    operands: 'none',
    attached: 'n',
    longValues: longNames('contains no-contains merged no-merged sort format points-at'),
    only: LISTING,
    holds: args => args.operands.length === 0 || hasOption(args, LISTING_TAKES_OPERAND),
  },
]

export const GIT_READ: ReadonlyMap<string, GitReadRow> = new Map(
  GIT_READS.flatMap(row => row.subcommands.split(' ').map((name): [string, GitReadRow] => [name, row])),
)

/** Subcommands that come with git and change something. What is in neither list may be somebody's alias. */
export const GIT_CHANGES: ReadonlySet<string> = new Set(
  (
    'add am apply archive bisect branch bundle checkout cherry-pick clean clone commit commit-graph commit-tree config credential difftool ' +
    'fast-export fast-import fetch fetch-pack filter-branch filter-repo format-patch fsck gc hash-object init lfs maintenance merge merge-base ' +
    'merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv notes pack-objects pack-refs prune prune-packed pull push ' +
    'read-tree rebase reflog remote repack replace request-pull rerere reset restore revert rm send-email send-pack show-branch ' +
    'sparse-checkout stage stash submodule switch symbolic-ref tag unpack-objects update-index update-ref verify-commit verify-pack verify-tag ' +
    'worktree write-tree help ls-remote var interpret-trailers column bugreport diagnose'
  ).split(' '),
)

/** Before the subcommand; anything else there may change what git runs or where it works. */
export const GIT_GLOBAL: ReadonlySet<string> = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs'])

const HARMLESS_CONFIG = /^(?:color\.[\w.-]+|advice\.[\w.-]+|core\.quotepath)(?:=|$)|^core\.pager=cat$|^core\.fsmonitor=false$/i

export function isHarmlessConfig(word: Word | undefined): boolean {
  return word?.kind === 'static' && HARMLESS_CONFIG.test(word.text)
}

/** Subcommands that talk to another machine, by their first operand where that decides. */
export const GIT_NETWORK: ReadonlyMap<string, { verb: 'net.get' | 'net.send'; operands?: ReadonlySet<string> }> = new Map([
  ['fetch', { verb: 'net.get' }],
  ['pull', { verb: 'net.get' }],
  ['push', { verb: 'net.send' }],
  ['clone', { verb: 'net.get' }],
  ['ls-remote', { verb: 'net.get' }],
  ['remote', { verb: 'net.get', operands: new Set(['show', 'update']) }],
  ['submodule', { verb: 'net.get', operands: new Set(['update']) }],
])

/** Options that name a program for git to run. */
export const GIT_RUNS: readonly { subcommands: string; options?: readonly string[]; operand?: string }[] = [
  { subcommands: 'fetch pull push clone ls-remote', options: ['--upload-pack', '--receive-pack', '--exec'] },
  { subcommands: 'clone', options: ['-u', '-c', '--config', '--template'] },
  { subcommands: 'init', options: ['--template'] },
  { subcommands: 'rebase', options: ['-x', '--exec'] },
  { subcommands: 'bisect', operand: 'run' },
  { subcommands: 'submodule', operand: 'foreach' },
  { subcommands: 'difftool mergetool send-email credential' },
  { subcommands: 'archive', options: ['--exec', '--remote'] },
]
