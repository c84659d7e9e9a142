import { type Arguments, longNames, type OptionShape } from './arguments.ts'
import type { Call } from './judgement.ts'
import { restOf, type Word } from './word.ts'

/** A way in which a program destroys. All given conditions must hold. */
export interface DestructiveRow extends OptionShape {
  programs: string
  harm: 'destructive' | 'catastrophic'
  /** One of these begins the operands, joined by spaces. */
  starts?: readonly string[]
  /** One operand is one of these, in any case. */
  operand?: RegExp
  options?: readonly string[]
  unless?: readonly string[]
  when?: (args: Arguments, call: Call) => boolean
}

const wholeProgram = (programs: string, harm: DestructiveRow['harm']): DestructiveRow => ({ programs, harm })
const CLOUD = 'aws gcloud az gh glab vault op doppler circleci wrangler vercel fly flyctl rclone borg restic velero'
const CLOUD_WORDS = /^(?:delete|destroy|remove|purge|terminate|drop|prune|revoke)(?:-.*)?$/

function killsOthers(args: Arguments, { facts, args: words }: Call): boolean {
  const named = words.some(word => /^-(?:9|KILL|SIGKILL)$/i.test(word.text)) || words.some((word, i) => isKillSignal(word, words[i + 1]))
  if (!named) return false
  const pids = args.operands.filter(word => !/^(?:9|KILL|SIGKILL)$/i.test(word.text))
  return pids.length === 0 || !pids.every(word => word.kind === 'static' && facts.pidsOfRun.includes(Number(word.text)))
}

function isDeleteMethod(option: Word, next: Word | undefined): boolean {
  const attached = /^(?:-X=?|--method=)(.+)$/.exec(option.text)?.[1]
  const value = attached ?? (option.text === '-X' || option.text === '--method' ? next?.text : undefined)
  return value?.toUpperCase() === 'DELETE'
}

function isKillSignal(option: Word, next: Word | undefined): boolean {
  const value = option.text.startsWith('--signal=')
    ? restOf(option, 9)
    : option.text === '-s' || option.text === '-n' || option.text === '--signal'
      ? next
      : undefined
  return value !== undefined && /^(?:9|KILL|SIGKILL)$/i.test(value.text)
}

export const DESTRUCTIVE: readonly DestructiveRow[] = [
  wholeProgram('wipefs fdisk sfdisk gdisk parted shutdown reboot halt poweroff mkswap mke2fs', 'catastrophic'),
  { programs: 'crontab', harm: 'catastrophic', values: 'u', options: ['-r'] },
  { programs: 'init telinit', harm: 'catastrophic', operand: /^[06]$/ },
  { programs: 'systemctl', harm: 'catastrophic', operand: /^(?:poweroff|reboot|halt|kexec)$/ },

  wholeProgram('shred truncate', 'destructive'),
  { programs: 'dd', harm: 'destructive', operand: /^of=/ },
  {
    programs: 'rsync',
    harm: 'destructive',
    when: args => args.options.some(({ name }) => name.startsWith('--del') || name === '--remove-source-files'),
  },

  { programs: 'redis-cli', harm: 'destructive', operand: /^flush(?:all|db)$/i },
  { programs: 'mongosh mongo', harm: 'destructive', when: (_, { args }) => args.some(word => /drop/i.test(word.text)) },
  wholeProgram('dropdb', 'destructive'),
  { programs: 'mysqladmin', harm: 'destructive', operand: /^drop$/ },

  { programs: 'terraform tofu', harm: 'destructive', operand: /^(?:destroy|apply)$/ },
  {
    programs: 'kubectl oc',
    harm: 'destructive',
    values: 'ns',
    longValues: longNames('namespace context cluster user'),
    operand: /^delete$/,
  },
  { programs: 'helm', harm: 'destructive', operand: /^(?:uninstall|un|delete|del)$/ },
  { programs: 'aws', harm: 'destructive', operand: /^s3$/, when: args => args.operands.some(word => /^r[mb]$/.test(word.text)) },
  { programs: 'docker podman', harm: 'destructive', operand: /^prune$/ },
  {
    programs: 'docker podman',
    harm: 'destructive',
    operand: /^volume$/,
    when: args => args.operands.some(word => /^(?:rm|remove)$/.test(word.text)),
  },
  {
    programs: 'docker podman docker-compose podman-compose',
    harm: 'destructive',
    values: 'fp',
    longValues: longNames('file project-name profile'),
    operand: /^down$/,
    options: ['-v', '--volumes'],
  },
  {
    programs: 'npm pnpm yarn bun cargo gem',
    harm: 'destructive',
    operand: /^publish$/,
    when: args => /^(?:publish|npm)$/.test(args.operands[0]?.text ?? ''),
  },
  { programs: 'gem', harm: 'destructive', starts: ['push', 'yank'] },
  { programs: 'twine', harm: 'destructive', starts: ['upload'] },
  wholeProgram('mail mailx sendmail mutt msmtp', 'destructive'),
  {
    programs: 'gh glab',
    harm: 'destructive',
    starts: ['api'],
    when: (_, { args }) => args.some((word, i) => isDeleteMethod(word, args[i + 1])),
  },
  { programs: CLOUD, harm: 'destructive', operand: CLOUD_WORDS },

  { programs: 'kill', harm: 'destructive', when: killsOthers },
  wholeProgram('pkill killall', 'destructive'),
  { programs: 'systemctl', harm: 'destructive', operand: /^(?:stop|disable|mask)$/ },
  { programs: 'auditctl', harm: 'destructive', options: ['-D'] },
  { programs: 'journalctl', harm: 'destructive', when: args => args.options.some(({ name }) => name.startsWith('--vac')) },
  { programs: 'history', harm: 'destructive', options: ['-c'] },
]

