/** Flags that every command takes. One table for parsing, help and completion. */
export interface GlobalFlag {
  name: string
  short?: string
  /** What its value is called in help; without it the flag is a switch. */
  value?: string
  about: string
}

export const GLOBAL_FLAGS: GlobalFlag[] = [
  { name: 'json', about: 'One JSON object on stdout' },
  { name: 'jsonl', about: 'One input object per line of stdin, one output object per line' },
  { name: 'strict', about: 'With --jsonl: end with the highest exit code among the lines' },
  { name: 'stream', about: 'Events as JSON lines while they happen, the result last' },
  { name: 'input', value: 'json|@file|-', about: 'The whole input at once; single flags win over it' },
  { name: 'project', short: 'C', value: 'dir', about: 'Work in this folder' },
  { name: 'store', value: 'file', about: 'Another project store' },
  { name: 'profile', value: 'name', about: 'Another profile' },
  { name: 'color', value: 'auto|always|never', about: 'Colours' },
  { name: 'no-color', about: 'No colours' },
  { name: 'quiet', short: 'q', about: 'No progress' },
  { name: 'verbose', short: 'v', about: 'Say more on stderr' },
  { name: 'no-input', about: 'Never ask; an ask ends with exit 5' },
  { name: 'yes', short: 'y', about: "Answer QED's own confirmations; never a policy ask" },
  { name: 'timeout', value: 'ms', about: 'Stop after so long' },
  { name: 'help', short: 'h', about: 'Help' },
  { name: 'version', short: 'V', about: 'Version' },
]

export function isGlobalSwitch(arg: string): boolean {
  return GLOBAL_FLAGS.some(({ name, short, value }) => !value && (arg === `--${name}` || arg === `-${short}`))
}

export interface Globals {
  json: boolean
  jsonl: boolean
  strict: boolean
  stream: boolean
  quiet: boolean
  verbose: boolean
  noInput: boolean
  yes: boolean
  help: boolean
  version: boolean
  input?: string
  project?: string
  store?: string
  profile?: string
  color?: string
  timeoutMs?: number
}
