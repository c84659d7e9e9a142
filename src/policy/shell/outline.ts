import {
  type AndOr,
  type Command,
  type CommandNode,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Statement,
  type TestExpression,
  type Word as WordNode,
} from 'unbash'
import { MOST_LEVELS, MOST_WRAPPERS, textFault } from './limits.ts'
import { readRedirects } from './redirects.ts'
import { unwrap, unwrapXargs } from './unwrap.ts'
import { staticWord, type Word } from './word.ts'
import { resolveWord, type WordScope } from './words.ts'
import { SHELLS } from './wrapper-table.ts'

/** The shape of a shell text as far as its exit status goes: who stands behind whom, wrappers taken off. */
export type Outline =
  /** One program. `scripts` are substitutions inside its words. */
  | { kind: 'command'; argv: OutlineWord[]; scripts: Outline[] }
  /** Assignments alone; the status is that of the last substitution. */
  | { kind: 'assignment'; values: { name: string; value: string }[]; scripts: Outline[] }
  /** Another shell with a text of its own; `options` are the shell's own words, none where the same shell reads it (`eval`). */
  | { kind: 'shell'; options: string[]; body: Outline }
  | { kind: 'list'; items: { body: Outline; background: boolean }[] }
  | { kind: 'and-or'; first: Outline; rest: { operator: '&&' | '||'; body: Outline }[] }
  | { kind: 'pipe'; items: Outline[] }
  | { kind: 'not'; body: Outline }
  | { kind: 'subshell'; body: Outline }
  | { kind: 'if'; branches: { condition: Outline; body: Outline }[]; otherwise: Outline | null }
  | { kind: 'loop'; condition: Outline | null; body: Outline }
  | { kind: 'case'; scripts: Outline[]; branches: Outline[] }
  /** Outside the grammar that is read, so nothing can be said about its status. */
  | { kind: 'unknown'; why: string }

export interface OutlineWord {
  text: string
  /** Its value is certain. */
  static: boolean
}

/** Reads a text. Never throws; what cannot be read is `unknown` where it stands. */
export function outlineShell(text: string): Outline {
  const fault = textFault(text)
  if (fault) return unknown(fault.reason)
  try {
    return scriptOutline(parse(text), 0)
  } catch (error) {
    // The parser recurses; a text can be deeper than the stack.
    return unknown(error instanceof Error ? error.message : 'unknown fault')
  }
}

/** The outlines that one holds, in the order in which they stand. */
export function partsOfOutline(outline: Outline): Outline[] {
  switch (outline.kind) {
    case 'unknown':
      return []
    case 'command':
    case 'assignment':
      return outline.scripts
    case 'list':
      return outline.items.map(item => item.body)
    case 'and-or':
      return [outline.first, ...outline.rest.map(one => one.body)]
    case 'pipe':
      return outline.items
    case 'if':
      return [...outline.branches.flatMap(branch => [branch.condition, branch.body]), ...(outline.otherwise ? [outline.otherwise] : [])]
    case 'loop':
      return [...(outline.condition ? [outline.condition] : []), outline.body]
    case 'case':
      return [...outline.scripts, ...outline.branches]
    case 'shell':
    case 'not':
    case 'subshell':
      return [outline.body]
  }
}

function unknown(why: string): Outline {
  return { kind: 'unknown', why }
}

function scriptOutline(script: ParsedScript, depth: number): Outline {
  const [error] = script.errors ?? []
  if (error) return unknown(error.message)
  return listOutline(script.commands, depth)
}

function listOutline(statements: readonly Statement[], depth: number): Outline {
  if (depth > MOST_LEVELS) return unknown(`more than ${MOST_LEVELS} levels`)
  return {
    kind: 'list',
    items: statements.map(({ command, background }) => ({ body: nodeOutline(command, depth), background: background === true })),
  }
}

function nodeOutline(node: PipelineNode | AndOr, depth: number): Outline {
  switch (node.type) {
    case 'AndOr': {
      const [first, ...rest] = node.commands.map(command => nodeOutline(command, depth))
      if (first === undefined) return unknown('an empty list')
      return { kind: 'and-or', first, rest: rest.map((body, i) => ({ operator: node.operators[i] ?? '&&', body })) }
    }
    case 'Pipeline': {
      const items = node.commands.map(command => nodeOutline(command, depth))
      const [only] = items
      const body: Outline = items.length === 1 && only ? only : { kind: 'pipe', items }
      const negations = node.prefixes.filter(prefix => prefix.type === 'Negation').length
      return negations % 2 === 1 ? { kind: 'not', body } : body
    }
    default:
      return commandOutline(node, depth)
  }
}

function commandOutline(node: CommandNode, depth: number): Outline {
  const inside = depth + 1
  switch (node.type) {
    case 'Command':
      return simpleOutline(node, depth)
    case 'Subshell':
      return { kind: 'subshell', body: listOutline(node.body.commands, inside) }
    case 'BraceGroup':
      return listOutline(node.body.commands, inside)
    case 'Redirected':
      return commandOutline(node.command, depth)
    case 'If':
      return {
        kind: 'if',
        branches: [node, ...node.elif].map(branch => ({
          condition: listOutline(branch.clause.commands, inside),
          body: listOutline(branch.then.commands, inside),
        })),
        otherwise: node.else ? listOutline(node.else.commands, inside) : null,
      }
    case 'For':
      return { kind: 'loop', condition: null, body: listOutline(node.body.commands, inside) }
    case 'While':
      return { kind: 'loop', condition: listOutline(node.clause.commands, inside), body: listOutline(node.body.commands, inside) }
    case 'Case': {
      const reader = new WordReader(inside)
      reader.read(node.word)
      return { kind: 'case', scripts: reader.scripts, branches: node.items.map(item => listOutline(item.body.commands, inside)) }
    }
    case 'TestCommand': {
      const reader = new WordReader(inside)
      const argv = [
        staticWord('[['),
        ...testWords(node.expression).flatMap(word => (typeof word === 'string' ? [staticWord(word)] : reader.read(word))),
      ]
      return { kind: 'command', argv: argv.map(shownWord), scripts: reader.scripts }
    }
    default:
      // A function could carry the name of the program that judges.
      return unknown(`${node.type.toLowerCase()} is not read here`)
  }
}