/** The same for git, by subcommand. */
export interface GitDestructiveRow {
  subcommands: string
  options?: readonly string[]
  unless?: readonly string[]
  operand?: RegExp
  when?: (args: Arguments, words: readonly Word[]) => boolean
}

const firstIs = (...wanted: string[]) => {
  const names = new Set(wanted)
  return (args: Arguments): boolean => names.has(args.operands[0]?.text ?? '')
}

export const GIT_DESTRUCTIVE: readonly GitDestructiveRow[] = [
  { subcommands: 'push', options: ['-f', '--force', '--force-with-lease', '--mirror', '--prune', '--delete', '-d'] },
  { subcommands: 'push', operand: /^[+:]./ },
  { subcommands: 'reset', options: ['--hard', '--merge', '--keep'] },
  { subcommands: 'clean', options: ['-f', '--force'], unless: ['-n', '--dry-run'] },
  { subcommands: 'checkout', options: ['-f', '--force'] },
  { subcommands: 'checkout', when: args => args.beforeDashes !== null || args.operands.some(word => word.text === '.') },
  // A second operand, or one with a wildcard, can only be a path.
  {
    subcommands: 'checkout',
    unless: ['-b', '-B', '--orphan', '-t', '--track'],
    when: ({ operands }) => operands.length > 1 || operands[0]?.kind === 'glob',
  },
  { subcommands: 'restore', unless: ['--staged', '-S'] },
  { subcommands: 'restore', options: ['--worktree', '-W'] },
  { subcommands: 'switch', options: ['-f', '--force', '--discard-changes'] },
  { subcommands: 'branch', options: ['-D', '-d', '-M', '--delete', '-f', '--force', '-C'] },
  { subcommands: 'tag', options: ['-d', '-f', '--delete', '--force'] },
  { subcommands: 'stash', when: firstIs('drop', 'clear') },
  { subcommands: 'reflog', when: firstIs('expire', 'delete') },
  {
    subcommands: 'gc',
    when: args => args.options.some(({ name, value }) => name.startsWith('--pr') && value !== null && value.text !== 'never'),
  },
  { subcommands: 'filter-branch filter-repo prune' },
  { subcommands: 'update-ref', options: ['-d', '--stdin'] },
  { subcommands: 'worktree', options: ['-f', '--force'], when: firstIs('remove') },
]
