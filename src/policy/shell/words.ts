import {
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  parse,
  type SyntaxNode,
  type Word as WordNode,
  type WordPart,
} from 'unbash'
import { expandBraces } from './braces.ts'
import { overridesBehaviour } from './env-names.ts'
import { MOST_VARIANTS } from './limits.ts'
import { staticWord, type Word, wordOf } from './word.ts'

/** What resolving words needs to know and what it finds on the way. */
export interface WordScope {
  /** The value of a variable whose value is certain. */
  valueOf(name: string): Word | undefined
  home: string
  /** Whether a variable holds a secret, by its name or by what it was given. */
  isSecret(name: string): boolean
  /** A script inside the word: a substitution, or a process substitution that may be written to. */
  foundScript(script: ParsedScript, writtenTo: boolean): void
  foundSecret(name: string): void
  foundUnknown(reason: string): void
}

/** The words that one written word stands for: several where braces expand. */
export function resolveWord(node: WordNode, scope: WordScope): Word[] {
  const parts = node.parts
  if (parts === undefined) return [plainWord(node, scope)]
  if (!parts.some(part => part.type === 'BraceExpansion')) return [wordFromParts(parts, scope)]
  const texts = HOLDS_SCRIPT.test(node.text) ? null : expandBraces(node.text, MOST_VARIANTS)
  if (texts === null) {
    // Too many alternatives, or commas that belong to a script; what runs inside them is looked at all the same.
    for (const part of parts) readPart(part, new Building(), scope, false)
    return [{ text: node.text, kind: 'dynamic', splits: true }]
  }
  return texts.filter(text => text !== '').map(text => resolveAlternative(text, scope))
}

