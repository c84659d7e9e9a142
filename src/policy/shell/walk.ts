import {
  type AndOr,
  type Assignment,
  type Command,
  type CommandNode,
  type For,
  type If,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  type Statement,
  type TestExpression,
  type Word as WordNode,
} from 'unbash'
import { mayAssign } from './assignments.ts'
import { overridesBehaviour } from './env-names.ts'
import { type Folders, joined } from './folders.ts'
import type { Stdin } from './judgement.ts'
import { MOST_LEVELS, MOST_VARIANTS, MOST_WORDS } from './limits.ts'
import { listingOf } from './listing.ts'
import { movesShell } from './moves.ts'
import { expandGlobs } from './paths.ts'
import type { SegmentAssignment } from './reading.ts'
import { readRedirects } from './redirects.ts'
import { attachRedirects, readSimple, type SimpleCommand } from './simple.ts'
import type { Reader, ShellState } from './state.ts'
import { shown, staticWord, type Word } from './word.ts'
import { resolveWord, type WordScope } from './words.ts'

/** A reader that also counts. */
export interface Walker extends Reader {
  wordCount: number
}

export function walkScript(script: ParsedScript, state: ShellState, walker: Walker): Folders {
  const inside = script.source === undefined ? state : { ...state, source: script.source }
  const [error] = script.errors ?? []
  if (error) walker.unknown(error.message)
  if (state.depth > MOST_LEVELS) {
    walker.unknown(`more than ${MOST_LEVELS} levels`)
    return null
  }
  return walkList(script.commands, inside, walker)
}

function walkList(statements: readonly Statement[], state: ShellState, walker: Walker): Folders {
  let folders = state.folders
  for (const statement of statements) {
    const inside = folders === state.folders ? state : { ...state, folders }
    const first = walker.drafts.length
    const after = walkNode(statement.command, inside, walker)
    if (statement.background) {
      for (const { segment } of walker.drafts.slice(first)) if (!segment.flags.includes('background')) segment.flags.push('background')
    } else folders = joined(folders, after)
  }
  return folders
}

function deeper(state: ShellState): ShellState {
  return { ...state, depth: state.depth + 1 }
}

/** Only the kinds named here are known; everything else is unknown grammar, looked into as far as it goes. */
function walkNode(node: PipelineNode | AndOr, state: ShellState, walker: Walker): Folders {
  if (state.depth > MOST_LEVELS) {
    walker.unknown(`more than ${MOST_LEVELS} levels`)
    return null
  }
  switch (node.type) {
    case 'Command':
      return walkCommand(node, state, walker)
    case 'AndOr':
      return walkAndOr(node, state, walker)
    case 'Pipeline':
      return walkPipeline(node, state, walker)
    case 'Subshell':
      walkList(node.body.commands, { ...deeper(state), via: 'subshell' }, walker)
      return state.folders
    case 'BraceGroup':
      return walkList(node.body.commands, deeper(state), walker)
    case 'If':
      return walkIf(node, deeper(state), walker)
    case 'For':
      return walkFor(node, deeper(state), walker)
    case 'While': {
      const inside = loopState(node, deeper(state))
      const clause = walkList(node.clause.commands, inside, walker)
      const body = walkList(node.body.commands, { ...inside, folders: joined(inside.folders, clause) }, walker)
      return joined(inside.folders, joined(clause, body))
    }
    case 'Case': {
      walkWords([node.word, ...node.items.flatMap(item => item.pattern)], state, walker)
      return node.items
        .map(item => walkList(item.body.commands, deeper(state), walker))
        .reduce((all, one) => joined(all, one), state.folders)
    }
    case 'Redirected': {
      const scoped = scopeFor(state, walker)
      const redirects = readRedirects(node.redirects, scoped.scope)
      walkFound(scoped, state, walker)
      const first = walker.drafts.length
      const after = walkNode(node.command, { ...state, stdin: redirects.stdin ?? state.stdin }, walker)
      const draft = walker.drafts[first]
      if (draft) attachRedirects(draft, redirects, state, walker)
      else if (redirects.shown.length > 0) walker.unknown('redirection of nothing')
      return after
    }
    case 'TestCommand':
      return walkTest(node.expression, node.pos, node.end, state, walker)
    case 'Function':
    case 'Coproc':
      walker.unknown(node.type === 'Function' ? 'function definition' : 'coproc')
      if (node.body.type === 'CompoundList') walkList(node.body.commands, deeper(state), walker)
      else walkNode(node.body, deeper(state), walker)
      return null
    case 'Select':
    case 'ArithmeticFor':
      walker.unknown(node.type === 'Select' ? 'select' : 'arithmetic loop')
      walkList(node.body.commands, deeper(state), walker)
      return null
    default:
      walker.unknown('arithmetic command')
      return state.folders
  }
}

