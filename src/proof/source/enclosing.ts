import { blockEnd, holdersOf } from './indents.ts'
import type { Source } from './source.ts'

/** Something around a statement that decides whether it runs, or whether its failure is seen. */
export interface Guard {
  kind: 'condition' | 'swallow'
  /** What stands at its head. */
  head: string
}

const CONDITION = /^(?:\}?\s*else\s+)?(?:if|elif|elsif|unless|switch|else|when)\b/
/** What makes a caught failure seen again. */
const FAILS_AGAIN = /\b(?:throw|raise|rethrow|fail|assert\w*|expect|panic|done|reject|Fail|Fatal\w*|Error\w*|t\.\w+|exit)\b/

/** Everything of the kind around a place, the innermost first. */
export function guardsAround(source: Source, position: number): Guard[] {
  return source.language === 'python' || source.language === 'ruby' ? byIndent(source, position) : byBrace(source, position)
}

/** Where the innermost function around a place ends; the end of the text outside all of them. */
export function functionEnd(source: Source, position: number): number {
  if (source.language === 'python' || source.language === 'ruby') {
    const holders = holdersOf(source)
    for (let line = holders[source.lineAt(position)] ?? -1; line >= 0; line = holders[line] ?? -1)
      if (/^\s*(?:async\s+)?def\b|\bdo\b(?:\s*\|[^|]*\|)?\s*$/.test(source.lineOf('code', line)))
        return source.lineStarts[blockEnd(source, line)] ?? source.text.length
    return source.text.length
  }
  for (let open = around(source, position); open >= 0; open = around(source, open))
    if (source.code[open] === '{' && isFunctionHead(headOf(source, open))) return source.brackets.partner[open] ?? source.text.length
  return source.text.length
}

const around = (source: Source, position: number): number => source.brackets.around[position] ?? -1

function isFunctionHead(head: string): boolean {
  return (
    /=>\s*$|\bfunction\b|\bfunc\b|\bfn\b|\|[^|]*\|\s*$|->\s*$|\)\s*throws\s[\w., ]*$/.test(head) ||
    (/\)\s*$/.test(head) && keywordBefore(head) === '')
  )
}

function byBrace(source: Source, position: number): Guard[] {
  const guards: Guard[] = []
  for (let open = around(source, position); open >= 0; open = around(source, open)) {
    if (source.code[open] !== '{') continue
    const head = headOf(source, open)
    if (/\btry\s*(?:\([^]*\)\s*)?$/.test(head)) {
      if (isSwallowed(source, open)) guards.push({ kind: 'swallow', head: 'try' })
    } else if (/\bcatch_unwind\b/.test(head)) guards.push({ kind: 'swallow', head })
    else if (CONDITION.test(head) || /^(?:if|switch|when|unless|else)$/.test(keywordBefore(head))) guards.push({ kind: 'condition', head })
  }
  return guards
}

/** The word before the brackets with which a head ends: `if (…)` → `if`. */
function keywordBefore(head: string): string {
  return (
    /\b(if|switch|when|while|for|foreach|catch|unless|using|lock|synchronized|with)\b\s*\($/.exec(head.replace(/\([^]*\)\s*$/, '('))?.[1] ??
    ''
  )
}

/** From the start of the statement to its brace. */
function headOf({ code, brackets, language }: Source, open: number): string {
  let at = open - 1
  const least = Math.max(0, open - 400)
  let cut = least
  for (; at >= least; at--) {
    const match = brackets.partner[at] ?? -1
    if ((code[at] === ')' || code[at] === ']') && match >= 0) {
      at = Math.max(match, least)
      continue
    }
    // Go puts a statement before the condition: `if x := f(); x != 1 {`.
    if (code[at] === ';' && language === 'go') continue
    if (code[at] === ';' || code[at] === '{' || code[at] === '}' || (code[at] === '(' && match > open)) {
      cut = at + 1
      break
    }
    // A line break ends the search once something stands behind it.
    if (code[at] === '\n' && code.slice(at, open).trim() !== '') {
      cut = at + 1
      break
    }
  }
  return code.slice(cut, open).trim()
}

function isSwallowed({ code, brackets }: Source, open: number): boolean {
  const close = brackets.partner[open] ?? -1
  if (close < 0) return false
  const rest = /^\s*catch\b\s*/.exec(code.slice(close + 1, close + 200))
  if (!rest) return false
  const body = code.indexOf('{', close + 1 + rest[0].length)
  const end = brackets.partner[body] ?? -1
  return end > 0 && !FAILS_AGAIN.test(code.slice(body, end))
}

function byIndent(source: Source, position: number): Guard[] {
  const guards: Guard[] = []
  const holders = holdersOf(source)
  for (let line = holders[source.lineAt(position)] ?? -1; line >= 0; line = holders[line] ?? -1) {
    const head = source.lineOf('code', line).trim()
    if (/^(?:try\s*:|begin\b)/.test(head)) {
      if (isRescued(source, line)) guards.push({ kind: 'swallow', head })
    } else if (/^with\b.*\bsuppress\s*\(/.test(head)) guards.push({ kind: 'swallow', head })
    else if (CONDITION.test(head)) guards.push({ kind: 'condition', head })
  }
  return guards
}

function isRescued(source: Source, head: number): boolean {
  for (let line = blockEnd(source, head); line < source.lineCount; ) {
    const code = source.lineOf('code', line).trim()
    const end = blockEnd(source, line)
    if (!/^(?:except|rescue|else|finally|ensure)\b/.test(code)) return false
    const body = source.code.slice(source.lineStarts[line] ?? 0, source.lineStarts[end] ?? source.text.length)
    if (/^(?:except|rescue)\b/.test(code) && !FAILS_AGAIN.test(body.replace(/^.*$/m, ''))) return true
    line = end
  }
  return false
}
