import { type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser'
import { isPlainObject } from '../../kernel/json.ts'
import { compileSensitive } from '../paths/sensitive.ts'
import type { PathPattern } from '../patterns/path-pattern.ts'
import type { ReadShell } from '../shell-port.ts'
import type { Category, Verdict } from '../types.ts'
import { type CompiledRule, compileRule } from './compile.ts'
import { checkExamples, missingExamples } from './examples.ts'
import { PolicyFile, type Rule } from './schema.ts'
import { tooBroad } from './too-broad.ts'

/** One policy file, ready to be asked. */
export interface LoadedPolicy {
  kind: 'loaded'
  categories: Partial<Record<Category, Verdict>>
  rules: CompiledRule[]
  sensitive: PathPattern[]
  warnings: PolicyProblem[]
}

/** A file that exists and cannot be used: its layer denies all but reading. */
export interface UnloadablePolicy {
  kind: 'unloadable'
  problems: PolicyProblem[]
}

interface PolicyProblem {
  code: 'not-json' | 'wrong-shape' | 'duplicate-id' | 'bad-pattern' | 'too-broad' | 'example-missing' | 'example-failed' | 'no-effect'
  rule?: string
  example?: string
  message: string
}

export const EMPTY_POLICY: LoadedPolicy = { kind: 'loaded', categories: {}, rules: [], sensitive: [], warnings: [] }

/** Reads the text of a policy file, JSON with comments. */
export function loadPolicy(text: string, readShell: ReadShell): LoadedPolicy | UnloadablePolicy {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const twice = errors.length === 0 ? repeatedKey(parseTree(text)) : null
  // Readers would see one of the two, and not all of them the same one.
  if (twice !== null) return unloadable([{ code: 'not-json', message: `the key ${twice} stands twice in one object` }])
  const [error] = errors
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length
    return unloadable([{ code: 'not-json', message: `line ${line}: ${printParseErrorCode(error.error)}` }])
  }
  return loadPolicyValue(value, readShell)
}

function repeatedKey(node: Node | undefined): string | null {
  if (!node?.children) return null
  const keys = node.type === 'object' ? node.children.map(member => String(member.children?.[0]?.value)) : []
  const twice = keys.find((key, i) => keys.indexOf(key) !== i)
  if (twice !== undefined) return twice
  for (const child of node.children) {
    const found = repeatedKey(child)
    if (found !== null) return found
  }
  return null
}

/** The same for a value. Everything that is wrong is said at once. */
export function loadPolicyValue(value: unknown, readShell: ReadShell): LoadedPolicy | UnloadablePolicy {
  const parsed = PolicyFile().safeParse(value)
  if (!parsed.success)
    return unloadable(parsed.error.issues.map(issue => ({ code: 'wrong-shape', message: `${issue.path.join('.')}: ${issue.message}` })))
  const { categories, rules, sensitive } = parsed.data
  const problems: PolicyProblem[] = duplicates(rules)
  const compiled = rules.flatMap(rule => checkedRule(rule, readShell, problems))
  const patterns = sensitive.flatMap(pattern => checkedPattern(pattern, problems))
  if (problems.length > 0) return unloadable(problems)
  return { kind: 'loaded', categories, rules: compiled, sensitive: patterns, warnings: warningsOf(categories, rules) }
}

/** An agent's permissions are the categories of its layer. */
export function permissionsAsPolicy(value: unknown): unknown {
  if (!isPlainObject(value)) return value
  const isFile = ['version', 'categories', 'rules', 'sensitive'].some(key => key in value)
  return isFile ? { version: 1, ...value } : { version: 1, categories: value }
}

function unloadable(problems: PolicyProblem[]): UnloadablePolicy {
  return { kind: 'unloadable', problems }
}

function duplicates(rules: Rule[]): PolicyProblem[] {
  const seen = new Set<string>()
  return rules.flatMap(({ id }) => {
    if (!seen.has(id)) {
      seen.add(id)
      return []
    }
    return [{ code: 'duplicate-id' as const, rule: id, message: `two rules are called ${id}` }]
  })
}

function checkedRule(rule: Rule, readShell: ReadShell, problems: PolicyProblem[]): CompiledRule[] {
  const broad = tooBroad(rule)
  if (broad) problems.push({ code: 'too-broad', rule: rule.id, message: broad })
  const compiled = attempt(() => compileRule(rule), rule.id, problems)
  if (!compiled) return []
  const missing = missingExamples(compiled)
  if (missing) problems.push({ code: 'example-missing', rule: rule.id, message: missing })
  for (const { example, wanted } of checkExamples(compiled, readShell)) {
    const message = `rule ${rule.id} ${wanted === 'match' ? 'does not match' : 'matches'} its ${wanted} example: ${example}`
    problems.push({ code: 'example-failed', rule: rule.id, example, message })
  }
  return [compiled]
}

function checkedPattern(pattern: string, problems: PolicyProblem[]): PathPattern[] {
  const compiled = attempt(() => compileSensitive(pattern), undefined, problems)
  return compiled ? [compiled] : []
}

function attempt<T>(compile: () => T, rule: string | undefined, problems: PolicyProblem[]): T | null {
  try {
    return compile()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    problems.push({ code: 'bad-pattern', ...(rule !== undefined && { rule }), message })
    return null
  }
}

// Nothing outside the roots can be opened by a setting; saying so in a file is a mistake worth telling, not an error.
function warningsOf(categories: Partial<Record<Category, Verdict>>, rules: Rule[]): PolicyProblem[] {
  const message = 'external-directory can only be denied; add the folder to "roots" of your personal config instead'
  const own = categories['external-directory']
  return [
    ...(own !== undefined && own !== 'deny' ? [{ code: 'no-effect' as const, message }] : []),
    ...rules
      .filter(rule => rule.category === 'external-directory' && rule.effect !== 'deny')
      .map(rule => ({ code: 'no-effect' as const, rule: rule.id, message })),
  ]
}
