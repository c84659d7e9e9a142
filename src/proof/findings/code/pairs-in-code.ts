import type { Source } from '../../source/source.ts'
import { pairKey } from './literal-pairs.ts'

const LITERAL = String.raw`(?:-?\d[\d_]*(?:\.\d+)?[a-z]?|"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'|\x60[^\x60\\\n$]{0,200}\x60|true|false|True|False|null|None|nil)`
const LIST = String.raw`(?:${LITERAL}|\[[^[\]\n]{0,200}\]|\([^()\n]{0,200}\))`
const EQUALS = '(?:===?|==)'

const COMPARED = new RegExp(`${EQUALS}\\s*(${LITERAL})|(?<![\\w)\\]])(${LITERAL})\\s*${EQUALS}`, 'g')
/** `if (…) return x`, `if …: return x`, `case 1: return x`, `… ? x :`, `1 => x`, `1 -> x`, `when 1 then x`. */
const ANSWERED = new RegExp(`(?:\\breturn\\b|\\?|=>|->|\\bthen\\b)\\s*(${LIST})\\s*(?:[;,:}\\n]|$)`)
const CASE = new RegExp(`\\b(?:case|when)\\s+(${LIST})\\s*(?::|->|=>|then\\b)?\\s*(?:\\{\\s*)?(?:return\\s+)?(${LIST})`, 'g')
const ARM = new RegExp(`(?<![=<>!?]\\s{0,4})(?<![\\w.)\\]])(${LIST})\\s*(?:=>|->|:)\\s*(?:return\\s+)?(${LIST})\\s*(?=[,;}\\n])`, 'g')
const ENTRY = new RegExp(`[[(]\\s*(${LITERAL})\\s*,\\s*(${LITERAL})\\s*[\\])]`, 'g')

/** Literal pairs that a stretch of code spells out, as comparison and answer or as a table. */
export function pairsIn({ plain }: Source, { start, end }: { start: number; end: number }): Set<string> {
  const text = plain.slice(start, end)
  const pairs = new Set<string>()
  const put = (input: string | undefined, output: string | undefined): void => {
    const key = input === undefined || output === undefined ? null : pairKey(input, output)
    if (key !== null) pairs.add(key)
  }
  for (const form of [CASE, ARM, ENTRY]) for (const match of text.matchAll(form)) put(match[1], match[2])
  for (const { condition, rest } of conditionsIn(text)) {
    const inputs = Array.from(condition.matchAll(COMPARED), match => match[1] ?? match[2] ?? '')
    if (inputs.length > 0) put(inputs.join(','), ANSWERED.exec(rest)?.[1])
  }
  return pairs
}

/** A condition and what follows it, to the end of the next line. */
function conditionsIn(text: string): { condition: string; rest: string }[] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) =>
    line.split(/(?=\b(?:else\s+if|elif|if)\b)|;\s*|\s:\s/).flatMap(part => {
      const compared = [...part.matchAll(COMPARED)].at(-1)
      if (!compared) return []
      const at = compared.index + compared[0].length
      return [{ condition: part.slice(0, at), rest: `${part.slice(at)}\n${(lines[i + 1] ?? '').trim()}\n` }]
    }),
  )
}
