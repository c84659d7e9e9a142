import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AUTH_HEADER, DETECTORS, SERVICES, TELEGRAM } from '../../src/policy/secrets/detectors.ts'
import { outboundMessage, REDACTED, redact, redactJson } from '../../src/policy/secrets/redact.ts'
import { scan } from '../../src/policy/secrets/scan.ts'
import { createRedactor } from '../../src/policy/secrets/stream.ts'
import { vaultValues } from '../../src/policy/secrets/vault-values.ts'

const rows = [...DETECTORS, ...SERVICES, TELEGRAM, AUTH_HEADER]
const github = ['ghp', 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4'].join('_')
const pem = ['-----BEGIN RSA PRIVATE', ' KEY-----\nMIIB\nabcd\n-----END RSA PRIVATE KEY-----'].join('')

describe.each(rows.map(row => [row.id, row] as const))('P-60 %s', (id, row) => {
  test.each(row.hits.map(parts => [parts.join('')]))('P-60 finds its example %#', text => {
    expect(scan(`before ${text} after`).map(finding => finding.detector)).toEqual([id])
    expect(redact(text)).toContain(REDACTED)
  })

  test.each(row.misses.map(text => [text]))('P-60 leaves %j alone', text => {
    expect(scan(text)).toEqual([])
  })
})

describe('P-60 assignment', () => {
  const found = (text: string) => scan(text).map(({ start, end }) => text.slice(start, end))

  test.each([
    ['password=hunter2', ['hunter2']],
    ['Server=db;User Id=sa;Password=Pa55word!;Encrypt=true', ['Pa55word!']],
    ['password_value: "letmein42"', ['letmein42']],
    ['secret_name: "aB3dE5gH7jK9"', ['aB3dE5gH7jK9']],
    ['password = "letmein!"', ['letmein!']],
    [`{"api_key": "aB3dE5gH7jK9"}`, ['aB3dE5gH7jK9']],
    ['{\\"client_secret\\": \\"aB3dE5gH7jK9\\"}', ['aB3dE5gH7jK9']],
    ['export DB_PASSWORD=correcthorsebattery', ['correcthorsebattery']],
    ['--access-token=aB3dE5gH7jK9 --next', ['aB3dE5gH7jK9']],
    ["secret := 'aB3dE5gH7jK9'", ['aB3dE5gH7jK9']],
    [":token => 'aB3dE5gH7jK9',", ['aB3dE5gH7jK9']],
    ['https://x.io/?token=aB3dE5gH7jK9&page=2', ['aB3dE5gH7jK9']],
    ['passphrase: "correct horse battery staple"', ['correct horse battery staple']],
  ])('P-60 finds the value in %s', (text, values) => {
    expect(found(text)).toEqual(values)
  })

  test.each([
    'password: string',
    'token_endpoint_auth_method: "client_secret_basic"',
    'type PublicKeyCredentialType = "public-key"',
    '"Unexpected_token_1012": "予期しないトークンです。"',
    'token_type: "urn:ietf:params:oauth"',
    'const token = parser.nextToken()',
    'token = tokens[index]',
    'tokenKind: TokenKind2',
    'password=$DB_PASSWORD',
    'password: ${{ secrets.DB }}',
    'api_key = process.env.API_KEY',
    'api_key = os.environ["API_KEY"]',
    'secret: vault://database',
    'password: <password>',
    'password: {{ db_password }}',
    'password = "changeme-now"',
    'token: "your-token-here"',
    'secret = "aaaaaaaaaaaaaaa"',
    'secret: "DATABASE_URL"',
    'token: "short"',
    'if (token == "aB3dE5gH7jK9")',
    'max_tokens: 4096',
  ])('P-60 leaves %j alone', text => {
    expect(found(text)).toEqual([])
  })
})

test('P-60 findings say where, by UTF-16 offset and by line and column, never what', () => {
  const text = `ü𝄞\nline ${github}\n${pem}`
  expect(scan(text)).toEqual([
    { detector: 'github', start: 9, end: 9 + github.length, line: 2, column: 6 },
    { detector: 'private-key', start: 10 + github.length, end: text.length, line: 3, column: 1 },
  ])
})

test('P-60 overlapping findings become one, named by the longest', () => {
  const text = `token=${github}`
  expect(scan(text)).toEqual([{ detector: 'github', start: 6, end: text.length, line: 1, column: 7 }])
  expect(redact(text)).toBe(`token=${REDACTED}`)
})

test('P-60 a private key without an end is taken out up to 16 KiB', () => {
  const text = `${['-----BEGIN PRIVATE', ' KEY-----'].join('')}${'\nMIIB'.repeat(5000)}`
  expect(scan(text)).toEqual([{ detector: 'private-key', start: 0, end: 16384, line: 1, column: 1 }])
})

test('P-60 hashes, UUIDs, ids and lock file lines are no secrets', () => {
  const ordinary = [
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    '0b7e2a3c-9d1f-4a55-8f7e-0d2b6c1a9e33',
    '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
    'prj_01M7G1T9VP3KJYMD5R0TY6SEK2',
  ]
  expect(ordinary.flatMap(text => scan(text))).toEqual([])
})

test.each(['plain-value-1', 'two\nlines of it', 'ü/+? value', '1234567890123'])(
  'P-60 the vault value %j is found in every encoding',
  value => {
    const vault = vaultValues([value])
    const bytes = Buffer.from(value)
    const forms = [
      value,
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      Buffer.from(`user:${value}`).toString('base64'),
      Buffer.from(`u:${value}!`).toString('base64'),
    ]
    for (const form of forms) expect([form, redact(`<${form}>`, vault).includes(REDACTED)]).toEqual([form, true])
    expect(scan('nothing of it', vault)).toEqual([])
  },
)

test('P-60 a vault value shorter than eight characters is not looked for', () => {
  expect(redact('ab ab', vaultValues(['ab', 'x'])).length).toBe(5)
})

test('P-60 an outbound message with a secret is replaced whole', () => {
  expect(outboundMessage(`look: ${github}`)).toBe('[redacted by safety layer]')
  expect(outboundMessage('look: nothing')).toBe('look: nothing')
})

test('P-61 secrets are taken out of every string of a value, keys included, and nothing else changes', () => {
  expect(
    redactJson({ list: [`x ${github} y`], [github]: { n: 1, ok: true, none: null }, password: 'hunter2', secret: 'DB_URL', tokens: 12 }),
  ).toEqual({
    list: [`x ${REDACTED} y`],
    [REDACTED]: { n: 1, ok: true, none: null },
    password: REDACTED,
    secret: 'DB_URL',
    tokens: 12,
  })
})

/** Text made of the pieces that matter, in any order and neighbourhood. */
const pieces = fc.constantFrom(
  ...rows.flatMap(row => row.hits.map(parts => parts.join(''))),
  github,
  pem,
  'password=',
  'token: "',
  '"',
  ' ',
  '\n',
  'x',
  '-',
  'eyJ',
  '-eyJ',
  'Authorization: Bearer ',
  'vault-value-1',
  'a://b:',
  '@',
  '=',
  REDACTED,
  'hunter2',
  "'",
  '\\"',
  '.',
  '$',
  'é',
)
const texts = fc.array(fc.oneof(pieces, fc.string({ maxLength: 12 })), { maxLength: 30 }).map(parts => parts.join(''))
const vault = vaultValues(['vault-value-1', 'over\ntwo lines'])

test('P-60 redacting twice is redacting once', () => {
  fc.assert(
    fc.property(texts, text => {
      const once = redact(text, vault)
      expect(redact(once, vault)).toBe(once)
    }),
    { numRuns: 2000 },
  )
})

describe('P-61 a stream', () => {
  const streamed = (chunks: string[]): string => {
    const redactor = createRedactor()
    return chunks.map(chunk => redactor.push(chunk)).join('') + redactor.end()
  }
  const cutAt = (text: string, places: number[]): string[] => {
    const edges = [0, ...places.map(place => Math.floor(place * text.length)).sort((a, b) => a - b), text.length]
    return edges.slice(1).map((edge, i) => text.slice(edges[i], edge))
  }
  const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })

  test('P-61 gives the same however it is cut, and the same as the whole text', () => {
    fc.assert(
      fc.property(texts, fractions, (text, places) => {
        expect(streamed(cutAt(text, places))).toBe(redact(text))
      }),
      { numRuns: 1000 },
    )
  })

  test('P-61 the same for lines far longer than what is held back', () => {
    const filler = fc.constantFrom('word '.repeat(400), 'a'.repeat(700), ' '.repeat(9), 'x=1,'.repeat(300))
    const long = fc.array(fc.oneof(pieces, filler, filler), { minLength: 10, maxLength: 60 }).map(parts => parts.join(''))
    fc.assert(
      fc.property(long, fractions, (text, places) => {
        expect(streamed(cutAt(text, places))).toBe(redact(text))
      }),
      { numRuns: 150 },
    )
  })

  test.each([
    ['lines', 'line\n'.repeat(60_000)],
    ['a word without end', `${'x'.repeat(300_000)}=`],
    ['lines behind a long word', `${'x'.repeat(200_000)}\n${'line\n'.repeat(20_000)}`],
  ])('P-61 a secret cut in two is found behind more than is ever held back: %s', (_, before) => {
    const text = `${before}"${github}"\n`
    const at = before.length + 20
    expect(streamed([text.slice(0, at), text.slice(at)])).toBe(`${before}"${REDACTED}"\n`)
    expect(streamed([...cutAt(text.slice(0, at), [0.3, 0.6]), text.slice(at)])).toBe(`${before}"${REDACTED}"\n`)
  })

  test('P-61 lines behind a long word are given out as they come', () => {
    const redactor = createRedactor()
    const word = 'x'.repeat(200_000)
    expect([redactor.push(word), redactor.push('\n'), redactor.push('one\n'), redactor.end()]).toEqual(['', `${word}\n`, 'one\n', ''])
  })

  test('P-61 a secret cut in two is found, and whole lines are given out at once', () => {
    const redactor = createRedactor()
    expect([
      redactor.push(`one\ntoken ${github.slice(0, 9)}`),
      redactor.push(`${github.slice(9)}\n`),
      redactor.push('tail'),
      redactor.end(),
    ]).toEqual(['one\n', `token ${REDACTED}\n`, '', 'tail'])
  })
})
