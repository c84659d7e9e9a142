const ADDRESS = /^(?:\d+(?:~\d+)?|\$)/
const SECOND_ADDRESS = /^(?:[+~]?\d+|\$)/
const SUBSTITUTE_FLAGS = /^[giIp\d]*/
const LOOKS = 'pd='
const INSERTS = 'aic'

/** Whether every command of a sed script is one that only looks at or changes the text that passes through. */
export function isHarmlessSed(script: string, may: { insert: boolean }): boolean {
  let rest = script.replace(/^[\s;]+/, '')
  while (rest !== '') {
    const command = afterAddresses(rest)
    const after = command === null ? null : afterCommand(command, may.insert)
    if (after === null) return false
    const end = /^[ \t]*(?:[;\n][\s;]*|$)/.exec(after)
    if (!end) return false
    rest = after.slice(end[0].length)
  }
  return true
}

function afterAddresses(text: string): string | null {
  const first = afterAddress(text, ADDRESS)
  if (first === null) return null
  if (first === text || !/^[ \t]*,/.test(first)) return first.trimStart()
  const second = first.replace(/^[ \t]*,[ \t]*/, '')
  const after = afterAddress(second, SECOND_ADDRESS)
  return after === null || after === second ? null : after.trimStart()
}

function afterAddress(text: string, number: RegExp): string | null {
  const match = number.exec(text)
  if (match) return text.slice(match[0].length)
  const delimiter = text[0] === '/' ? 0 : text[0] === '\\' ? 1 : -1
  if (delimiter < 0) return text
  const end = closing(text, delimiter)
  return end === null ? null : text.slice(end + 1).replace(/^[IM]*/, '')
}

function afterCommand(text: string, mayInsert: boolean): string | null {
  const name = text[0] ?? ''
  if (name !== '' && LOOKS.includes(name)) return text.slice(1)
  if (name === 'q') return text.slice(1).replace(/^[ \t]*\d*/, '')
  if (name === 's' || name === 'y') {
    const middle = closing(text, 1)
    const end = middle === null ? null : closing(text, middle, false)
    if (end === null) return null
    const after = text.slice(end + 1)
    return name === 'y' ? after : after.replace(SUBSTITUTE_FLAGS, '')
  }
  // Text that is put in runs to the end of its line; a backslash carries it on.
  if (mayInsert && name !== '' && INSERTS.includes(name)) return text.replace(/^.(?:[^\\\n]|\\[\s\S])*/, '')
  return null
}

/** The offset of the next delimiter. Null as well where a bracket holds one: implementations disagree on what that means. */
function closing(text: string, open: number, knowsBrackets = true): number | null {
  const delimiter = text[open]
  if (delimiter === undefined || delimiter === '\n' || delimiter === '\\' || /[\s\w]/.test(delimiter)) return null
  let isInBracket = false
  for (let i = open + 1; i < text.length; i++) {
    const char = text[i]
    if (char === '\\') i++
    else if (char === delimiter) return isInBracket ? null : i
    else if (char === '\n' && !isInBracket) return null
    else if (char === '[' && knowsBrackets && !isInBracket) {
      isInBracket = true
      // A bracket closes not at its first character.
      i += text[i + 1] === '^' ? (text[i + 2] === ']' ? 2 : 1) : text[i + 1] === ']' ? 1 : 0
    } else if (char === ']') isInBracket = false
  }
  return null
}
