import type { OptionShape } from './arguments.ts'
import { longNames } from './arguments.ts'

/** Spellings of one flag, the full name last. By program, or program and subcommand. */
const RECURSIVE = '-r -R --recursive'
const FORCE = '-f --force'

const ALIASES: Record<string, readonly string[]> = {
  rm: [RECURSIVE, FORCE, '-v --verbose', '-d --dir'],
  cp: [RECURSIVE, FORCE, '-a --archive', '-n --no-clobber', '-v --verbose', '-t --target-directory'],
  mv: [FORCE, '-n --no-clobber', '-v --verbose', '-t --target-directory'],
  ln: [FORCE, '-s --symbolic', '-v --verbose'],
  mkdir: ['-p --parents', '-m --mode'],
  chmod: ['-R --recursive', '-f --silent', '-v --verbose'],
  chown: ['-R --recursive', '-f --silent', '-v --verbose'],
  chgrp: ['-R --recursive', '-f --silent', '-v --verbose'],
  grep: ['-r --recursive', '-R --dereference-recursive', '-f --file', '-e --regexp', '-l --files-with-matches', '-i --ignore-case'],
  sed: ['-i --in-place', '-n --quiet', '-e --expression', '-f --file'],
  curl: [
    '-o --output',
    '-O --remote-name',
    '-X --request',
    '-d --data',
    '-F --form',
    '-T --upload-file',
    '-H --header',
    '-L --location',
    '-k --insecure',
  ],
  wget: ['-O --output-document', '-q --quiet', '-P --directory-prefix'],
  npm: ['-g --global', '-D --save-dev', '-w --workspace', '-y --yes'],
  docker: ['-f --force', '-v --volumes', '-a --all'],
  'git push': [
    FORCE,
    '-d --delete',
    '-u --set-upstream',
    '-n --dry-run',
    '-q --quiet',
    '--force-with-lease',
    '--mirror',
    '--prune',
    '--all',
    '--tags',
  ],
  'git clean': [FORCE, '-n --dry-run', '-q --quiet'],
  'git checkout': [FORCE, '-q --quiet'],
  'git switch': [FORCE, '-c --create', '-C --force-create', '--discard-changes'],
  'git branch': [FORCE, '-d --delete', '-m --move', '-a --all', '-r --remotes'],
  'git tag': [FORCE, '-d --delete', '-a --annotate', '-l --list', '-m --message'],
  'git commit': ['-a --all', '-m --message', '-n --no-verify', '-s --signoff', '--amend'],
  'git add': [FORCE, '-A --all', '-n --dry-run', '-p --patch', '-u --update'],
  'git rm': [FORCE, '-r --recursive', '-n --dry-run'],
  'git mv': [FORCE, '-n --dry-run'],
  'git worktree': [FORCE],
  'git fetch': [FORCE, '-p --prune', '-a --append', '--all'],
  'git reset': ['--hard', '--soft', '--mixed', '--merge', '--keep'],
}

/** By program and subcommand: every spelling to the full name. */
export const FLAG_ALIASES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(ALIASES).map(([name, groups]) => {
    const spellings = new Map<string, string>()
    for (const group of groups) {
      const names = group.split(' ')
      for (const one of names) spellings.set(one, names.at(-1) ?? one)
    }
    return [name, spellings]
  }),
)

/** Options with a value that may stand before the subcommand. */
export const GLOBAL_OPTIONS: ReadonlyMap<string, OptionShape> = new Map<string, OptionShape>([
  ['git', { values: 'Cc', longValues: longNames('git-dir work-tree namespace exec-path config-env'), stopsAtOperand: true }],
  ['docker', { values: 'Hcl', longValues: longNames('host context config log-level'), stopsAtOperand: true }],
  ['kubectl', { values: 'ns', longValues: longNames('namespace context cluster user server kubeconfig'), stopsAtOperand: true }],
  ['helm', { values: 'n', longValues: longNames('namespace kube-context kubeconfig'), stopsAtOperand: true }],
  ['npm', { values: 'Cw', longValues: longNames('prefix workspace registry'), stopsAtOperand: true }],
  ['pnpm', { values: 'CF', longValues: longNames('dir filter'), stopsAtOperand: true }],
  ['yarn', { longValues: longNames('cwd'), stopsAtOperand: true }],
  ['gh', { values: 'R', longValues: longNames('repo'), stopsAtOperand: true }],
  ['cargo', { values: 'CZ', longValues: longNames('config color'), stopsAtOperand: true }],
  ['make', { values: 'CfjIlo', longValues: longNames('directory file makefile'), stopsAtOperand: true }],
])

/** Programs that write long flags with one dash, so that a word is not a bundle of letters. */
export const ONE_DASH: ReadonlySet<string> = new Set(
  'find java javac go terraform tofu openssl ffmpeg ffprobe gcc clang g++ clang++ rustc xcodebuild convert magick powershell pwsh'.split(
    ' ',
  ),
)
