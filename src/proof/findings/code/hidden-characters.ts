import { type FindingRule, finding } from '../rule.ts'
import { addedLines, viewsOf } from '../view.ts'

/** They turn the order of what is shown. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/
/** They do so more gently; texts in Hebrew or Arabic need them, programs do not. */
const MARKS = /[\u200e\u200f\u061c]/
/** Shown as nothing. */
const INVISIBLE =
  '\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}'
const IN_NAME = new RegExp(`[\\p{L}\\p{N}_$][${INVISIBLE}]|[${INVISIBLE}][\\p{L}\\p{N}_$]|[\\u115f\\u1160\\u3164\\uffa0]`, 'u')
const NAME = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/gu

const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Cherokee',
  'Georgian',
  'Coptic',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
] as const
const byScript = SCRIPTS.map(script => ({ script, form: new RegExp(`\\p{Script=${script}}`, 'u') }))
/** Writing that is mixed by nature, and that nobody takes for Latin. */
const EAST_ASIAN = new Set<string>(['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'])
/** Letters that are drawn as Latin ones are. */
const TWIN =
  /[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03f2\u03f3\u0405\u0406\u0408\u0410\u0412\u0415\u0417\u041a\u041c-\u041e\u0420-\u0423\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04ae\u04bb\u04cf\u0501\u051b\u051d]/u
/** Greek ones that can be taken for Latin at a glance: α γ ι κ ν ρ τ υ χ. */
const ALIKE = /[\u03b1\u03b3\u03b9\u03ba\u03bd\u03c1\u03c4\u03c5\u03c7]/u

export const codeHiddenCharacters: FindingRule = facts =>
  viewsOf(facts).flatMap(view =>
    addedLines(view).flatMap(({ line, text, blanked }) => {
      const measured = hidden(
        line === 1 ? text.replace(/^\ufeff/, '') : text,
        view.now ? (line === 1 ? blanked.replace(/^\ufeff/, '') : blanked) : null,
      )
      return measured === null ? [] : [finding('code.hidden-characters', { path: view.path, line, measured })]
    }),
  )

function hidden(text: string, code: string | null): string | null {
  const turn = TURNS.exec(text)?.[0] ?? (code === null ? undefined : MARKS.exec(text)?.[0])
  if (turn !== undefined) return `a bidirectional control, ${pointOf(turn)}`
  if (code === null || /^[\p{ASCII}]*$/u.test(code)) return null
  const invisible = IN_NAME.exec(code)?.[0]
  if (invisible !== undefined)
    return `an invisible character in a name, ${pointOf(Array.from(invisible).find(char => !/[\p{N}_$]/u.test(char) && !SHOWN.test(char)) ?? '')}`
  const mixed = (code.match(NAME) ?? []).find(isMixed)
  return mixed === undefined ? null : `a name of several scripts, ${mixed}`
}

const SHOWN =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u

const pointOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Scripts side by side in one name, unless the foreign letters can be mistaken for nothing: `Δx`, `get名前`, `test_привет`. */
function isMixed(name: string): boolean {
  if (scriptsOf(name).length < 2) return false
  const words = name.split(/[_$\d]+/).filter(word => word !== '')
  return words.some(word => {
    const scripts = scriptsOf(word)
    const foreign = Array.from(word).filter(char => /\p{L}/u.test(char) && !/\p{Script=Latin}/u.test(char))
    if (scripts.length < 2) return foreign.length > 0 && foreign.every(char => TWIN.test(char))
    if (scripts.every(script => script === 'Latin' || EAST_ASIAN.has(script))) return false
    return !isFormula(word, scripts, foreign)
  })
}

function isFormula(word: string, scripts: readonly string[], foreign: readonly string[]): boolean {
  if (scripts.some(script => script !== 'Latin' && script !== 'Greek') || foreign.some(char => TWIN.test(char))) return false
  return !foreign.some(char => ALIKE.test(char)) || word.length <= 2 || /^\p{Script=Greek}\p{Lu}/u.test(word)
}

function scriptsOf(word: string): string[] {
  return byScript.filter(({ form }) => form.test(word)).map(({ script }) => script)
}
