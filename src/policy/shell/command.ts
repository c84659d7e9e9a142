import type { Assignment, Command, ParsedScript, Word as WordNode } from 'unbash'
import { isSecretName } from './env-names.ts'
import { type Folders, joined } from './folders.ts'
import type { Stdin } from './judgement.ts'
import { MOST_VARIANTS, MOST_WORDS } from './limits.ts'
import type { SegmentAssignment } from './reading.ts'
import { readRedirects } from './redirects.ts'
import type { SimpleCommand } from './segment.ts'
import { readSimple } from './simple.ts'
import type { ShellState, Walker } from './state.ts'
import { shown, staticWord, type Word } from './word.ts'
import { resolveWord, type WordScope } from './words.ts'

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

export function scopeFor(state: ShellState, walker: Walker): Scoped {
  const chosen = new Map<string, Word>()
  const used = new Set<string>()
  const scripts: Scoped['scripts'] = []
  const secrets: string[] = []
  let isOpen = true
  const here = state.folders?.length === 1 ? state.folders[0] : undefined
  const known: Record<string, string | undefined> = { HOME: walker.facts.home, PWD: here, TMPDIR: walker.facts.tmp }
  const scope: WordScope = {
    home: walker.facts.home,
    isSecret: name => isSecretName(name) || walker.isTainted(name),
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
export function walkFound({ scripts }: Scoped, state: ShellState, walker: Walker): boolean {
  const first = walker.drafts.length
  for (const { script, writtenTo } of scripts) {
    const stdin: Stdin = writtenTo ? { kind: 'pipe', network: false, listing: null } : state.stdin
    walker.walkParsed(script, { ...state, depth: state.depth + 1, via: 'substitution', stdin, fed: null })
  }
  return walker.drafts.slice(first).some(draft => draft.hosts.length > 0)
}

export function walkWords(nodes: readonly WordNode[], state: ShellState, walker: Walker): { words: Word[]; secrets: string[] } {
  const scoped = scopeFor(state, walker)
  const words = nodes.flatMap(node => resolveWord(node, scoped.scope))
  countWords(words.length, walker)
  walkFound(scoped, state, walker)
  return { words, secrets: scoped.secrets }
}

function countWords(count: number, walker: Walker): void {
  walker.wordCount += count
  if (walker.wordCount > MOST_WORDS) walker.unknown(`more than ${MOST_WORDS} words`)
}

export function place(pos: number, end: number, state: ShellState): { text: string; range: [number, number] } {
  return { text: state.source.slice(pos, end), range: state.origin ?? [pos, end] }
}

export function walkCommand(node: Command, state: ShellState, walker: Walker): Folders {
  if (walker.wordCount > MOST_WORDS) return null
  const scoped = scopeFor(state, walker)
  const first = resolveCommand(node, state, scoped, walker)
  const variants = scoped.used.size === 0 ? [] : combinations([...scoped.used], state)
  scoped.close()
  const bringsNetwork = scoped.scripts.length > 0 && walkFound(scoped, state, walker)
  countWords(first.argv.length + first.redirects.shown.length, walker)
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
  // What a variable holds is no argument yet, so that a secret in it is not printed here; it is where the variable is used.
  const [word] = resolveWord(node.value, { ...scope, foundSecret: () => walker.taint(node.name) })
  return { name: node.name, value: shown(word ?? staticWord('')) }
}

function declared({ name, value }: SegmentAssignment): Word {
  return { text: `${name}=${value.text}`, kind: value.kind === 'glob' ? 'static' : value.kind }
}