function walkAndOr(node: AndOr, state: ShellState, walker: Walker): Folders {
  let onSuccess = state.folders
  let possible = state.folders
  node.commands.forEach((command, i) => {
    const isAfterFailure = node.operators[i - 1] === '||'
    const after = walkNode(command, { ...state, folders: isAfterFailure ? possible : onSuccess }, walker)
    onSuccess = isAfterFailure ? joined(onSuccess, after) : after
    possible = joined(possible, after)
  })
  return possible
}

function walkPipeline(node: Pipeline, state: ShellState, walker: Walker): Folders {
  const isTimed = node.prefixes.some(prefix => prefix.type === 'Time')
  const base = isTimed ? { ...state, outer: { ...state.outer, wrappers: [...state.outer.wrappers, 'time'] } } : state
  const [only] = node.commands
  // A negated command's success is its failure.
  if (node.commands.length === 1 && only) return joined(state.folders, walkNode(only, base, walker))
  const start = walker.drafts.length
  let stdin: Stdin = base.stdin
  for (const command of node.commands) {
    const first = walker.drafts.length
    walkNode(command, { ...base, stdin }, walker)
    stdin = pipeFrom(command, start, first, stdin, walker)
  }
  return state.folders
}

function pipeFrom(command: CommandNode, start: number, first: number, before: Stdin, walker: Walker): Stdin {
  const network = walker.drafts.slice(start).some(draft => draft.hosts.length > 0) || (before.kind === 'pipe' && before.network)
  const upstream = before.kind === 'pipe' ? before.listing : null
  const isPlain = command.type === 'Command' && walker.drafts.length === first + 1
  return { kind: 'pipe', network, listing: isPlain ? listingOf(walker.drafts[first]?.segment, upstream) : null }
}

function walkIf(node: If, state: ShellState, walker: Walker): Folders {
  let folders = walkList(node.clause.commands, state, walker)
  let ends = walkList(node.then.commands, { ...state, folders }, walker)
  for (const branch of node.elif) {
    folders = joined(folders, walkList(branch.clause.commands, { ...state, folders }, walker))
    ends = joined(ends, walkList(branch.then.commands, { ...state, folders }, walker))
  }
  if (node.else) ends = joined(ends, walkList(node.else.commands, { ...state, folders }, walker))
  return joined(folders, ends)
}

/** Inside a loop that moves the shell nobody knows after how many rounds a command runs. */
function loopState(node: CommandNode, state: ShellState): ShellState {
  return movesShell(node) ? { ...state, folders: null } : state
}

function walkFor(node: For, state: ShellState, walker: Walker): Folders {
  const name = node.name.text
  const body = state.source.slice(node.body.pos, node.body.end)
  const words = walkWords(node.wordlist ?? [], state, walker)
  if (overridesBehaviour(name)) walker.unknown(`loop over ${name}`)
  const inside = loopState(node, state)
  const values = expandGlobs(words, state.folders, walker.facts).words
  const isCertain =
    node.wordlist !== undefined && values.length <= MOST_VARIANTS && values.every(word => word.kind !== 'dynamic') && !mayAssign(body, name)
  const variables = new Map(state.variables)
  if (isCertain) variables.set(name, values)
  else variables.delete(name)
  return joined(inside.folders, walkList(node.body.commands, { ...inside, variables }, walker))
}

