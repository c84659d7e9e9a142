import { blockEnd, indentOf } from './indents.ts'
import type { Language } from './language.ts'
import type { Source } from './source.ts'

/** A function as it is written. `head` goes from its name to its body. */
export interface FunctionBlock {
  name: string
  /** From 0. */
  line: number
  head: string
  start: number
  body: { start: number; end: number }
}

type Finder = (source: Source) => FunctionBlock[]

/** The named functions of a file, as far as their form is known. */
export function functionsOf(source: Source): FunctionBlock[] {
  return FINDERS[source.language](source)
}

/** A name, its parameters, and before the body nothing but what the language allows there. */
const braced =
  (form: RegExp, between: RegExp): Finder =>
  source =>
    [...source.code.matchAll(form)].flatMap(match => {
      const name = match.indices?.groups?.['name']
      if (!name) return []
      const { code, brackets } = source
      const open = code.indexOf('(', match.index + match[0].length - 1)
      const close = brackets.partner[open] ?? -1
      const rest = close < 0 ? null : between.exec(code.slice(close + 1, close + 301))
      if (!rest) return []
      const start = close + rest[0].length
      const end = brackets.partner[start] ?? -1
      if (end < 0) return []
      const head = code.slice(match.index, start)
      return [{ name: source.text.slice(...name), line: source.lineAt(name[0]), head, start: match.index, body: { start: start + 1, end } }]
    })

const indented =
  (form: RegExp, { closed }: { closed: boolean }): Finder =>
  source =>
    [...source.code.matchAll(form)].flatMap(match => {
      const name = match.indices?.groups?.['name']
      if (!name) return []
      const line = source.lineAt(name[0])
      const last = blockEnd(source, line)
      const end = source.lineStarts[last] ?? source.text.length
      const colon = closed ? -1 : headEnd(source, match.index + match[0].length - 1)
      const start = closed ? (source.lineStarts[line + 1] ?? source.text.length) : colon + 1
      if (!closed && colon < 0) return []
      const above = line > 0 && indentOf(source, line - 1) === indentOf(source, line) ? source.lineOf('code', line - 1) : ''
      const head = `${above.trim().startsWith('@') ? above : ''}${source.code.slice(match.index, start)}`
      return start < end ? [{ name: source.text.slice(...name), line, head, start: match.index, body: { start, end } }] : []
    })

/** The colon that ends a Python head, behind its parameters and its type. */
function headEnd({ code, brackets }: Source, open: number): number {
  for (let at = open; at < Math.min(code.length, open + 5000); at++) {
    const match = brackets.partner[at] ?? -1
    if (match > at) at = match
    else if (code[at] === ':') return at
  }
  return -1
}

const NO_NAME = '(?!(?:if|for|while|switch|catch|with|return|function|new|await|typeof|super|do|else|foreach|using|lock|when|match)\\b)'
const SCRIPT = new RegExp(
  String.raw`\bfunction\s*\*?\s*(?<name>[\w$]+)\s*(?:<[^()]{0,200}>)?\s*\(|\b(?:const|let|var)\s+(?<arrow>[\w$]+)\s*(?::[^=;\n]{0,200})?=\s*(?:async\s*)?(?:function\s*\*?\s*[\w$]*\s*)?(?:<[^()]{0,200}>)?\(|^[ \t]+(?:(?:public|private|protected|static|async|override|get|set|readonly)[ \t]+){0,4}\*?#?${NO_NAME}(?<method>[\w$]+)(?:<[^()\n]{0,200}>)?\(`,
  'dgm',
)

const script: Finder = source =>
  [...source.code.matchAll(SCRIPT)].flatMap(match => {
    const groups = match.indices?.groups
    const name = groups?.['name'] ?? groups?.['arrow'] ?? groups?.['method']
    const { code, brackets } = source
    const open = match.index + match[0].length - 1
    const close = brackets.partner[open] ?? -1
    const rest =
      close < 0 ? null : /^\s*(?::[^;={}]{0,200}(?:\{[^{}]{0,200}\}[^;={}]{0,100})?)?(?:=>\s*)?\{/.exec(code.slice(close + 1, close + 601))
    if (!name || !rest || (groups?.['arrow'] && !rest[0].includes('=>') && !match[0].includes('function'))) return []
    const start = close + rest[0].length
    const end = brackets.partner[start] ?? -1
    if (end < 0) return []
    const head = code.slice(match.index, start)
    return [{ name: source.text.slice(...name), line: source.lineAt(name[0]), head, start: match.index, body: { start: start + 1, end } }]
  })

const TYPED = new RegExp(String.raw`(?<![\w.])(?:[\w<>\[\],.?]{1,100}[ \t]+){1,3}${NO_NAME}(?<name>\w+)\s*(?=\()`, 'dg')

const FINDERS: Record<Language, Finder> = {
  javascript: script,
  typescript: script,
  python: indented(/^[ \t]*(?:async[ \t]+)?def[ \t]+(?<name>\w+)[ \t]*\(/dgm, { closed: false }),
  go: braced(/^func[ \t]+(?:\([^)\n]{0,100}\)[ \t]*)?(?<name>\w+)(?:\[[^\]\n]{0,200}\])?\(/dgm, /^[^{}\n]{0,250}\{/),
  rust: braced(/\bfn\s+(?<name>\w+)(?:<[^(){}]{0,200}>)?\(/dg, /^[^{};]{0,300}\{/),
  java: braced(TYPED, /^\s*(?:throws\s[^{};()]{0,200})?\{/),
  kotlin: braced(/\bfun\s+(?:<[^()]{0,100}>\s*)?(?:[\w.<>?]{1,80}\.)?(?<name>\w+)\s*(?=\()/dg, /^[^{};=]{0,200}\{/),
  csharp: braced(TYPED, /^\s*(?:where\s[^{};()]{0,200})?\{/),
  ruby: indented(/^[ \t]*def[ \t]+(?:self\.)?(?<name>\w+[?!]?)/dgm, { closed: true }),
  php: braced(/\bfunction\s+&?(?<name>\w+)\s*(?=\()/dg, /^[^{};]{0,200}\{/),
  shell: braced(/^(?:function[ \t]+)?(?<name>[\w-]+)[ \t]*(?=\(\))/dgm, /^\s*\{/),
  bats: braced(/^(?:function[ \t]+)?(?<name>[\w-]+)[ \t]*(?=\(\))/dgm, /^\s*\{/),
}
