import { Buffer } from 'node:buffer'

/** In bytes, as values are measured. A value of the least length that the vault takes may lose a few by its line breaks. */
const LEAST_BYTES = 6

/** Every text in which a value may show itself: plain, base64 and base64url at each alignment, hex, percent-, JSON- and
 *  shell-escaped. Line breaks are left out, for they are ignored when looking. Longest first. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  const forms = [value, ...base64Forms(bytes), ...hexForms(bytes), ...percentForms(bytes), ...jsonForms(value), ...shellForms(value)]
  const unbroken = forms.map(form => form.replace(/[\r\n]/g, '')).filter(form => Buffer.byteLength(form) >= LEAST_BYTES)
  return [...new Set(unbroken)].sort((a, b) => b.length - a.length)
}

// Inside a longer encoded text the value starts at one of three offsets; only the characters that depend on nothing but the
// value can be looked for.
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap(offset => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    const from = Math.ceil((offset * 8) / 6)
    const to = Math.floor((shifted.length * 8) / 6)
    return (['base64', 'base64url'] as const).map(encoding => shifted.toString(encoding).slice(from, to))
  })
}

function hexForms(bytes: Buffer): string[] {
  const pairs = Array.from(bytes, byte => byte.toString(16).padStart(2, '0'))
  return ['', ' ', ':'].flatMap(between => inBothCases(pairs.join(between)))
}

/** What programs leave as it is: JavaScript in a part and in a whole address, RFC 3986, both with slashes, Go in a path, forms as
 *  browsers and Java send them, and those that leave nothing. */
const KEPT = [/[\w.!~*'()-]/, /[\w.!~*'();,/?:@&=+$#-]/, /[\w.~-]/, /[\w.~/-]/, /[\w.!~*'()/-]/, /[\w.~$&+=:@-]/, /[\w.*-]/, /[^\s\S]/]

function percentForms(bytes: Buffer): string[] {
  const escaped = (kept: RegExp, blank: string): string =>
    Array.from(bytes, byte => {
      const char = String.fromCharCode(byte)
      if (char === ' ' && blank !== '') return blank
      return byte < 0x80 && kept.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    }).join('')
  const forms = KEPT.flatMap(kept => ['', '+'].map(blank => escaped(kept, blank)))
  return forms.flatMap(form => [form, form.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())])
}

/** What programs write as `\uXXXX` besides what JSON demands. */
const BY_CODE = [/[^\s\S]/g, /[\u007f-\uffff]/g, /[<>&\u007f-\uffff]/g, /[<>&'"+`\u007f-\uffff]/g]

function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const forms = BY_CODE.flatMap(chars => codeForms(json, chars))
  const slashed = [...forms, ...forms.map(form => form.replaceAll('/', '\\/'))]
  // Text that holds JSON is itself often a value of JSON.
  return [...slashed, ...slashed.map(form => JSON.stringify(form).slice(1, -1))]
}

function codeForms(json: string, chars: RegExp): string[] {
  const code = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0')
  // A quote that is written by its code needs no stroke before it.
  const bare = chars.source.includes('"') ? json.replaceAll('\\"', '"') : json
  return [bare.replace(chars, char => `\\u${code(char)}`), bare.replace(chars, char => `\\u${code(char).toUpperCase()}`)]
}

function shellForms(value: string): string[] {
  const named = value.replace(/[\\']/g, '\\$&').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  const octal = (char: string): string => Array.from(Buffer.from(char), byte => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return [
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replace(/[^A-Za-z0-9_@%+=:,./\n-]/g, '\\$&'),
    // How bash quotes for itself (printf %q), where letters of other languages are letters, and within double quotes.
    value.replace(/[^A-Za-z0-9_@%+=:./\n-]/g, '\\$&'),
    value.replace(/[^A-Za-z0-9_@%+=:./\n\u0080-\uffff-]/g, '\\$&'),
    value.replace(/[\\"$`]/g, '\\$&'),
    // Between $' and ', where control characters have names, and others may be told by their bytes.
    named,
    named.replace(/[\u0080-\uffff]+/g, octal),
  ]
}

function inBothCases(text: string): string[] {
  return [text, text.toUpperCase()]
}
