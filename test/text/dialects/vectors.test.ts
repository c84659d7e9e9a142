import { describe, expect, test } from 'vitest'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import type { ParseOptions } from '../../../src/text/dialects/types.ts'
import { outcome } from './replies.ts'

interface Row {
  says: string
  reply: string
  options?: ParseOptions
  calls?: unknown[]
  rejected?: unknown[]
  text?: string
  warnings?: string[]
}

const rows: Row[] = [
  { says: 'D-12 a body of get is its path', reply: '<get>src/app.js</get>', calls: [['get', { path: 'src/app.js' }]] },
  {
    says: 'D-12 a body of get with a path is a filter',
    reply: '<get path="known://*">auth</get>',
    calls: [['get', { path: 'known://*', body: 'auth' }]],
  },
  { says: 'D-20 a bare name is true', reply: '<get path="src/*.js" preview/>', calls: [['get', { path: 'src/*.js', preview: true }]] },
  {
    says: 'D-13 a body is not XML',
    reply: '<set path="f">Map<string, number> &amp; <br/></set>',
    calls: [['set', { path: 'f', body: 'Map<string, number> &amp; <br/>' }]],
  },
  {
    says: 'D-14 a soft closing inside a body does not end it',
    reply: '<set path="d">const end = "</set>";\n</set>\n<set path="e">f</set>',
    calls: [
      ['set', { path: 'd', body: 'const end = "</set>";\n' }],
      ['set', { path: 'e', body: 'f' }],
    ],
  },
  {
    says: 'D-15 balanced tags of the same tool are content',
    reply: '<set path="d">\n<set path="a">b</set>\nend\n</set>',
    calls: [['set', { path: 'd', body: '\n<set path="a">b</set>\nend\n' }]],
  },
  {
    says: 'D-15 a soft opening left over is content',
    reply: '<set path="a">- use <set> to write\n</set>',
    calls: [['set', { path: 'a', body: '- use <set> to write\n' }]],
  },
  {
    says: 'D-14 prose between two calls separates them',
    reply: '<set path="a">foo</set> and\n<set path="b">bar</set>',
    calls: [
      ['set', { path: 'a', body: 'foo' }],
      ['set', { path: 'b', body: 'bar' }],
    ],
    text: 'and',
  },
  {
    says: 'D-17 an unclosed set puts its neighbour in doubt, not what comes after',
    reply: '<set path="a">foo\n<set path="b">bar</set>\n<get path="c"/>',
    calls: [['get', { path: 'c' }]],
    rejected: [
      ['set', 'incomplete'],
      ['set', 'incomplete'],
    ],
    warnings: ['unclosed'],
  },
  {
    says: 'D-16 the closing tag of another tool closes',
    reply: '<set path="known://p">x</update>\n<set path="known://q">y</set>',
    calls: [
      ['set', { path: 'known://p', body: 'x' }],
      ['set', { path: 'known://q', body: 'y' }],
    ],
    warnings: ['mismatched_close'],
  },
  {
    says: 'D-16 an opening whose attributes suffice is whole',
    reply: '<rm path="unknown://x"></unknown>\n<update>go</update>',
    calls: [
      ['rm', { path: 'unknown://x' }],
      ['update', { body: 'go' }],
    ],
    warnings: ['unclosed', 'stray_close'],
  },
  {
    says: 'D-21 a forgotten quote does not swallow the next call',
    reply: '<get path="a.js>\n<get path="b.js"/>',
    calls: [
      ['get', { path: 'a.js' }],
      ['get', { path: 'b.js' }],
    ],
    warnings: ['unclosed', 'unbalanced_quote'],
  },
  { says: 'D-18 a cut shell command never runs', reply: '<sh>npm te', rejected: [['sh', 'incomplete']], warnings: ['unclosed'] },
  {
    says: 'D-16 a cut update keeps what arrived',
    reply: '<update>The answer is 42.',
    calls: [['update', { body: 'The answer is 42.' }]],
    warnings: ['unclosed'],
  },
  {
    says: 'D-24 thinking yields no call',
    reply: '<think>maybe <sh>rm -rf /</sh></think><update>x</update>',
    calls: [['update', { body: 'x' }]],
  },
  {
    says: 'D-26 a closer alone makes everything before it thinking',
    reply: 'maybe <sh>rm x</sh></think>\n<get path="a"/>',
    calls: [['get', { path: 'a' }]],
    warnings: ['thinking_orphan'],
  },
  { says: 'D-29 a code span is prose', reply: 'use `<get path="a"/>` here', text: 'use `<get path="a"/>` here' },
  {
    says: 'D-28 a fence is prose',
    reply: 'Like this:\n```js\n<sh>ls</sh>\n```',
    text: 'Like this:\n```js\n<sh>ls</sh>\n```',
  },
  { says: 'D-28 a tool_code fence is read', reply: '```tool_code\n<get path="a"/>\n```', calls: [['get', { path: 'a' }]] },
  {
    says: 'D-34 every argument keeps its type',
    reply: '[TOOL_CALLS] [{"name":"set","arguments":{"path":"k","body":"v{}","n":{"a":[1,2]}}}]',
    calls: [['set', { path: 'k', body: 'v{}', n: { a: [1, 2] } }]],
  },
  {
    says: 'D-33 a name that is no tool is rejected',
    reply: '<tool_call>{"name":"nope","arguments":{}}</tool_call>',
    options: { tools: [{ name: 'get' }] },
    rejected: [['nope', 'unknown_tool']],
  },
  {
    says: 'D-31 a call in the middle of a sentence is prose',
    reply: 'The config is {"name":"get","arguments":{"path":"a"}} as said.',
    text: 'The config is {"name":"get","arguments":{"path":"a"}} as said.',
  },
]

describe('vectors', () => {
  test.each(rows)('$says', ({ reply, options, calls = [], rejected = [], text = '', warnings = [] }) => {
    expect(outcome(reply, options)).toEqual({ calls, rejected, text, warnings })
  })

  test('D-33 a bar call keeps the last part of its name, its types and no text', () => {
    const parsed = parseReply('<|tool_call>call:fs/get{path:"a",limit:5}<tool_call|>')
    expect(parsed).toEqual({
      calls: [{ id: 'call_1', name: 'get', arguments: { path: 'a', limit: 5 }, source: 'bar_call', span: [0, 53] }],
      rejected: [],
      text: '',
      warnings: [],
    })
  })
})
