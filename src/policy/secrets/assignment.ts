import { entropy, isExcused } from './excuses.ts'

/** Words that make a key the name of a secret. */
export const KEY_WORDS = /pass(?:word|wd|phrase)|secret|token|(?:api|access|private)[_-]?key|credential/gi

const MOST_VALUE = 512
const AFTER_KEY =
  /[\w.-]{0,64}\\{0,3}["'`]?\]?[ \t]{0,8}(?<operator>:=|=>|=(?![=~])|:(?![:=/]))[ \t]{0,8}(?<prefix>[bfru]{0,2}(?=["']))?(?<quote>\\{0,3}["'`])?/y
const NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/
const BARE = /[^\s"'`,;\\]{1,513}/y

export interface Assigned {
  start: number
  end: number
}

/** The secret that a key word gives away, when something secret enough is assigned to it. `at` is where the word stands. */
export function assignedSecret(text: string, at: number, word: string): Assigned | null {
  AFTER_KEY.lastIndex = at + word.length
  const found = AFTER_KEY.exec(text)
  if (!found) return null
  const start = AFTER_KEY.lastIndex
  const quote = found.groups?.['quote']
  const end = quote === undefined ? bareEnd(text, start, at) : quotedEnd(text, start, quote)
  if (end === null || end - start > MOST_VALUE) return null
  const value = text.slice(start, end)
  if (quote === undefined && isCode(value, text, { at, end, word, operator: found[0] })) return null
  if (isAboutASecret(found[0], word, value)) return null
  return isSecretValue(word, value) ? { start, end } : null
}

/** Whether a value under a key of this name is secret enough to be kept back. */
export function isSecretMember(key: string, value: string): boolean {
  KEY_WORDS.lastIndex = 0
  const word = KEY_WORDS.exec(key)?.[0]
  return word !== undefined && value.length <= MOST_VALUE && isSecretValue(word, value)
}

const ABOUT =
  /(?:type|kind|methods?|name|field|ur[il]|endpoint|path|file|format|header|scheme|algorithm|class|provider|message|label|title|description|hint|error|policy|prefix|pattern|_\d+)["'`\]\\\s:=>]*$/i

/** A key that goes on behind its word names a property of a secret, and a sentence of another script is no token. */
function isAboutASecret(key: string, word: string, value: string): boolean {
  if (/^pass/i.test(word) && !/type|kind|policy|hint|field/i.test(key)) return false
  return (ABOUT.test(key) && !/\d/.test(value)) || /[^\x00-\x7f]{4}/.test(value)
}

function isSecretValue(word: string, value: string): boolean {
  const isPass = /^pass/i.test(word)
  if (value.length < (isPass ? 6 : 8) || isExcused(value)) return false
  // A name in capitals says where a secret is kept, and a text with blanks is a sentence unless it is a pass phrase.
  if (NAME.test(value) || (!isPass && /\s/.test(value))) return false
  return entropy(value) >= (isPass ? 2 : 3)
}

function quotedEnd(text: string, start: number, quote: string): number | null {
  const mark = quote.at(-1) ?? ''
  const escaped = quote.length > 1
  const last = Math.min(text.length, start + MOST_VALUE + 1)
  for (let i = start; i < last; i++) {
    const char = text[i]
    if (char === '\n') return null
    if (char === '\\' && !escaped) i++
    else if (char === '\\' && escaped && text.startsWith(quote, i)) return i
    else if (char === mark) return i
  }
  return null
}

function bareEnd(text: string, start: number, at: number): number | null {
  BARE.lastIndex = start
  const value = BARE.exec(text)?.[0]
  if (value === undefined) return null
  // In a query the next parameter begins at the next &.
  const inQuery =
    at > 0 &&
    /[?&]/.test(
      text
        .slice(Math.max(0, at - 40), at)
        .replace(/[\w.-]*$/, '')
        .at(-1) ?? '',
    )
  const cut = inQuery ? value.indexOf('&') : -1
  return start + (cut < 0 ? value.replace(/[)\]}]+$/, '').length : cut)
}

// A bare value in a program is an expression: another name, a call, a type. In a file of settings it is the value itself.
function isCode(value: string, text: string, where: { at: number; end: number; word: string; operator: string }): boolean {
  if (isSetting(text, where)) return false
  if (/[(){}[\]<>|&!?]/.test(value) || /[([{<]/.test(text[where.end] ?? '')) return true
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return true
  const isPass = /^pass/i.test(where.word)
  return isPass ? /^[A-Za-z_$]+$/.test(value) : /^[A-Za-z_$]+\d{0,2}$/.test(value)
}

// `Server=db;User Id=sa;Password=…`
const CONNECTION = /(?:server|data source|host|endpoint)\s?=[^;\n]*;(?:[^;\n]*;)*\s*$/i

// NAME=value and --name=value, without blanks, as shells and .env files have it.
function isSetting(text: string, { at, word, operator }: { at: number; word: string; operator: string }): boolean {
  const before = /[\w-]*$/.exec(text.slice(Math.max(0, at - 64), at))?.[0] ?? ''
  const key = before + word + (/^[\w-]*/.exec(operator)?.[0] ?? '')
  if (!/^[\w.-]*=$/.test(operator)) return false
  return /^[A-Z0-9_]+$/.test(key) || key.startsWith('--') || CONNECTION.test(text.slice(Math.max(0, at - 256), at))
}
