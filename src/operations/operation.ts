import type * as z from 'zod'
import type { App } from '../app.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Effect } from '../kernel/effect.ts'
import type { NextStep } from '../kernel/errors.ts'
import type { Paint } from './paint.ts'

/** What is going on, for the one live line of a terminal: what it is called, and the newest that is known of it. */
export interface LiveText {
  label: string
  detail?: string
}

/** What a person is shown of one event. */
export interface Shown {
  /** Lines that stay. */
  print?: string
  /** Lines that stay where there is no live line. */
  plain?: string
  /** Text that comes in pieces; whatever else is shown begins on a new row. Only where there is a live line. */
  piece?: string
  live?: LiveText | undefined
}

/** How a person sees an operation at work. Made for each call, because it remembers what came before. */
export interface View<O = unknown> {
  /** Takes one event, with control characters made visible beforehand. */
  take(event: object): Shown
  /** The output for a person who saw all of that on the same screen, where it differs from `human`. */
  answer?(output: O): string
}

/** A person's own screen and keyboard, both ends. Only the command line has one, and only where it prints for a person. */
export interface Terminal {
  /** Reads one line without showing it. */
  askHidden: (prompt: string) => Promise<string>
  /** Reads one line; the end of the input reads as nothing. */
  ask: (prompt: string) => Promise<string>
  /** Writes exactly these bytes. */
  write: (text: string) => Promise<void>
}

/** What a surface hands to an operation beside its input. */
export interface Call {
  caller: Caller
  /** Aborted when the caller no longer waits, the time is up, or the program stops. */
  signal: AbortSignal
  /** Sends one event of a streaming operation; resolves when the caller took it. Absent where nobody listens. */
  emit?: (event: object) => void | Promise<void>
  catalogue: Catalogue
  /** Asks the person at this surface; absent where the call itself is the person's word. */
  confirm?(question: string): Promise<boolean>
  /** Reads one line from the person at this surface, on stderr; the end of the input reads as nothing. Absent where nobody is
   *  there. The signal takes the question away. */
  ask?: (prompt: string, signal?: AbortSignal) => Promise<string>
  /** How wide the screen of `ask` is, where that is known. */
  columns?: number | undefined
  terminal?: Terminal
}

/** One thing QED can do, defined once. Every surface, the help and the reference are made from this. */
export interface Operation<Name extends string = string, I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  /** `noun.verb` in kebab-case parts, or one of the few single words. */
  name: Name
  /** One line: what it does. */
  summary: string
  /** For an agent: when to use it. Stands after the summary in the MCP description. */
  when?: string
  effect: Effect
  input: I
  /** Made when asked for: only descriptions and tests need it, and building it at every start would be felt. */
  output: () => O
  /** Command lines, without `qed`, that show how it is used. A test runs the schema over them. */
  examples: string[]
  /** Input keys that the command line takes by position; an array key takes the rest. */
  positional?: string[]
  /** Keys of longer texts: on the command line `-` stands for what comes in on stdin. */
  texts?: string[]
  personOnly?: boolean
  /** Emits events while it runs. */
  streams?: boolean
  /** Its events are no part of its answer: a person sees them on stderr, while they wait. */
  progress?: boolean
  /** May take longer than the ordinary limit of a request. */
  long?: boolean
  /** What to do after it took longer than it was given: then it is let settle what it does before it is left. */
  afterTimeout?: NextStep
  /** Which MCP tool set offers it. */
  mcp?: 'core' | 'full' | 'never'
  /** Exit codes beyond 0, 1 and 2 that it can end with. */
  exitCodes?: number[]
  destructive?: boolean
  /** Doing it twice is doing it once. Reads always are. */
  idempotent?: boolean
  /** Reaches beyond this machine. */
  openWorld?: boolean
  /** What a person is asked before it runs, where it cannot be undone. */
  confirm?(input: z.output<I>): string
  /** The answer itself is bad news (a doctor that found failures): exit 1. */
  failed?(output: z.output<O>): boolean
  /** The exit code of an answer, where callers asked to see it there. */
  exitCode?(output: z.output<O>, input: z.output<I>): number
  /** The output for a person, with control characters made visible beforehand; without it a plain table is made. */
  human?(output: z.output<O>, paint: Paint): string | Promise<string>
  /** What a person sees of its events. `live`: on a terminal, with a line that says what is going on. */
  view?(paint: Paint, on: { live: boolean }): View<z.output<O>> | Promise<View<z.output<O>>>
  run(app: App, input: z.output<I>, call: Call): Promise<z.output<O>> | z.output<O>
}

// Its functions take the types of their own schemas, so a list of operations can only promise the schemas themselves.
export type AnyOperation = Operation

export function operation<const Name extends string, I extends z.ZodObject, O extends z.ZodType>(
  definition: Operation<Name, I, O>,
): Operation<Name, I, O> {
  return definition
}

/** The sections of `qed --help`, in its order. */
export const SECTIONS = ['work', 'review', 'knowledge', 'setup', 'service'] as const

/** A noun of the command line. Its file is loaded when the noun is used, so that start-up does not grow with the catalogue. */
export interface Group {
  noun: string
  about: string
  section: (typeof SECTIONS)[number]
  load(): Promise<{ operations: readonly AnyOperation[] }>
}

/** Every ability, loaded as it is asked for. */
export interface Catalogue {
  readonly groups: readonly Group[]
  /** The operations of one noun; none for a noun that does not exist. */
  group(noun: string): Promise<readonly AnyOperation[]>
  all(): Promise<AnyOperation[]>
  /** By name; throws `not_found` with the nearest names. */
  find(name: string): Promise<AnyOperation>
}
