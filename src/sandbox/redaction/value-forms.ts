import { Buffer } from 'node:buffer'

const LEAST = 8

/** Every text in which a value may show itself: plain, base64 and base64url at each alignment, hex, percent-, JSON- and
 *  shell-escaped. Line breaks are left out, for they are ignored when looking. Longest first. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  const forms = [value, ...base64Forms(bytes), ...hexForms(bytes), ...percentForms(value, bytes), ...jsonForms(value), ...shellForms(value)]
  const unbroken = forms.map(form => form.replace(/[\r\n]/g, '')).filter(form => form.length >= LEAST)
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
  const hex = bytes.toString('hex')
  return [hex, hex.toUpperCase()]
}

function percentForms(value: string, bytes: Buffer): string[] {
  const every = [...bytes].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  // A lone half of a surrogate pair has no percent form of its own.
  const component = value.isWellFormed() ? encodeURIComponent(value) : every
  const strict = component.replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const lower = (text: string): string => text.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())
  return [component, lower(component), strict, lower(strict), component.replaceAll('%20', '+'), every, every.toUpperCase()]
}

function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(/[\u007f-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const html = ascii.replace(/[<>&]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [json, ascii, html, json.replaceAll('/', '\\/')]
}

function shellForms(value: string): string[] {
  const ansi = value.replace(/[\\']/g, '\\$&').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return [
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replace(/[^A-Za-z0-9_@%+=:,./\n-]/g, '\\$&'),
    // How bash quotes for itself (printf %q) and within double quotes.
    value.replace(/[^A-Za-z0-9_@%+=:./\n-]/g, '\\$&'),
    value.replace(/[\\"$`]/g, '\\$&'),
    ansi,
  ]
}
