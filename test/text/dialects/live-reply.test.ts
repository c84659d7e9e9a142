import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LivePart, LiveReply } from '../../../src/text/dialects/live-reply.ts'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import { DIALECTS, type ParseOptions } from '../../../src/text/dialects/types.ts'
import { anyReply, runs } from './fragments.ts'

type Show = (chunks: string[], options: ParseOptions) => LivePart[]

const live: Show = (chunks, options) => {
  const reply = new LiveReply(options)
  return chunks.flatMap(chunk => reply.push(chunk))
}

const shown = (parts: LivePart[], kind: 'text' | 'thinking'): string => parts.map(part => (part.kind === kind ? part.text : '')).join('')

const withoutBlanks = (text: string): string => text.replace(/\s/g, '')

/** What is shown is the beginning of what will be true, unless thinking turns out to have begun in the prompt. */
const neverTakenBack = (show: Show) =>
  fc.property(anyReply, fc.integer({ min: 1, max: 40 }), fc.constantFrom(...DIALECTS), fc.boolean(), (reply, size, dialect, given) => {
    const options: ParseOptions = { dialect, ...(given && { tools: [{ name: 'get' }, { name: 'sh' }] }) }
    const parsed = parseReply(reply, options)
    fc.pre(parsed.warnings.every(warning => warning.code !== 'thinking_orphan'))
    const chunks = Array.from({ length: Math.ceil(reply.length / size) }, (_, i) => reply.slice(i * size, (i + 1) * size))
    const parts = show(chunks, options)
    expect(withoutBlanks(parsed.text).startsWith(withoutBlanks(shown(parts, 'text')))).toBe(true)
    expect(withoutBlanks(parsed.thinking ?? '').startsWith(withoutBlanks(shown(parts, 'thinking')))).toBe(true)
  })

function tried<Ts>(property: fc.IProperty<Ts>): string {
  const details = fc.check(property, runs)
  return details.failed ? (fc.defaultReportMessage(details) ?? 'failed') : 'holds'
}

const text = (shown: string): LivePart => ({ kind: 'text', text: shown })
const thought = (shown: string): LivePart => ({ kind: 'thinking', text: shown })

const rows: { says: string; chunks: string[]; parts: LivePart[][] }[] = [
  { says: 'D-41 prose shows as it comes', chunks: ['Hello ', 'you'], parts: [[text('Hello ')], [text('you')]] },
  {
    says: 'D-41 thinking shows as thinking',
    chunks: ['<thi', 'nk>a', 'b</think>\nHi'],
    parts: [[], [thought('a')], [thought('b'), text('\nHi')]],
  },
  { says: 'D-41 what could begin a call is held back', chunks: ['so <ge'], parts: [[text('so ')]] },
  { says: 'D-41 what turns out not to be one shows', chunks: ['so <ge', 'neric> x'], parts: [[text('so ')], [text('<generic> x')]] },
  {
    says: 'D-41 a call is announced and not shown',
    chunks: ['so <get pa', 'th="a"/> b'],
    parts: [[text('so '), { kind: 'pending', name: 'get' }], []],
  },
  {
    says: 'D-41 an example shows when it has closed',
    chunks: ['x\n```js\n<sh>y', '</sh>\n```\nOk'],
    parts: [[text('x\n')], [text('```js\n<sh>y</sh>\n```\nOk')]],
  },
  {
    says: 'D-41 a fence that comes mark by mark is a fence',
    chunks: ['x\n~', '~~js', '\n<sh>y</sh>\n~~~\nOk'],
    parts: [[text('x\n')], [], [text('~~~js\n<sh>y</sh>\n~~~\nOk')]],
  },
  {
    says: 'D-41 behind four blanks no fence opens, however they come',
    chunks: ['  ', '  ```js\n', '<sh>x</sh>\n```\n'],
    parts: [[text('  ')], [text('  ```js\n')], [{ kind: 'pending', name: 'sh' }]],
  },
  {
    says: 'D-28, D-41 a fence that has shown is nothing outside fences: the next may still call',
    chunks: ['```js\ny\n```\n', '```\n<sh>x</sh>\n```\n'],
    parts: [[text('```js\ny\n```\n')], []],
  },
  { says: 'D-41 a line that could name a tool waits', chunks: ['ge', 't it'], parts: [[], [text('get it')]] },
  {
    says: 'D-41 a list of calls amid a line waits for the end',
    chunks: ['so [ge', 't(a="<think>', 'x</think>")] y'],
    parts: [[text('so ')], [], []],
  },
  { says: 'D-41 so does an object', chunks: ['so {"na', 'me":"<think>x</think>"} y'], parts: [[text('so ')], []] },
  {
    says: 'D-41 other brackets show',
    chunks: ['so {na', 'tive} [x', '](y)'],
    parts: [[text('so ')], [text('{native} ')], [text('[x](y)')]],
  },
  { says: 'D-41 words before a token wait', chunks: ['a function call', '<|role_sep|>{"name"'], parts: [[text('a ')], []] },
]

describe('a reply that is still arriving', () => {
  test.each(rows)('$says', ({ chunks, parts }) => {
    const reply = new LiveReply()
    expect(chunks.map(chunk => reply.push(chunk))).toEqual(parts)
  })

  test('D-41 what is shown is never taken back', () => {
    expect(tried(neverTakenBack(live))).toBe('holds')
  })

  test('D-41 showing everything as it comes is caught', () => {
    expect(tried(neverTakenBack(chunks => chunks.map(text => ({ kind: 'text', text }))))).not.toBe('holds')
  })
})