const HOLDS_SCRIPT = /[`(]/

function resolveAlternative(text: string, scope: WordScope): Word {
  const [statement, more] = parse(`: ${text}`).commands
  const command = statement?.command
  const argument = command?.type === 'Command' ? command.args[0] : undefined
  const isOneWord = command?.type === 'Command' && command.args.length === 1 && more === undefined
  if (!isOneWord || argument?.type !== 'Word') return { text, kind: 'dynamic', splits: true }
  const parts = argument.parts
  if (parts === undefined) return plainWord(argument, scope)
  if (parts.some(part => part.type === 'BraceExpansion')) return { text, kind: 'dynamic', splits: true }
  return wordFromParts(parts, scope)
}

function plainWord(node: WordNode, scope: WordScope): Word {
  const first = node.text.charCodeAt(0)
  const value = node.value
  if (first === 126 || value.includes('=~')) return tildeWord(value, node.text, scope)
  return staticWord(value)
}

const LEADING_TILDE = /^(?:[A-Za-z_]\w*=)?~/
const ASSIGNED_TILDE = /^([A-Za-z_]\w*=)(~(?:\/.*)?)$/s

function tildeWord(value: string, text: string, scope: WordScope): Word {
  // The shell expands a tilde behind an equals sign too when the word looks like an assignment.
  const assigned = text.startsWith('~') ? null : ASSIGNED_TILDE.exec(value)
  const [before, rest] = assigned ? [assigned[1] ?? '', assigned[2] ?? ''] : ['', value]
  if (!rest.startsWith('~')) return staticWord(value)
  const slash = rest.indexOf('/')
  const user = slash < 0 ? rest.slice(1) : rest.slice(1, slash)
  const below = slash < 0 ? '' : rest.slice(slash)
  if (user === '') return staticWord(before + scope.home + below)
  if (user === '+') {
    const here = scope.valueOf('PWD')
    return here ? staticWord(here.text + below) : wordOf(value, 'dynamic')
  }
  // Another user's home: wherever it is, it is no folder of ours.
  return user === '-' || /^[-+]?\d/.test(user) ? wordOf(value, 'dynamic') : staticWord(`/~${user}${below}`)
}

class Building {
  value = ''
  pattern = ''
  isGlob = false
  isDynamic = false
  splits = false
  pipes = 0
  sole: Word | null = null

  literal(text: string): void {
    this.value += text
    this.pattern += text.replace(GLOB_CHARACTERS, '\\$&')
  }

  expansion(text: string, quoted: boolean): void {
    this.value += text
    this.isDynamic = true
    if (!quoted) this.splits = true
  }
}

const GLOB_CHARACTERS = /[*?[\]\\]/g
const SPLITTING = /[\s*?[\]\\]/

function wordFromParts(parts: readonly WordPart[], scope: WordScope): Word {
  const building = new Building()
  const [first] = parts
  if (first?.type === 'Literal' && LEADING_TILDE.test(first.text)) {
    // A tilde prefix that quotes or an expansion would complete is not expanded by the shell in one certain way.
    if (!first.value.includes('/') && parts.length > 1) building.isDynamic = true
    else {
      const home = tildeWord(first.value, first.text, scope)
      building.literal(home.text)
      building.isDynamic = home.kind === 'dynamic'
      for (const part of parts.slice(1)) readPart(part, building, scope, false)
      return finish(building, parts)
    }
  }
  for (const part of parts) readPart(part, building, scope, false)
  return finish(building, parts)
}

function finish(building: Building, parts: readonly WordPart[]): Word {
  if (building.sole && parts.length === 1) return building.sole
  if (building.pipes === 1 && parts.length === 1) return { text: '/dev/fd/63', kind: 'static', pipe: true }
  if (building.isDynamic) return { text: building.value, kind: 'dynamic', splits: building.splits }
  return building.isGlob ? { text: building.pattern, kind: 'glob' } : staticWord(building.value)
}

/** Only the kinds named here are known; the parser's others are unknown grammar. */
function readPart(part: WordPart, building: Building, scope: WordScope, quoted: boolean): void {
  switch (part.type) {
    case 'AnsiCQuoted':
      // The parser joins the lines here; the shell keeps both characters.
      if (part.text.includes('\\\n')) scope.foundUnknown('joined lines in an escaped string')
      return building.literal(part.value)
    case 'Literal':
    case 'SingleQuoted':
      return building.literal(part.value)
    case 'DoubleQuoted':
      for (const child of part.parts) readPart(child, building, scope, true)
      return
    case 'Glob':
      building.isGlob = true
      building.value += part.value
      building.pattern += part.text
      for (const inner of part.parts ?? []) if (inner.type !== 'Literal') readPart(inner, building, scope, false)
      return
    case 'SimpleExpansion':
      return readVariable(part.text.slice(1), part.text, building, scope, quoted)
    case 'ParameterExpansion':
      return readParameter(part, building, scope, quoted)
    case 'CommandExpansion':
      if (part.script === undefined || part.text.startsWith('${')) scope.foundUnknown('command substitution of an unknown form')
      if (part.script) scope.foundScript(part.script, false)
      return building.expansion(part.text, quoted)
    case 'ProcessSubstitution':
      if (part.script) scope.foundScript(part.script, part.operator === '>')
      else scope.foundUnknown('process substitution of an unknown form')
      building.pipes++
      return building.expansion(part.text, true)
    case 'ArithmeticExpansion':
      // Names in arithmetic are evaluated again and again, and a subscript among them runs commands.
      if (!PLAIN_ARITHMETIC.test(part.text)) {
        scope.foundUnknown('arithmetic with names')
        if (part.expression) findScripts(part.expression, scope)
      }
      return building.expansion(part.text, true)
    case 'BraceExpansion':
      for (const inner of part.parts ?? []) readPart(inner, building, scope, false)
      return building.expansion(part.text, false)
    case 'ExtendedGlob':
      scope.foundUnknown('extended glob')
      for (const inner of part.parts ?? []) readPart(inner, building, scope, false)
      return building.expansion(part.text, false)
    case 'LocaleString':
      scope.foundUnknown('translated string')
      for (const inner of part.parts) readPart(inner, building, scope, true)
      building.isDynamic = true
      return
    default:
      scope.foundUnknown('word part of an unknown kind')
      building.isDynamic = true
  }
}

/** What runs inside a part that is not understood. */
function findScripts(node: SyntaxNode, scope: WordScope): void {
  if (node.type === 'Script') scope.foundScript(node, false)
  else forEachChild(node, child => findScripts(child, scope))
}

const PLAIN_ARITHMETIC = /^\$\(\([\d\s()+\-*/%<>=!&|^~?:,]*\)\)$/
const PLAIN_OFFSET = /^\s*-?\d+\s*$/

function readVariable(name: string, text: string, building: Building, scope: WordScope, quoted: boolean): void {
  if (scope.isSecret(name)) scope.foundSecret(name)
  const value = scope.valueOf(name)
  if (value === undefined || (!quoted && value.kind === 'static' && SPLITTING.test(value.text))) return building.expansion(text, quoted)
  if (value.kind !== 'static') {
    building.sole = value
    return building.expansion(text, true)
  }
  building.literal(value.text)
}

function readParameter(part: ParameterExpansionPart, building: Building, scope: WordScope, quoted: boolean): void {
  const { operation, prefix, index, parameter, text } = part
  if (prefix === '!') scope.foundUnknown('indirect expansion')
  if (index) {
    scope.foundUnknown('array')
    resolveWord(index, scope)
  }
  if (operation === undefined && prefix === undefined) return readVariable(parameter, text, building, scope, quoted)
  if (scope.isSecret(parameter) && prefix !== '#') scope.foundSecret(parameter)
  switch (operation?.type) {
    case undefined:
      break
    case 'Default':
      if (operation.operator.endsWith('=') && (overridesBehaviour(parameter) || scope.valueOf(parameter))) {
        scope.foundUnknown('assignment inside an expansion')
      }
      resolveWord(operation.operand, scope)
      break
    case 'Remove':
      resolveWord(operation.operand, scope)
      break
    case 'Replace':
      resolveWord(operation.pattern, scope)
      resolveWord(operation.replacement, scope)
      break
    case 'CaseModification':
      if (operation.operand) resolveWord(operation.operand, scope)
      break
    case 'Slice':
      if (!PLAIN_OFFSET.test(operation.offset.text) || (operation.length && !PLAIN_OFFSET.test(operation.length.text))) {
        scope.foundUnknown('arithmetic with names')
      }
      resolveWord(operation.offset, scope)
      if (operation.length) resolveWord(operation.length, scope)
      break
    case 'Transform':
    case 'Names':
    case 'Unknown':
      scope.foundUnknown('parameter transformation')
      break
  }
  building.expansion(text, quoted)
}

/** Substitutions in the body of an unquoted here-document; true when the body is not what it looks like. */
export function readBody(parts: readonly WordPart[], scope: WordScope): boolean {
  const building = new Building()
  for (const part of parts) readPart(part, building, scope, true)
  return building.isDynamic
}
