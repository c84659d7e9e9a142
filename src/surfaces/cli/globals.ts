import { Usage } from '../../kernel/errors.ts'
import { type ColourChoice, isColourChoice } from './paint.ts'

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
  color?: ColourChoice
  timeoutMs?: number
}

/** The longest time that a timer of the platform can hold. */
const MOST_MS = 2 ** 31 - 1

/** The global flags that are written as a no. */
const NEGATED = new Map<string, Partial<Globals>>([
  ['--no-color', { color: 'never' }],
  ['--no-input', { noInput: true }],
])

/** One flag as it stands on a command line. */
export interface FlagToken {
  name: string
  rawName: string
  value?: string | undefined
}

export function emptyGlobals(): Globals {
  return {
    json: false,
    jsonl: false,
    strict: false,
    stream: false,
    quiet: false,
    verbose: false,
    noInput: false,
    yes: false,
    help: false,
    version: false,
  }
}

/** Whether a program reads stdout. */
export function isForProgram({ json, jsonl, stream }: Globals): boolean {
  return json || jsonl || stream
}

export function isGlobalSwitch(arg: string): boolean {
  return GLOBAL_FLAGS.some(({ name, short, value }) => !value && (arg === `--${name}` || arg === `-${short}`))
}

/** Whether there is such a global flag. A switch that is off anyway has no `--no-` form. */
export function isGlobalFlag({ name, rawName }: FlagToken): boolean {
  return GLOBAL_FLAGS.some(flag => flag.name === name) && (rawName !== `--no-${name}` || NEGATED.has(rawName))
}

/** Throws `usage` where its value is missing, too much, or of the wrong kind. */
export function takeGlobal(globals: Globals, { name, rawName, value }: FlagToken): void {
  const negated = NEGATED.get(rawName)
  const taken = negated ? undefined : GLOBAL_FLAGS.find(flag => flag.name === name)?.value
  if (taken === undefined && value !== undefined) throw new Usage(`${rawName} is a switch and takes no value.`)
  if (taken !== undefined && value === undefined) throw new Usage(`${rawName} needs a value: ${taken}.`)
  if (negated) Object.assign(globals, negated)
  else if (name === 'timeout') globals.timeoutMs = milliseconds(value)
  else if (name === 'color') globals.color = colour(value)
  else Object.assign(globals, { [name]: value ?? true })
}

function milliseconds(text: string | undefined): number {
  const ms = Number(text)
  if (Number.isInteger(ms) && ms > 0 && ms <= MOST_MS) return ms
  throw new Usage(`--timeout takes a whole number of milliseconds from 1 to ${MOST_MS}.`)
}

function colour(text: string | undefined): ColourChoice {
  if (isColourChoice(text)) return text
  throw new Usage(`--color takes auto, always or never, not ${text}.`)
}
