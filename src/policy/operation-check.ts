import { isPlainObject } from '../kernel/json.ts'
import { CATEGORIES } from './types.ts'

const MODES = new Set<unknown>(['act', 'ask', 'plan', 'advisor'])
const ACCESSES = new Set<unknown>(['read', 'list', 'write', 'create', 'delete', 'move', 'link'])
const MOST_PARENTS = 16

type Check = (value: unknown) => boolean

const isText: Check = value => typeof value === 'string'
const isTexts: Check = value => Array.isArray(value) && value.every(isText)
const optional =
  (check: Check): Check =>
  value =>
    value === undefined || check(value)
const listOf =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check)
const shape = (members: Record<string, Check>): Check => {
  const checks = Object.entries(members)
  return value => isPlainObject(value) && checks.every(([name, check]) => check(value[name]))
}

const isRoot = shape({ path: isText, real: isAbsolute, access: value => value === 'read' || value === 'write' })

const FACTS: Record<string, Check> = {
  roots: listOf(isRoot),
  paths: isPlainObject,
  globs: isPlainObject,
  sensitiveBelow: isPlainObject,
  ignoredBelow: optional(isPlainObject),
  below: optional(isPlainObject),
  inside: optional(isPlainObject),
  caseInsensitive: value => typeof value === 'boolean',
  manifestKeysChanged: optional(isTexts),
  sacredLoaded: value => typeof value === 'boolean',
  home: isText,
  tmp: isText,
  createdByRun: isTexts,
  branchesOfRun: isTexts,
  pidsOfRun: Array.isArray,
  isolation: value => value === null || (isPlainObject(value) && isPlainObject(value['facets'])),
  scratch: optional(isText),
  personal: optional(isTexts),
  deployed: optional(isTexts),
}

const BRIEF: Record<string, Check> = {
  files_owned: isTexts,
  verify: optional(isText),
  allow_commands: optional(isTexts),
  allow_network: optional(isTexts),
  destructive: optional(isTexts),
  audit_gates: optional(isTexts),
  rubric: optional(isTexts),
}

const OPERATION: Record<string, Check> = {
  verb: value => typeof value === 'string' && value !== '',
  category: optional(value => (CATEGORIES as readonly unknown[]).includes(value)),
  command: optional(isText),
  argv: optional(value => isTexts(value) && (value as string[]).length > 0),
  paths: optional(
    listOf(
      shape({
        path: isText,
        access: value => ACCESSES.has(value),
        recursive: optional(value => typeof value === 'boolean'),
      }),
    ),
  ),
  url: optional(isText),
  tool: optional(isText),
  secret: optional(isText),
  memory: optional(shape({ scope: value => value === 'project' || value === 'personal' })),
  cwd: isAbsolute,
  facts: shape(FACTS),
  context: value => isContext(value, 0),
}

/** The name of the first member that is not what an operation needs, or null. By hand: this runs before every effect. */
export function malformedMember(value: unknown): string | null {
  if (!isPlainObject(value)) return 'operation'
  for (const [name, check] of Object.entries(OPERATION)) if (!check(value[name])) return name
  return null
}

/** The approver that even a broken operation may name. */
export function approverOf(value: unknown): 'person' | 'none' {
  const context = isPlainObject(value) ? value['context'] : undefined
  return isPlainObject(context) && context['approver'] === 'none' ? 'none' : 'person'
}

function isContext(value: unknown, depth: number): boolean {
  if (!isPlainObject(value) || depth > MOST_PARENTS) return false
  const { mode, surface, agent, brief, approver, gates, rubric, parent, profile } = value
  return (
    MODES.has(mode) &&
    isText(surface) &&
    (approver === 'person' || approver === 'none') &&
    [agent].every(optional(isText)) &&
    [gates, rubric].every(optional(isTexts)) &&
    optional(shape(BRIEF))(brief) &&
    optional(shape({ name: isText, tools: isTexts }))(profile) &&
    (parent === undefined || isContext(parent, depth + 1))
  )
}

function isAbsolute(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/')
}
