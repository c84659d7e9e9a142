import { longNames } from './arguments.ts'

/** A program whose words hold another command. An option outside the row makes the reading ambiguous. */
export interface WrapperRow {
  treatment: 'transparent' | 'inner' | 'privileged'
  flags?: string
  values?: string
  /** Letters and names that take a value and change where or as whom the command runs: read, and ambiguous. */
  doubtful?: string
  longDoubtful?: ReadonlySet<string>
  /** Letters whose value can only be the rest of the word. */
  attached?: string
  longFlags?: ReadonlySet<string>
  longValues?: ReadonlySet<string>
  /** Operands of its own before the command. */
  operands?: number
  /** `NAME=value` words may stand before the command. */
  assigns?: boolean
  /** With one of these letters it does something else than run a command. */
  instead?: string
  /** Options that carry a script. */
  script?: readonly string[]
  /** Options that carry words which are split again. */
  splits?: readonly string[]
}

export const WRAPPERS: ReadonlyMap<string, WrapperRow> = new Map<string, WrapperRow>([
  [
    'timeout',
    {
      treatment: 'transparent',
      flags: 'fpv',
      values: 'ks',
      longFlags: longNames('preserve-status foreground verbose'),
      longValues: longNames('kill-after signal'),
      operands: 1,
    },
  ],
  ['nice', { treatment: 'transparent', flags: '0123456789', values: 'n', longValues: longNames('adjustment') }],
  [
    'ionice',
    {
      treatment: 'transparent',
      flags: 't',
      values: 'cn',
      longFlags: longNames('ignore'),
      longValues: longNames('class classdata'),
      instead: 'pPu',
    },
  ],
  ['nohup', { treatment: 'transparent' }],
  ['setsid', { treatment: 'transparent', flags: 'cfw', longFlags: longNames('ctty fork wait') }],
  ['stdbuf', { treatment: 'transparent', values: 'ioe', longValues: longNames('input output error') }],
  [
    'time',
    {
      treatment: 'transparent',
      flags: 'pvaq',
      values: 'f',
      doubtful: 'o',
      longFlags: longNames('portability verbose append quiet'),
      longValues: longNames('format'),
    },
  ],
  ['command', { treatment: 'transparent', flags: 'p', instead: 'vV' }],
  ['builtin', { treatment: 'transparent' }],
  [
    'chrt',
    {
      treatment: 'transparent',
      flags: 'bfiorRav',
      values: 'TPD',
      longFlags: longNames('batch fifo idle other rr reset-on-fork deadline ext all-tasks verbose'),
      operands: 1,
      instead: 'pm',
    },
  ],
  ['taskset', { treatment: 'transparent', flags: 'ac', longFlags: longNames('all-tasks cpu-list'), operands: 1, instead: 'p' }],
  [
    'env',
    {
      treatment: 'transparent',
      flags: 'i',
      values: 'uS',
      longFlags: longNames('ignore-environment'),
      longValues: longNames('unset split-string'),
      assigns: true,
      splits: ['-S', '--split-string'],
      doubtful: 'C',
      longDoubtful: longNames('chdir'),
    },
  ],
  ['busybox', { treatment: 'inner' }],
  ['toybox', { treatment: 'inner' }],
  ['exec', { treatment: 'inner', flags: 'cl', values: 'a' }],
  [
    'sudo',
    {
      treatment: 'privileged',
      flags: 'AbEHnPSis',
      values: 'ugpCrtTU',
      longFlags: longNames('askpass background preserve-env set-home non-interactive preserve-groups stdin login shell'),
      longValues: longNames('user group prompt close-from role type other-user'),
      assigns: true,
      instead: 'ekKlvV',
      doubtful: 'DRh',
      longDoubtful: longNames('chdir chroot host'),
    },
  ],
  ['doas', { treatment: 'privileged', flags: 'nsL', values: 'ua' }],
  [
    'su',
    {
      treatment: 'privileged',
      flags: 'lmpf',
      values: 'cgsGw',
      longFlags: longNames('login preserve-environment'),
      longValues: longNames('command shell'),
      operands: 1,
      script: ['-c', '--command'],
    },
  ],
  ['gosu', { treatment: 'privileged', operands: 1 }],
  ['su-exec', { treatment: 'privileged', operands: 1 }],
  ['run0', { treatment: 'privileged', values: 'ugD', longValues: longNames('user group nice chdir setenv unit property description') }],
  ['pkexec', { treatment: 'privileged', longFlags: longNames('disable-internal-agent keep-cwd'), longValues: longNames('user') }],
  [
    'runuser',
    {
      treatment: 'privileged',
      flags: 'lmpf',
      values: 'ucgsG',
      longFlags: longNames('login preserve-environment'),
      longValues: longNames('user command shell'),
      script: ['-c', '--command'],
    },
  ],
  ['chroot', { treatment: 'privileged', longFlags: longNames('skip-chdir'), longValues: longNames('userspec groups'), operands: 1 }],
  [
    'unshare',
    {
      treatment: 'privileged',
      flags: 'muinpUCTfrc',
      values: 'RwSG',
      longFlags: longNames(
        'mount uts ipc net pid user cgroup time fork map-root-user map-current-user map-auto keep-caps mount-proc kill-child',
      ),
      longValues: longNames('root wd setuid setgid map-user map-group propagation'),
    },
  ],
  [
    'nsenter',
    {
      treatment: 'privileged',
      flags: 'amuinpUCTFZe',
      values: 'tSGrw',
      longFlags: longNames('all mount uts ipc net pid user cgroup time no-fork preserve-credentials'),
      longValues: longNames('target setuid setgid'),
    },
  ],
])

/** Shells whose `-c` text is of the grammar that is read here. */
export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'rbash', 'mksh'])
/** Letters of a shell's options that do not change what the text means. `i` would bring in somebody's aliases. */
export const SHELL_FLAGS = 'cleuxvfpn'
export const SHELL_LONG: ReadonlySet<string> = longNames('login norc noprofile posix noediting')
export const SHELL_SETTINGS: ReadonlySet<string> = new Set([
  'errexit',
  'nounset',
  'pipefail',
  'xtrace',
  'verbose',
  'noglob',
  'noclobber',
  'posix',
])

export const XARGS: WrapperRow = {
  treatment: 'inner',
  flags: '0rtpxo',
  values: 'IJnPLdEsaRS',
  attached: 'iel',
  longFlags: longNames('null no-run-if-empty verbose interactive exit open-tty show-limits replace eof max-lines'),
  longValues: longNames('max-args max-procs delimiter max-chars arg-file process-slot-var'),
}