const TEST_BEFORE = /^-[abcdefghknprstuwxzGLNOS]$/
const TEST_BETWEEN = new Set(['=', '==', '!=', '<', '>', '=~', '-nt', '-ot', '-ef'])

function walkTest(expression: TestExpression, pos: number, end: number, state: ShellState, walker: Walker): Folders {
  const nodes: WordNode[] = []
  collectTest(expression, nodes, walker)
  const argv = [staticWord('[['), ...walkWords(nodes, state, walker)]
  const { text, range } = place(pos, end, state)
  // Inside double brackets nothing splits and no pattern matches files.
  const words = argv.map(({ text: value, kind }): Word => ({ text: value, kind: kind === 'glob' ? 'static' : kind }))
  const command: SimpleCommand = { ...emptyCommand(text, range), argv: words }
  return readSimple(command, state, walker)
}

function collectTest(expression: TestExpression, nodes: WordNode[], walker: Walker): void {
  switch (expression.type) {
    case 'TestUnary':
      if (!TEST_BEFORE.test(expression.operator)) walker.unknown(`[[ ${expression.operator} ]]`)
      nodes.push(expression.operand)
      return
    case 'TestBinary':
      if (!TEST_BETWEEN.has(expression.operator)) walker.unknown(`[[ ${expression.operator} ]]`)
      nodes.push(expression.left, expression.right)
      return
    case 'TestLogical':
      for (const operand of expression.operands) collectTest(operand, nodes, walker)
      return
    case 'TestNot':
      return collectTest(expression.operand, nodes, walker)
    case 'TestGroup':
      return collectTest(expression.expression, nodes, walker)
  }
}

interface Scoped {
  scope: WordScope
  scripts: { script: ParsedScript; writtenTo: boolean }[]
  secrets: string[]
  /** Loop variables that the words use. */
  used: Set<string>
  choose(name: string, value: Word): void
  /** After the first resolving the same scripts turn up again. */
  close(): void
}

function scopeFor(state: ShellState, walker: Walker): Scoped {
  const chosen = new Map<string, Word>()
  const used = new Set<string>()
  const scripts: Scoped['scripts'] = []
  const secrets: string[] = []
  let isOpen = true
  const here = state.folders?.length === 1 ? state.folders[0] : undefined
  const known: Record<string, string | undefined> = { HOME: walker.facts.home, PWD: here, TMPDIR: walker.facts.tmp }
  const scope: WordScope = {
    home: walker.facts.home,
    valueOf: name => {
      const values = state.variables.get(name)
      if (values) {
        used.add(name)
        return chosen.get(name)
      }
      const value = Object.hasOwn(known, name) ? known[name] : undefined
      return value === undefined || value === '' || walker.isReassigned(name) ? undefined : staticWord(value)
    },
    foundScript: (script, writtenTo) => void (isOpen && scripts.push({ script, writtenTo })),
    foundSecret: name => void (isOpen && secrets.push(name)),
    foundUnknown: reason => walker.unknown(reason),
  }
  return { scope, scripts, secrets, used, choose: (name, value) => void chosen.set(name, value), close: () => void (isOpen = false) }
}

/** Reads the scripts that were found inside words. True when one of them reaches another machine. */
function walkFound({ scripts }: Scoped, state: ShellState, walker: Walker): boolean {
  const first = walker.drafts.length
  for (const { script, writtenTo } of scripts) {
    const stdin: Stdin = writtenTo ? { kind: 'pipe', network: false, listing: null } : state.stdin
    walkScript(script, { ...deeper(state), via: 'substitution', stdin, fed: null }, walker)
  }
  return walker.drafts.slice(first).some(draft => draft.hosts.length > 0)
}

