/** A word that assigns when it stands before a command. */
export const NAME_VALUE = /^[A-Za-z_]\w*\+?=/

// Commands that give a variable a value without an equals sign.
const ASSIGNING =
  /\b(?:read|readarray|mapfile|getopts|declare|typeset|local|export|readonly|unset|wait|select|coproc|printf|eval|let|source)\b|\(\(/

/** Whether a text may give the variable another value. Errs towards yes. */
export function mayAssign(text: string, name: string): boolean {
  let isNamedPlainly = false
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const before = text[at - 1] ?? ''
    const after = text.slice(at + name.length, at + name.length + 2)
    if (before === '$' || /\w/.test(before) || /^\w/.test(after)) continue
    if (/^(?:=|\+=|:=|\[|}[<>])/.test(after) || /\bfor\s+$/.test(text.slice(Math.max(0, at - 8), at))) return true
    if (before !== '{') isNamedPlainly = true
  }
  return isNamedPlainly && ASSIGNING.test(text)
}
