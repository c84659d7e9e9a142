import { expandBraces } from '../patterns/braces.ts'
import type { CommandSelector, Rule } from './schema.ts'

// An allow rule must not carry code of anyone's choice. Programs by how they take it:

/** Everything after the program is code or a command. */
const CARRIERS = new Set([
  'eval',
  'ssh',
  'xargs',
  'sudo',
  'doas',
  'su',
  'pkexec',
  'runuser',
  'chroot',
  'env',
  'exec',
  'source',
  '.',
  'parallel',
  'watch',
  'nsenter',
  'unshare',
])
/** Code follows one of these options; a pattern before the first fixed operand could become the option. */
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'busybox', 'toybox'])
const INTERPRETERS =
  /^(?:(?:python|pypy|node|nodejs|ruby|irb|perl|php|lua|luajit|tclsh|pwsh|gawk|mawk|psql)[\d.]*|deno|bun|tsx|ts-node|powershell|osascript|Rscript|R|julia|ghci|runghc|erl|elixir|iex|ipython|groovy|scala|jshell|guile|awk|sqlite3|mysql|npx|bunx|pnpx|uvx)$/
const CODE_OPTIONS = /^(?:-[A-Za-z]*[ceEpr]|--eval|--print|--command|--execute|eval|-exec|--exec)$/
const FIND_CODE = /^-(?:exec|execdir|ok|okdir)$/

/** Why an allow rule would let through more than anyone can have meant, or null. */
export function tooBroad(rule: Rule): string | null {
  if (rule.effect !== 'allow') return null
  for (const selector of rule.command ?? []) {
    const why = typeof selector === 'string' ? wordsTooBroad(selector) : shapeTooBroad(selector)
    if (why) return why
  }
  return null
}

function wordsTooBroad(pattern: string): string | null {
  const [program = '', ...words] = pattern.split(/\s+/).filter(Boolean)
  if (hasWildcard(program)) return `the program of an allow rule must be fixed, not ${program}`
  for (const name of expandBraces(program).map(lastPart)) {
    const from = codeStart(name, words)
    const open = from === null ? undefined : words.slice(from).find(hasWildcard)
    if (open !== undefined) return `${open} would stand for any code that ${name} runs`
  }
  return null
}

function shapeTooBroad({ program = '', argv }: Exclude<CommandSelector, string>): string | null {
  if (argv) return null
  if (hasWildcard(program)) return `the program of an allow rule must be fixed, not ${program}`
  const carrier = expandBraces(program)
    .map(lastPart)
    .find(name => takesCode(name))
  return carrier === undefined ? null : `${carrier} runs any code that its arguments hold; spell the words out`
}

function takesCode(name: string): boolean {
  return CARRIERS.has(name) || SHELLS.has(name) || INTERPRETERS.test(name)
}

/** The first word from which on a wildcard could be code; null where no word can. */
function codeStart(name: string, words: string[]): number | null {
  if (CARRIERS.has(name)) return 0
  if (name === 'find') return positionOf(words, word => FIND_CODE.test(word))
  if (!SHELLS.has(name) && !INTERPRETERS.test(name)) return null
  const option = positionOf(words, word => expandBraces(word).some(form => CODE_OPTIONS.test(form)))
  // A wildcard before any fixed operand may itself become the option that takes code.
  const operand = positionOf(words, word => !word.startsWith('-') && !hasWildcard(word))
  const wildcard = positionOf(words, hasWildcard)
  if (wildcard !== null && (operand === null || wildcard < operand)) return wildcard
  return option
}

function positionOf(words: string[], test: (word: string) => boolean): number | null {
  const at = words.findIndex(test)
  return at < 0 ? null : at
}

function hasWildcard(word: string): boolean {
  return /[*?]/.test(word)
}

function lastPart(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}
