import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formsOf } from '../../src/policy/secrets/value-forms.ts'

const NASTY = `p@ss w0rd/"it's"\\ü+$x~!*(é)<&>;\t%`
const VALUES = [NASTY, 'AKxT39/fq+Zw==', 'plain-value-1', 'ééééé', 'two\nlines', '\u{1f600}\u{1f600}']

/** Whether a text shows the value in a form that is looked for; line breaks are ignored when looking. */
const shows = (value: string, text: string): boolean => {
  const unbroken = text.replace(/[\r\n]/g, '')
  return formsOf(value).some(form => unbroken.includes(form))
}

const wrapped = (text: string, columns: number): string => (text.match(new RegExp(`.{1,${columns}}`, 'gs')) ?? []).join('\n')
const hex = (value: string): string => Buffer.from(value).toString('hex')
const ascii = (value: string, upper = false): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, char => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${upper ? code.toUpperCase() : code}`
  })

/** How programs of several languages print a text. */
const PRINTED: Record<string, (value: string) => string> = {
  plain: value => value,
  base64: value => Buffer.from(value).toString('base64'),
  base64url: value => Buffer.from(value).toString('base64url'),
  'base64 of more': value => Buffer.from(`user:${value}!`).toString('base64'),
  'base64 in lines of 76': value => wrapped(Buffer.from(`${'x'.repeat(50)}${value}${'y'.repeat(80)}`).toString('base64'), 76),
  'base64 in short lines': value => wrapped(Buffer.from(value).toString('base64'), 4),
  hex,
  'hex in capitals': value => hex(value).toUpperCase(),
  'hex in lines of 60': value => wrapped(hex(`${'x'.repeat(25)}${value}`), 60),
  'hex by bytes': value => hex(value).replace(/..(?=.)/g, '$& '),
  'hex with colons': value =>
    hex(value)
      .toUpperCase()
      .replace(/..(?=.)/g, '$&:'),
  encodeURIComponent,
  encodeURI,
  'a form': value => new URLSearchParams({ v: value }).toString(),
  'a query, spaces as %20': value => new URLSearchParams({ v: value }).toString().replaceAll('+', '%20'),
  'percent, lower case': value => encodeURIComponent(value).replace(/%../g, code => code.toLowerCase()),
  'percent, slashes kept': value => encodeURIComponent(value).replaceAll('%2F', '/'),
  'percent, all escaped': value =>
    encodeURIComponent(value).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
  'percent, every byte': value => hex(value).replace(/../g, '%$&'),
  JSON: value => JSON.stringify(value),
  'JSON in JSON': value => JSON.stringify(JSON.stringify({ value })),
  'JSON in ASCII': value => ascii(value),
  'JSON in ASCII, capitals': value => ascii(value, true),
  'JSON in ASCII, slashes escaped': value => ascii(value).replaceAll('/', '\\/'),
  'JSON for HTML': value => ascii(value).replace(/[<>&]/g, char => `\\u00${char.charCodeAt(0).toString(16)}`),
  'single quotes': value => `'${value.replaceAll("'", "'\\''")}'`,
  'double quotes': value => `"${value.replace(/[\\"$`]/g, '\\$&')}"`,
}

describe.each(VALUES)('S-44 the value %j', value => {
  test.each(Object.keys(PRINTED))('is found as %s', name => {
    expect(shows(value, `before ${PRINTED[name]?.(value)} after`)).toBe(true)
  })

  test.each([
    ['printf %q', 'printf %q "$1"'],
    ['printf %q in another language', 'LC_ALL=C; printf %q "$1"'],
    ['the shell’s own quotes', 'echo "${1@Q}"'],
    ['a trace', 'set -x; : "$1"'],
    ['a declaration', 'v=$1; declare -p v'],
    ['base64', 'printf %s "$1" | base64'],
    ['od', 'printf %s "$1" | od -An -v -tx1'],
  ])('is found as bash prints it: %s', (_, script) => {
    const out = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, 'bash', value], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    expect([out.toString('utf8'), shows(value, out.toString('utf8'))]).toEqual([out.toString('utf8'), true])
  })
})

test('any value is found in every form that programs print', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter(text => !/[\0\r\n]/.test(text))
  fc.assert(
    fc.property(value, fc.constantFrom(...Object.keys(PRINTED)), (text, name) => {
      expect(shows(text, PRINTED[name]?.(text) ?? '')).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('a text that holds nothing of it is left alone', () => {
  expect(VALUES.map(value => shows(value, 'The quick brown fox jumps over the lazy dog. 0123456789abcdef '.repeat(20)))).toEqual(
    VALUES.map(() => false),
  )
})
