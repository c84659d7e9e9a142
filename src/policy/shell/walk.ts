import type { AndOr, CommandNode, For, If, ParsedScript, Pipeline, PipelineNode, Statement, TestExpression, Word as WordNode } from 'unbash'
import { mayAssign } from './assignments.ts'
import { place, scopeFor, walkCommand, walkFound, walkWords } from './command.ts'
import { overridesBehaviour } from './env-names.ts'
import { type Folders, joined } from './folders.ts'
import type { Stdin } from './judgement.ts'
import { MOST_LEVELS, MOST_VARIANTS } from './limits.ts'
import { listingOf } from './listing.ts'
import { movesShell } from './moves.ts'
import { expandGlobs } from './paths.ts'
import { readRedirects } from './redirects.ts'
import { attachRedirects, bareCommand } from './segment.ts'
import { readSimple } from './simple.ts'
import type { ShellState, Walker } from './state.ts'
import { staticWord, type Word } from './word.ts'

export function walkScript(script: ParsedScript, state: ShellState, walker: Walker): Folders {
  // Escapes inside backticks make a text of their own, whose offsets are not the command's.
  const origin = state.origin ?? [0, state.source.length]
  const inside: ShellState = script.source === undefined ? state : { ...state, source: script.source, origin }
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
    const { after, isCertain } = walkMoving(statement.command, inside, walker)
    if (statement.background) {
      for (const { segment } of walker.drafts.slice(first)) if (!segment.flags.includes('background')) segment.flags.push('background')
    } else folders = isCertain ? after : joined(folders, after)
  }
  return folders
}

/** Where the shell may stand behind a command; `isCertain`: whether it succeeds or not. A plain `cd` into a folder that is there
 *  cannot fail, so that the old one is left, unless something before may have changed it. */
function walkMoving(node: PipelineNode | AndOr, state: ShellState, walker: Walker): { after: Folders; isCertain: boolean } {
  const isUndisturbed = walker.drafts.every(({ segment }) => segment.class === 'read-only')
  const after = walkNode(node, state, walker)
  if (node.type === 'AndOr') return { after, isCertain: true }
  const isPlainCd = node.type === 'Command' && node.name?.parts === undefined && node.name?.value === 'cd'
  const { paths } = walker.facts
  // A folder that may not be entered shows nothing of what would be in it.
  const isThere = (folder: string): boolean => paths[folder]?.type === 'folder' && paths[`${folder}/cd`] !== undefined
  return { after, isCertain: isUndisturbed && isPlainCd && after !== null && after.every(isThere) }
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
      const { secrets } = walkWords([node.word, ...node.items.flatMap(item => item.pattern)], state, walker)
      const first = walker.drafts.length
      const ends = node.items.map(item => walkList(item.body.commands, deeper(state), walker))
      // Which branch is taken tells what the word holds.
      walker.drafts[first]?.secrets.push(...secrets)
      return ends.reduce((all, one) => joined(all, one), state.folders)
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
  let cannotFail = true
  node.commands.forEach((command, i) => {
    const isAfterFailure = node.operators[i - 1] === '||'
    const { after, isCertain } = walkMoving(command, { ...state, folders: isAfterFailure ? possible : onSuccess }, walker)
    cannotFail &&= isCertain && !isAfterFailure
    onSuccess = isAfterFailure ? joined(onSuccess, after) : after
    possible = cannotFail ? after : joined(possible, after)
  })
  return possible
}

function walkPipeline(node: Pipeline, state: ShellState, walker: Walker): Folders {
  const isTimed = node.prefixes.some(prefix => prefix.type === 'Time')
  const base = isTimed ? { ...state, outer: { ...state.outer, wrappers: [...state.outer.wrappers, 'time'] } } : state
  const [only] = node.commands
  // Only one option belongs to the shell's own `time`; with others the program of that name is meant, which writes files.
  if (isTimed && only?.type === 'Command' && only.name?.value.startsWith('-')) walker.unknown('time with options')
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
  const { words, secrets } = walkWords(node.wordlist ?? [], state, walker)
  if (secrets.length > 0) walker.taint(name)
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
  const found = walkWords(nodes, state, walker)
  const argv = [staticWord('[['), ...found.words]
  const { text, range } = place(pos, end, state)
  // Inside double brackets nothing splits and no pattern matches files.
  const words = argv.map(({ text: value, kind }): Word => ({ text: value, kind: kind === 'glob' ? 'static' : kind }))
  return readSimple({ ...bareCommand(words, text, range), secrets: found.secrets }, state, walker)
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
