// How fast replies are read, in megabytes of text per second. Goal: 20 for plain text with tags, whole and in small chunks;
// hostile text must stay in the same order of magnitude at any length.
import { LiveReply } from '../../src/text/dialects/live-reply.ts'
import { parseReply } from '../../src/text/dialects/parse-reply.ts'
import { ReplyParser } from '../../src/text/dialects/reply-parser.ts'
import type { Case } from '../harness.ts'

const SIZE = 1_000_000
const ROUNDS = 5

const prose = 'The loader reads the file, checks `a < b`, then hands it on. See src/app.ts (line 40) for the call.\n'
const code = 'export const pick = <T,>(items: T[], at: number): T | undefined => (at < items.length ? items[at] : undefined)\n'
const tagged = `${prose.repeat(6)}<get path="src/app.ts" line="40" limit="20"/>\n<set path="src/pick.ts">\n${code.repeat(30)}</set>\n${prose.repeat(4)}`
const native = `${prose.repeat(10)}<tool_call>{"name":"get","arguments":{"path":"src/app.ts","limit":5}}</tool_call>\n`

const filled = (part: string): string => part.repeat(Math.ceil(SIZE / part.length)).slice(0, SIZE)

function measured(text: string, read: (text: string) => unknown): number {
  const started = performance.now()
  for (let round = 0; round < ROUNDS; round++) read(text)
  return (text.length * ROUNDS) / 1e6 / ((performance.now() - started) / 1e3)
}

function inChunks(text: string, size: number): unknown {
  const parser = new ReplyParser()
  for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size))
  return parser.end()
}

const FLOOR = 'one look at every character'

// What any reader has to do at the least. Kept in a variable, or the engine would leave the work out.
let seen = 0
const lookAtAll = (text: string): void => {
  for (let i = 0; i < text.length; i++) seen ^= text.charCodeAt(i)
}

const whole = (name: string, part: string, least?: number): Case => {
  const text = filled(part)
  return {
    name: `dialects ${name}`,
    unit: 'MB/s',
    floor: FLOOR,
    ...(least !== undefined && { goal: { least } }),
    run: () => measured(text, parseReply),
  }
}

const chunked = (name: string, part: string, size: number): Case => {
  const text = filled(part)
  return {
    name: `dialects ${name}`,
    unit: 'MB/s',
    floor: FLOOR,
    goal: { least: 20 },
    run: () => measured(text, all => inChunks(all, size)),
  }
}

const shown = (name: string, part: string, size: number): Case => {
  const text = filled(part)
  const show = (all: string): void => {
    const reply = new LiveReply()
    for (let at = 0; at < all.length; at += size) reply.push(all.slice(at, at + size))
  }
  return { name: `dialects ${name}`, unit: 'MB/s', floor: FLOOR, run: () => measured(text, show) }
}

export const dialectCases: Case[] = [
  { name: FLOOR, unit: 'MB/s', run: () => measured(filled(prose), lookAtAll) },
  whole('prose with tags', tagged, 20),
  whole('plain prose', prose),
  whole('prose with provider calls', native),
  whole('one large body', `<set path="a">\n${code.repeat(9_000)}`),
  chunked('prose with tags, chunks of 8', tagged, 8),
  chunked('prose with tags, chunks of 200', tagged, 200),
  shown('prose shown live, chunks of 8', prose, 8),
  whole('hostile: only <', '<'),
  whole('hostile: openings never closed', '\n<set path="a">'),
  whole('hostile: quotes never closed', '<get path="x'),
  whole('hostile: until never found', '<set until="q">x</set>\n'),
  whole('hostile: objects never closed', '{"name":"get","arguments":\n'),
  whole('hostile: broken calls', '<tool_call>{"a</tool_call>'),
  whole('hostile: fences never closed', '```js x\n'),
  whole('hostile: backtick runs', '` `` ``` ```` ````` '),
  whole('hostile: thinking openers', '<thinker>'),
  whole('hostile: deep arrays', '['),
  whole('hostile: element openers', '<function=a><parameter=b>'),
  whole('hostile: bar calls', '<|tool_call>call:a{b:"'),
  whole('hostile: Python lists', '[a(b=[\n'),
]
