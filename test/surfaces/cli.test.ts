import { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allVisible } from '../../src/kernel/visible.ts'
import { cut, fitRecord } from '../../src/operations/fit-record.ts'
import { type InputFlag, inputFlags, mergeInput, parseArguments, scanGlobals, splitLeadingFlags } from '../../src/surfaces/cli/arguments.ts'
import { readLines } from '../../src/surfaces/cli/lines.ts'
import { LiveLine } from '../../src/surfaces/cli/live-line.ts'
import { createPaint, type Screen } from '../../src/surfaces/cli/paint.ts'
import { show } from '../../src/surfaces/cli/show.ts'

const flags: InputFlag[] = inputFlags({
  type: 'object',
  required: ['key'],
  properties: {
    key: { type: 'string' },
    count: { type: 'integer' },
    dry_run: { type: 'boolean' },
    types: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'number' } },
    options: { type: 'object' },
    mode: { enum: ['a', 'b'], type: 'string' },
    value: {},
    policy: { anyOf: [{ enum: ['never', 'once'], type: 'string' }, { type: 'object' }] },
    edit: { anyOf: [{ type: 'string' }, { type: 'object' }] },
  },
})
const parse = (...args: string[]) => parseArguments(args, flags, ['key', 'types'], false)

describe('U-7 arguments', () => {
  test.each([
    [['k'], { key: 'k' }],
    [['--count', '3', 'k'], { key: 'k', count: 3 }],
    [['--count=three', 'k'], { key: 'k', count: 'three' }],
    [['--dry-run', 'k'], { key: 'k', dry_run: true }],
    [['--no-dry-run', 'k'], { key: 'k', dry_run: false }],
    [['--types', 'a,b', '--types', 'c'], { types: ['a', 'b', 'c'] }],
    [['--types', '["a,b"]'], { types: ['a,b'] }],
    [['--types', 'src/{a,b}/**,c'], { types: ['src/{a,b}/**', 'c'] }],
    [['--types', 'a{,b}'], { types: ['a{,b}'] }],
    [['k', '--', '--db', '--provider=x'], { key: 'k', types: ['--db', '--provider=x'] }],
    [['--numbers', '1,2'], { numbers: [1, 2] }],
    [['--options', '{"a":1}'], { options: { a: 1 } }],
    [['k', 'x', 'y'], { key: 'k', types: ['x', 'y'] }],
    [['--value', '5'], { value: '5' }],
    [['--policy', 'once'], { policy: 'once' }],
    [['--policy', '{"kind":"once"}'], { policy: { kind: 'once' } }],
    [['--edit', '{"a":1}'], { edit: '{"a":1}' }],
    [['--', '-k'], { key: '-k' }],
    [['--key', '', '--mode', 'a'], { key: '', mode: 'a' }],
  ])('%j', (args, input) => {
    expect(parse(...args).input).toEqual(input)
  })

  test('a file or stdin is handed back as a reference', () => {
    expect([...parse('--options', '@file.json').references]).toEqual([['options', '@file.json']])
    expect([...parse('--options', '-').references]).toEqual([['options', '-']])
  })

  test('global flags stand anywhere, long or short', () => {
    expect(parse('-v', 'k', '--json', '-C', '/tmp', '--timeout', '500', '--no-color', '--no-input').globals).toMatchObject({
      verbose: true,
      json: true,
      project: '/tmp',
      timeoutMs: 500,
      color: 'never',
      noInput: true,
    })
  })

  test.each([
    [['--cuont', '3'], /no flag --cuont here\. Did you mean --count/],
    [['--count'], /--count needs a value/],
    [['--timeout', 'soon'], /--timeout takes a whole number/],
    [['-x'], /no flag -x/],
    [['--timeout', '99999999999'], /--timeout takes a whole number of milliseconds from 1 to 2147483647/],
    [['--json=false'], /--json is a switch and takes no value/],
    [['--no-color=x'], /--no-color is a switch/],
    [['--color', 'pink'], /--color takes auto, always or never/],
    [['--key', '--json'], /--key needs a value/],
    [['--constructor'], /no flag --constructor/],
    [['--__proto__'], /no flag --__proto__/],
    [['--toString=1'], /no flag --toString/],
  ])('%j is wrong use and says why', (args, message) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ code: 'usage', message: expect.stringMatching(message) }))
  })

  test.each([
    [['-C/tmp/p', 'status'], ['-C/tmp/p'], ['status']],
    [
      ['-vC', '/tmp/p', 'status', '-q'],
      ['-vC', '/tmp/p'],
      ['status', '-q'],
    ],
    [
      ['--project=/tmp/p', '--json', 'events', 'list'],
      ['--project=/tmp/p', '--json'],
      ['events', 'list'],
    ],
    [['--json'], ['--json'], []],
    [['--', 'status'], [], ['--', 'status']],
  ])('of %j, flags before the command are %j', (argv, leading, words) => {
    expect(splitLeadingFlags(argv)).toEqual({ leading, words })
  })

  test('what a command line asks for is known before it is understood', () => {
    expect(scanGlobals(['nonsense', '--color=never', '--color=pink', '-vC', '/x', '--json', '--', '--stream'])).toMatchObject({
      color: 'never',
      verbose: true,
      project: '/x',
      json: true,
      stream: false,
    })
  })

  test('a word too many is wrong use', () => {
    expect(() => parseArguments(['a', 'b'], flags, ['key'], false)).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  test('--db and --provider are understood as --store and --host', () => {
    expect(parse('--db', 'x.db').globals.store).toBe('x.db')
  })

  test('single flags win over --input, whatever the spelling there', () => {
    expect(mergeInput({ dryRun: true, key: 'a', count: 1 }, { dry_run: false, key: 'b' })).toEqual({ count: 1, dry_run: false, key: 'b' })
    expect(() => mergeInput([1], {})).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })
})

