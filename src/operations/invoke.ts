import * as z from 'zod'
import type { App } from '../app.ts'
import { ActorNotPerson, type InputIssue, InvalidInput, NotConfirmed } from '../kernel/errors.ts'
import { isPlainObject } from '../kernel/json.ts'
import { kebabCase, snakeCase } from '../kernel/names.ts'
import type { AnyOperation, Call } from './operation.ts'
import { shellWord } from './shell-word.ts'

/** Deeper than any input that means something. */
const MOST_DEPTH = 200

export interface InvokeOptions {
  /** What to do with keys that the input does not have. */
  unknownKeys: 'refuse' | 'ignore'
}

/** The one way into an operation, whatever the surface: check the input, check who asks, run.
 *  Nothing is opened before the input fits. */
export async function invoke(
  operation: AnyOperation,
  app: App,
  input: unknown,
  call: Call,
  options: InvokeOptions = { unknownKeys: 'refuse' },
): Promise<unknown> {
  const fitted = checkInput(`Input of ${operation.name}`, operation.input, input, options)
  if (operation.personOnly && call.caller.role !== 'person') throw new ActorNotPerson(operation.name, commandFor(operation, fitted))
  const question = operation.confirm?.(fitted)
  if (question !== undefined && call.confirm && !(await call.confirm(question))) throw new NotConfirmed(operation.name)
  call.signal.throwIfAborted()
  const output = await operation.run(app, fitted, call)
  return app.env['QED_CHECK_OUTPUT'] ? operation.output().parse(output) : output
}

/** The value in a schema's own spelling and checked by it. Throws `invalid_input` with a JSON pointer for each problem. */
export function checkInput<T extends z.ZodObject>(what: string, schema: T, value: unknown, options: InvokeOptions): z.output<T> {
  const given = value === undefined ? {} : value
  const unusable = findUnusable(given, options)
  if (unusable) throw new InvalidInput(what, [unusable])
  const parsed = schema.safeParse(withOwnSpelling(schema, given, options))
  if (parsed.success) return parsed.data
  throw new InvalidInput(
    what,
    parsed.error.issues.flatMap(issue => toIssues(issue, given)),
  )
}

/** The command line of an operation, without its arguments. */
export function commandOf(operation: { name: string }): string {
  return `qed ${operation.name.split('.').map(kebabCase).join(' ')}`
}

/** The same with what was given by position. */
function commandFor({ name, positional = [] }: AnyOperation, input: Record<string, unknown>): string {
  const given = positional.flatMap(key => (typeof input[key] === 'string' ? [shellWord(input[key])] : []))
  return [commandOf({ name }), ...given].join(' ')
}

/** What no schema sees: nesting that would exhaust the stack of whatever walks the value later, and `__proto__`, which free-form
 *  records drop without a word. With a stack of its own, because the value may be deeper than ours. */
function findUnusable(value: unknown, { unknownKeys }: InvokeOptions): InputIssue | undefined {
  const open = [{ value, path: [] as string[] }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { path } = next
    if (typeof next.value !== 'object' || next.value === null) continue
    if (path.length === MOST_DEPTH) return { path: pointer(path.slice(0, 3)), message: `nested deeper than ${MOST_DEPTH} levels` }
    for (const [key, member] of Object.entries(next.value)) {
      if (key === '__proto__' && unknownKeys === 'refuse') return { path: pointer([...path, key]), message: 'there is no such key' }
      if (typeof member === 'object' && member !== null) open.push({ value: member, path: [...path, key] })
    }
  }
  return undefined
}

function pointer(path: PropertyKey[]): string {
  return path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function toIssues(issue: z.core.$ZodIssue, given: unknown): InputIssue[] {
  const path = pointer(issue.path)
  if ((issue.code === 'invalid_type' || issue.code === 'invalid_union') && isMissing(given, issue.path))
    return [{ path, message: 'it is missing' }]
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
  return issue.keys.map(key => ({ path: pointer([...issue.path, key]), message: 'there is no such key' }))
}

function isMissing(given: unknown, path: readonly PropertyKey[]): boolean {
  const [key] = path
  return path.length === 1 && isPlainObject(given) && given[String(key)] === undefined
}

/** camelCase keys become the snake_case ones of the schema, at every depth that the schema describes; keys of free-form
 *  records are data and stay. */
function withOwnSpelling(schema: z.ZodType, value: unknown, options: InvokeOptions): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const element = inner.element as z.ZodType
    return value.map(item => withOwnSpelling(element, item, options))
  }
  if (!(inner instanceof z.ZodObject) || !isPlainObject(value)) return value
  const shape: Record<string, z.ZodType> = inner.shape
  // Without a prototype, so that `__proto__` is a key like any other.
  const spelled = Object.create(null) as Record<string, unknown>
  for (const [key, member] of Object.entries(value)) {
    const own = Object.hasOwn(shape, key) ? key : snakeCase(key)
    const memberSchema = Object.hasOwn(shape, own) ? shape[own] : undefined
    if (memberSchema) {
      if (own === key || !Object.hasOwn(value, own)) spelled[own] = withOwnSpelling(memberSchema, member, options)
    } else if (options.unknownKeys === 'refuse') spelled[key] = member
  }
  return spelled
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema
}