function testWords(expression: TestExpression): (WordNode | string)[] {
  switch (expression.type) {
    case 'TestUnary':
      return [expression.operator, expression.operand]
    case 'TestBinary':
      return [expression.left, expression.operator, expression.right]
    case 'TestLogical':
      return expression.operands.flatMap(testWords)
    case 'TestNot':
      return testWords(expression.operand)
    case 'TestGroup':
      return testWords(expression.expression)
  }
}

class WordReader implements WordScope {
  readonly home = '~'
  readonly scripts: Outline[] = []
  readonly #depth: number

  constructor(depth: number) {
    this.#depth = depth
  }

  read(node: WordNode): Word[] {
    return resolveWord(node, this)
  }

  valueOf(): undefined {
    return undefined
  }

  isSecret(): boolean {
    return false
  }

  foundScript(script: ParsedScript): void {
    this.scripts.push(scriptOutline(script, this.#depth + 1))
  }

  foundSecret(): void {
    // Nothing is shown to anyone here.
  }

  foundUnknown(): void {
    // A word of unknown value is dynamic, and that is all that matters for a status.
  }
}

function simpleOutline(node: Command, depth: number): Outline {
  const reader = new WordReader(depth)
  if (node.name === undefined) {
    const values = node.prefix.flatMap(part => {
      if (part.type !== 'Assignment' || part.value.type !== 'Word') return []
      return [{ name: part.name, value: reader.read(part.value)[0]?.text ?? '' }]
    })
    return { kind: 'assignment', values, scripts: reader.scripts }
  }
  const argv = reader.read(node.name)
  for (const argument of node.args) {
    if (argument.type === 'Word') argv.push(...reader.read(argument))
    else {
      if (argument.value.type === 'Word') reader.read(argument.value)
      argv.push({ text: argument.text, kind: 'dynamic' })
    }
  }
  const { stdin } = readRedirects(node.redirects, reader)
  return unwrapped(argv, stdin?.kind === 'text' ? stdin.text : null, reader.scripts, depth)
}

function unwrapped(written: Word[], input: string | null, scripts: Outline[], depth: number): Outline {
  let argv = written
  for (let count = 0; count <= MOST_WRAPPERS; count++) {
    const base = baseName(argv[0])
    if (base === 'xargs') {
      argv = unwrapXargs(argv).inner
      continue
    }
    const step = base === null ? null : unwrap(base, argv)
    if (step === null) return plain(argv, scripts, depth)
    if (step.kind === 'command') {
      argv = step.inner
      if (base === 'exec') return ended(unwrapped(argv, input, scripts, depth))
      continue
    }
    const options = step.own.map(word => word.text)
    if (step.kind === 'script') return { kind: 'shell', options, body: innerText(step.text, depth) }
    if (step.script === null && input !== null) return { kind: 'shell', options, body: nested(input, depth) }
    return { kind: 'command', argv: argv.map(shownWord), scripts }
  }
  return unknown(`more than ${MOST_WRAPPERS} wrappers`)
}

/** A command in whose place the shell stands no longer. */
function ended(body: Outline): Outline {
  const exit: Outline = { kind: 'command', argv: [{ text: 'exit', static: true }], scripts: [] }
  return { kind: 'list', items: [body, exit].map(item => ({ body: item, background: false })) }
}

/** A program that starts a shell further on in its words (`docker exec x sh -c …`) is looked into as well. */
function plain(argv: Word[], scripts: Outline[], depth: number): Outline {
  const at = argv.findIndex((word, i) => i > 0 && SHELLS.has(baseName(word) ?? '') && /^-\w*c$/.test(argv[i + 1]?.text ?? ''))
  const step = at < 0 ? null : unwrap(baseName(argv[at]) ?? '', argv.slice(at))
  if (step?.kind === 'script') return { kind: 'shell', options: step.own.map(word => word.text), body: innerText(step.text, depth) }
  return { kind: 'command', argv: argv.map(shownWord), scripts }
}

function innerText(word: Word, depth: number): Outline {
  // What an expansion brings in is a word or a few; the shape is that of the text as it is written.
  return word.kind === 'glob' ? unknown('a text that is only known when it runs') : nested(word.text, depth)
}

function nested(text: string, depth: number): Outline {
  const fault = textFault(text)
  if (fault) return unknown(fault.reason)
  return depth >= MOST_LEVELS ? unknown(`more than ${MOST_LEVELS} levels`) : scriptOutline(parse(text), depth + 1)
}

function baseName(word: Word | undefined): string | null {
  return word?.kind === 'static' ? word.text.slice(word.text.lastIndexOf('/') + 1) : null
}

function shownWord({ text, kind }: Word): OutlineWord {
  return { text, static: kind === 'static' }
}