function walkWords(nodes: readonly WordNode[], state: ShellState, walker: Walker): Word[] {
  const scoped = scopeFor(state, walker)
  const words = nodes.flatMap(node => resolveWord(node, scoped.scope))
  countWords(words.length, walker)
  walkFound(scoped, state, walker)
  return words
}

function countWords(count: number, walker: Walker): void {
  walker.wordCount += count
  if (walker.wordCount > MOST_WORDS) walker.unknown(`more than ${MOST_WORDS} words`)
}

function place(pos: number, end: number, state: ShellState): { text: string; range: [number, number] } {
  return { text: state.source.slice(pos, end), range: state.origin ?? [pos, end] }
}

function emptyCommand(text: string, range: [number, number]): SimpleCommand {
  const redirects = { shown: [], paths: [], hosts: [], flags: [], stdin: null, hasDynamicTarget: false }
  return { argv: [], assignments: [], redirects, secrets: [], text, range, isBackground: false, bringsNetwork: false }
}

function walkCommand(node: Command, state: ShellState, walker: Walker): Folders {
  if (walker.wordCount > MOST_WORDS) return null
  const scoped = scopeFor(state, walker)
  const first = resolveCommand(node, state, scoped, walker)
  const variants = scoped.used.size === 0 ? [] : combinations([...scoped.used], state)
  scoped.close()
  const bringsNetwork = scoped.scripts.length > 0 && walkFound(scoped, state, walker)
  countWords(first.argv.length, walker)
  if (variants === null || variants.length === 0) return readSimple({ ...first, secrets: scoped.secrets, bringsNetwork }, state, walker)
  let folders: Folders = state.folders
  for (const variant of variants) {
    for (const [name, value] of variant) scoped.choose(name, value)
    const command = resolveCommand(node, state, scoped, walker)
    countWords(command.argv.length, walker)
    folders = joined(folders, readSimple({ ...command, secrets: scoped.secrets, bringsNetwork }, state, walker))
  }
  return folders
}

/** Every choice of values for the loop variables a command uses; null when there are too many. */
function combinations(names: readonly string[], state: ShellState): [string, Word][][] | null {
  let all: [string, Word][][] = [[]]
  for (const name of names) {
    const values = state.variables.get(name) ?? []
    if (all.length * values.length > MOST_VARIANTS) return null
    all = all.flatMap(start => values.map((value): [string, Word][] => [...start, [name, value]]))
  }
  return all
}

function resolveCommand(node: Command, state: ShellState, { scope }: Scoped, walker: Walker): SimpleCommand {
  const { text, range } = place(node.pos, node.end, state)
  const assignments: SegmentAssignment[] = []
  for (const part of node.prefix) if (part.type === 'Assignment') assignments.push(readAssignment(part, scope, walker))
  const argv: Word[] = node.name ? resolveWord(node.name, scope) : []
  for (const argument of node.args) {
    if (argument.type === 'Word') argv.push(...resolveWord(argument, scope))
    else argv.push(declared(readAssignment(argument, scope, walker)))
  }
  const redirects = readRedirects(node.redirects, scope)
  return { argv, assignments, redirects, secrets: [], text, range, isBackground: false, bringsNetwork: false }
}

function readAssignment(node: Assignment, scope: WordScope, walker: Walker): SegmentAssignment {
  if (node.index) {
    walker.unknown('array')
    resolveWord(node.index, scope)
  }
  if (node.value.type === 'ArrayValue') {
    walker.unknown('array')
    for (const element of node.value.elements) resolveWord(element, scope)
    return { name: node.name, value: { text: '', kind: 'dynamic' } }
  }
  // What a variable holds is no argument yet, so that a secret in it is not printed here.
  const [word] = resolveWord(node.value, { ...scope, foundSecret: () => {} })
  return { name: node.name, value: shown(word ?? staticWord('')) }
}

function declared({ name, value }: SegmentAssignment): Word {
  return { text: `${name}=${value.text}`, kind: value.kind === 'glob' ? 'static' : value.kind }
}