test('lines are split at line feeds alone, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', '\r', '\u2028', 'é', '💡', '"') }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (lines, size) => {
        const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
        expect(await all(readLines(chunked(chunks), 1000))).toEqual(lines)
      },
    ),
  )
})

test('a line that is too long is an error in its place, however the bytes are cut, and the next ones are read', async () => {
  const bytes = Buffer.from('four\nfive!\nsix\nmuch too long\nend')
  for (const size of [1, 2, 3, 7, 100]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
    const read = await all(readLines(chunked(chunks), 4))
    const tooLarge = (bytes: number) => expect.objectContaining({ code: 'too_large', details: { bytes, most: 4 } })
    expect(read).toEqual(['four', tooLarge(5), 'six', tooLarge(13), 'end'])
  }
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

async function* chunked(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

describe('U-14 colour', () => {
  const screen: Screen = { isTerminal: true, columns: 80, env: {}, choice: 'auto', ascii: false }
  test.each([
    [{}, true],
    [{ isTerminal: false }, false],
    [{ env: { NO_COLOR: '1' } }, false],
    [{ env: { NO_COLOR: '' } }, true],
    [{ env: { TERM: 'dumb' } }, false],
    [{ choice: 'never' as const }, false],
    [{ isTerminal: false, choice: 'always' as const }, true],
    [{ isTerminal: false, env: { FORCE_COLOR: '1' } }, true],
    [{ isTerminal: false, env: { FORCE_COLOR: '0' } }, false],
  ])('%j: %s', (change, coloured) => {
    expect(createPaint({ ...screen, ...change }).good('x') !== 'x').toBe(coloured)
  })

  test('without UTF-8, or on wish, glyphs are ASCII', () => {
    expect(createPaint({ ...screen, env: { LANG: 'C' } }).glyph.ok).toBe('+')
    expect(createPaint({ ...screen, ascii: true }).glyph.ok).toBe('+')
    expect(createPaint({ ...screen, env: { LANG: 'de_DE.UTF-8' } }).glyph.ok).toBe('✓')
  })
})

test('U-14 a table fits the screen and never cuts an id', () => {
  const paint = createPaint({ isTerminal: false, columns: 60, env: {}, choice: 'never', ascii: true })
  const id = 'run_01M7G1T9VP3KJYMD5R0TY6SEK2'
  const lines = show({ items: [{ id, text: 'x'.repeat(200) }] }, paint).split('\n')
  expect(lines.every(line => line.length <= 60)).toBe(true)
  expect(lines[1]).toContain(id)
})

test('U-14 a value that is cut says how much, in whatever column it stands, and rows too wide for a table become records', () => {
  const paint = createPaint({ isTerminal: false, columns: 60, env: {}, choice: 'never', ascii: true })
  const id = 'run_01M7G1T9VP3KJYMD5R0TY6SEK2'
  const table = show({ items: [{ id, input: 'x'.repeat(4000), n: 1 }] }, paint)
  expect(table.split('\n').map(line => line.length <= 60)).toEqual([true, true])
  expect(table).toMatch(/x\.\.\.\+39\d\d {2}1$/)
  const wide = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`key_${i}`, 'y'.repeat(300)]))
  const records = show({ items: [{ id, ...wide }] }, paint).split('\n')
  expect([records.length, Math.max(...records.map(line => line.length))]).toEqual([10, 60])
  expect(records[1]).toMatch(/^key_0 {2}y+\.\.\.\+2\d\d$/)
})

test('U-14 a record keeps its pieces whole, cuts its text to the width and says so', () => {
  const pieces = [{ text: '     1' }, { text: '12:00:00.000' }, { text: 'project.initialised' }, { text: 'project' }]
  expect(fitRecord(pieces, 'd'.repeat(90), 80)).toBe(`     1  12:00:00.000  project.initialised  project  ${'d'.repeat(22)}...+68`)
  expect(fitRecord(pieces, 'd'.repeat(90), 60)).toBe(`     1  12:00:00.000  project.initialised  project\n        ${'d'.repeat(46)}...+44`)
  expect(fitRecord([...pieces, { text: 'x'.repeat(30) }], '', 60).split('\n')[1]).toBe(`        ${'x'.repeat(30)}`)
  expect(cut(`${'a'.repeat(5)}💡${'b'.repeat(9)}`, 12)).toBe('aaaaa...+11')
})

test('U-15 every string of a value is made visible, keys too, at every depth', () => {
  expect(allVisible({ '\x1b[2J': ['\x07', { inner: '\u202e' }], n: 1, none: null })).toEqual({
    '\\x1b[2J': ['\\x07', { inner: '\\u{202e}' }],
    n: 1,
    none: null,
  })
})

test('U-15 a name with an escape sequence is shown harmless', () => {
  const paint = createPaint({ isTerminal: true, columns: 80, env: {}, choice: 'never', ascii: false })
  expect(show(allVisible({ items: [{ name: '\x1b[2Jgone' }] }), paint)).not.toContain('\x1b')
})

describe('U-16 the live line', () => {
  const CLEAR = '\r\x1b[2K'
  const drawn = (text: string): string => `${CLEAR}\x1b[?7l${text}\x1b[?7h`

  function live(columns: number) {
    let written = ''
    let now = 0
    const end = new Writable({
      write: (chunk: Buffer, _, done) => {
        written += chunk.toString()
        done()
      },
    })
    const stream = Object.assign(end, { columns })
    const line = new LiveLine(stream, createPaint({ isTerminal: true, columns, env: {}, choice: 'never', ascii: false }), () => now)
    const taken = (): string => {
      const text = written
      written = ''
      return text
    }
    return { line, taken, pass: (ms: number) => void (now += ms), resize: (width: number) => void (stream.columns = width) }
  }

  test('says what is going on and for how long, counted from when that began', () => {
    const { line, taken, pass } = live(80)
    line.update({ label: 'before the work' })
    pass(2400)
    line.update({ label: 'before the work', detail: 'ok 1' })
    line.draw()
    line.update({ label: 'the result' })
    line.draw()
    expect(taken()).toBe(drawn('before the work  0 s') + drawn('before the work  2 s  ok 1') + drawn('the result  0 s'))
    line.draw()
    expect(taken()).toBe('')
    line.end()
    expect(taken()).toBe(CLEAR)
    line.draw()
    expect(taken()).toBe('')
  })

  test('is never wider than the terminal, also where that does not know its width', () => {
    const { line, taken } = live(20)
    line.update({ label: 'the result', detail: 'x'.repeat(100) })
    expect(taken()).toBe(drawn('the result  0 s'))
    line.end()
    const unknown = live(0)
    unknown.line.update({ label: 'the result', detail: 'x'.repeat(100) })
    expect(unknown.taken()).toBe(drawn(`the result  0 s  ${'x'.repeat(60)}`))
    unknown.line.end()
  })

  test('a line that stays stands above it', () => {
    const { line, taken } = live(80)
    line.update({ label: 'the result' })
    taken()
    line.print('something red')
    expect(taken()).toBe(`${CLEAR}something red\n${drawn('the result  0 s')}`)
    line.end()
  })

  const TWO = `${CLEAR}\x1b[1A\x1b[2K`

  test('a text that comes in pieces is broken at words; whole rows stay, the last one stands above the line until it is full', () => {
    const { line, taken } = live(21)
    line.update({ label: 'the model answers' })
    taken()
    line.write('one two ')
    line.write('three four five')
    expect(taken()).toBe('')
    line.draw()
    expect(taken()).toBe(`${CLEAR}one two three four\n${drawn('five\nthe model answers ')}`)
    line.write(' six\nseven')
    line.draw()
    expect(taken()).toBe(`${TWO}five six\n${drawn('seven\nthe model answers ')}`)
    line.print('something that stays')
    expect(taken()).toBe(`${TWO}seven\nsomething that stays\n${drawn('the model answers ')}`)
    line.write('rest')
    line.end()
    expect(taken()).toBe(`${CLEAR}rest\n`)
  })

  test('where the terminal became narrower, all rows that the line takes now are cleared', () => {
    const { line, taken, resize } = live(80)
    line.write('half a row')
    line.update({ label: 'bash', detail: 'x'.repeat(100) })
    taken()
    resize(30)
    line.print('it stays')
    expect(taken()).toMatch(`${CLEAR}${'\x1b[1A\x1b[2K'.repeat(3)}half a row\nit stays\n`)
    line.end()
  })

  test('a word longer than a row is cut, and no row is lost', () => {
    const { line, taken } = live(11)
    line.write('x'.repeat(25))
    line.end()
    expect(taken()).toBe(`${'x'.repeat(10)}\n${'x'.repeat(10)}\nxxxxx\n`)
  })

  test('while a question is asked nothing is drawn; afterwards it goes on', () => {
    const { line, taken, pass } = live(80)
    line.update({ label: 'bash' })
    line.write('half a row')
    taken()
    line.hold()
    expect(taken()).toBe(`${CLEAR}half a row\n${drawn('bash  0 s')}${CLEAR}`)
    pass(5000)
    line.draw()
    line.update({ label: 'bash', detail: 'more' })
    expect(taken()).toBe('')
    line.release()
    expect(taken()).toBe(drawn('bash  5 s  more'))
    line.end()
  })
})
