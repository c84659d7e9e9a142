import { describe, expect, test } from 'vitest'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import type { ParseOptions } from '../../../src/text/dialects/types.ts'
import { codes, outcome } from './replies.ts'

interface Row {
  says: string
  reply: string
  options?: ParseOptions
  calls?: unknown[]
  rejected?: unknown[]
  text?: string
  warnings?: string[]
}

const get = (path: string, more: object = {}) => ['get', { path, ...more }]
const set = (path: string, body: string) => ['set', { path, body }]

const rows: Row[] = [
  { says: 'D-2 missing text has no calls', reply: '' },
  {
    says: 'D-2 tags looks at tags only',
    reply: '<get path="a"/>[TOOL_CALLS]get{"path":"b"}',
    options: { dialect: 'tags' },
    calls: [get('a')],
    text: '[TOOL_CALLS]get{"path":"b"}',
  },
  {
    says: 'D-2 native looks at notations only',
    reply: '<get path="a"/>[TOOL_CALLS]get{"path":"b"}',
    options: { dialect: 'native' },
    calls: [get('b')],
    text: '<get path="a"/>',
  },
  {
    says: 'D-2 none takes only thinking out',
    reply: '<think>x</think><get path="a"/>',
    options: { dialect: 'none' },
    text: '<get path="a"/>',
  },
  { says: 'D-10 a tag that is no tool is prose', reply: '<div>x</div><got path="a"/>', text: '<div>x</div><got path="a"/>' },
  { says: 'D-10 a closing without its opening leaves the text', reply: 'a </set> b', text: 'a  b', warnings: ['stray_close'] },
  { says: 'D-11 case counts', reply: '<GET path="a"/>', text: '<GET path="a"/>' },
  { says: 'D-11 a longer name is another name', reply: '<getter path="a"/><get-x/><get.y/>', text: '<getter path="a"/><get-x/><get.y/>' },
  { says: 'D-11 a self-closing tag has no body', reply: '<known path="k"/>', calls: [['known', { path: 'k' }]] },
  { says: 'D-11 an empty body is empty, not absent', reply: '<known path="k"></known>', calls: [['known', { path: 'k', body: '' }]] },
  { says: 'D-11 an opening cut by the end is no call and leaves the text', reply: 'so <set path="a', text: 'so', warnings: ['unclosed'] },
  { says: 'D-11 an opening cut inside its name is prose', reply: 'so <se', text: 'so <se' },
  { says: 'D-11 a name cut at its end is no call', reply: 'so <set', text: 'so', warnings: ['unclosed'] },
  {
    says: 'D-11 an opening into which another tag breaks is prose',
    reply: '<set path="a"\n<get path="b"/>',
    calls: [get('b')],
    text: '<set path="a"',
    warnings: ['unclosed'],
  },
  { says: 'D-12 rm takes its path from the body', reply: '<rm>src/old.js</rm>', calls: [['rm', { path: 'src/old.js' }]] },
  { says: 'D-12 mv takes its target from the body', reply: '<mv path="a">b</mv>', calls: [['mv', { path: 'a', to: 'b' }]] },
  {
    says: 'D-12 ask_user takes question, then options',
    reply: '<ask_user>Which?</ask_user><ask_user question="Which?">a;b</ask_user>',
    calls: [
      ['ask_user', { question: 'Which?' }],
      ['ask_user', { question: 'Which?', options: 'a;b' }],
    ],
  },
  { says: 'D-12 sh takes a command', reply: '<sh>\n  npm test\n</sh>', calls: [['sh', { command: 'npm test' }]] },
  {
    says: 'D-12 a body whose argument is given is dropped',
    reply: '<sh command="ls">pwd</sh>',
    calls: [['sh', { command: 'ls' }]],
    warnings: ['duplicate_argument'],
  },
  {
    says: 'D-12 two contents for one file are refused',
    reply: '<set path="a" body="x">y</set>',
    rejected: [['set', 'incomplete']],
    warnings: ['duplicate_argument'],
  },
  {
    says: 'D-12 set keeps search and body apart',
    reply: '<set path="a" search="x">y</set>',
    calls: [['set', { path: 'a', search: 'x', body: 'y' }]],
  },
  {
    says: 'D-12 another tool says where its body goes',
    reply: '<write path="a">  x\n</write>',
    options: { tools: [{ name: 'write', effect: 'write', body: 'content' }] },
    calls: [['write', { path: 'a', content: 'x' }]],
  },
  {
    says: 'D-12 a tool that was not offered is prose',
    reply: '<set path="a">x</set>',
    options: { tools: [{ name: 'get' }] },
    text: '<set path="a">x</set>',
  },
  { says: 'D-13 blanks around a set body stay', reply: '<set path="a">\n\n  x \r\n</set>', calls: [set('a', '\n\n  x \r\n')] },
  { says: 'D-13 entities stay', reply: '<set path="a">&lt;b&gt; &quot;</set>', calls: [set('a', '&lt;b&gt; &quot;')] },
  {
    says: 'D-13 tags of other tools in a body are content',
    reply: '<set path="a"><get path="b"/>\n<sh>x</sh>\n</set>',
    calls: [set('a', '<get path="b"/>\n<sh>x</sh>\n')],
  },
  {
    says: 'D-13 a provider call in a body is content',
    reply: '<set path="a"><tool_call>{"name":"sh","arguments":{"command":"x"}}</tool_call></set>',
    calls: [set('a', '<tool_call>{"name":"sh","arguments":{"command":"x"}}</tool_call>')],
  },
  { says: 'D-13 a fence in a body is content', reply: '<set path="a">\n```js\nx\n```\n</set>', calls: [set('a', '\n```js\nx\n```\n')] },
  {
    says: 'D-13 an unbalanced fence in a body does not leak',
    reply: '<set path="a">\n```js\n</set>\n<get path="b"/>',
    calls: [set('a', '\n```js\n'), get('b')],
  },
  { says: 'D-14 until ends the body', reply: '<set path="a" until="END">x</set>\n</set>END</set>', calls: [set('a', 'x</set>\n</set>')] },
  {
    says: 'D-14 until is found at its first place',
    reply: '<set path="a" until="#">x#</set><set path="b">y#</set>',
    calls: [set('a', 'x'), set('b', 'y#')],
  },
  {
    says: 'D-14 until that never comes is incomplete',
    reply: '<set path="a" until="END">x</set>',
    rejected: [['set', 'incomplete']],
    warnings: ['unclosed'],
  },
  {
    says: 'D-14 a closing right before a call is hard',
    reply: '<set path="a">1</set><set path="b">2</set>',
    calls: [set('a', '1'), set('b', '2')],
  },
  {
    says: 'D-14 three soft closings are content',
    reply: '<set path="a">a</set>b</set>c</set>d\n</set>',
    calls: [set('a', 'a</set>b</set>c</set>d\n')],
  },
  { says: 'D-14 closings of other tools do not matter', reply: '<set path="a">x</get>y</set>', calls: [set('a', 'x</get>y')] },
  {
    says: 'D-14 a self-closing tag of the same name is no opening',
    reply: '<set path="a">\n<set path="b" search="x" replace="y"/>\n</set>',
    calls: [set('a', '\n<set path="b" search="x" replace="y"/>\n')],
  },
  {
    says: 'D-15 two levels of nesting stay whole',
    reply: '<set path="a">\n<set path="b">\n<set path="c">x</set>\n</set>\n</set>',
    calls: [set('a', '\n<set path="b">\n<set path="c">x</set>\n</set>\n')],
  },
  {
    says: 'D-15 a second hard closing contests the body',
    reply: '<set path="a">x\n</set>\ny\n</set>',
    rejected: [['set', 'incomplete']],
    warnings: ['unclosed'],
  },
  {
    says: 'D-15 a less-than in code is no opening',
    reply: '<set path="a">if (a <set && b) {\n}\n</set>',
    calls: [set('a', 'if (a <set && b) {\n}\n')],
  },
  {
    says: 'D-16 get with a path and no closing is whole',
    reply: '<get path="a">\nnext',
    calls: [get('a')],
    text: 'next',
    warnings: ['unclosed'],
  },
  {
    says: 'D-16 an alias suffices too',
    reply: '<get file="a">\nnext',
    calls: [get('a')],
    text: 'next',
    warnings: ['alias', 'unclosed'],
  },
  {
    says: 'D-16 get without closing takes the rest of its line',
    reply: '<get>src/a.js\nnext line',
    calls: [get('src/a.js')],
    text: 'next line',
    warnings: ['unclosed'],
  },
  {
    says: 'D-16 mv needs both attributes to be whole',
    reply: '<mv path="a" to="b">\n<mv path="c">',
    calls: [['mv', { path: 'a', to: 'b' }]],
    rejected: [['mv', 'incomplete']],
    warnings: ['unclosed', 'unclosed'],
  },
  {
    says: 'D-16 a cut rm with a path and prose behind it is incomplete',
    reply: '<rm path="a"> it is old',
    rejected: [['rm', 'incomplete']],
    warnings: ['unclosed'],
  },
  {
    says: 'D-16 a cut known keeps what arrived',
    reply: '<known path="k">fact',
    calls: [['known', { path: 'k', body: 'fact' }]],
    warnings: ['unclosed'],
  },
  {
    says: 'D-16 an unclosed body ends before the next call on a line of its own',
    reply: '<update>working\n<get path="a"/>',
    calls: [['update', { body: 'working\n' }], get('a')],
    warnings: ['unclosed'],
  },
  {
    says: 'D-16, D-18 an unclosed set swallows no later call, but one that changes things may be what it was to write',
    reply: '<set path="a">x\n<sh>ls</sh>\n<get path="b"/>',
    calls: [['get', { path: 'b' }]],
    rejected: [
      ['set', 'incomplete'],
      ['sh', 'incomplete'],
    ],
    warnings: ['unclosed'],
  },
  {
    says: 'D-17 a shell call inside a contested set is incomplete',
    reply: '<set path="a">x\n<sh>ls</sh>\n<set path="b">y</set>',
    rejected: [
      ['set', 'incomplete'],
      ['sh', 'incomplete'],
      ['set', 'incomplete'],
    ],
    warnings: ['unclosed'],
  },
  {
    says: 'D-17 a reading call inside a contested set stays',
    reply: '<set path="a">x\n<get path="r"/>\n<set path="b">y</set>',
    calls: [get('r')],
    rejected: [
      ['set', 'incomplete'],
      ['set', 'incomplete'],
    ],
    warnings: ['unclosed'],
  },
  {
    says: 'D-18 a set cut off by the end never runs',
    reply: '<set path="a">whole file\n',
    rejected: [['set', 'incomplete']],
    warnings: ['unclosed'],
  },
  {
    says: 'D-20 single quotes, no quotes and blanks around =',
    reply: '<get path = \'a b\' line=3 limit = "5"/>',
    calls: [get('a b', { line: 3, limit: 5 })],
  },
  { says: 'D-20 names are lower-cased', reply: '<get PATH="a"/>', calls: [get('a')] },
  {
    says: 'D-20 only the own quote is decoded',
    reply: `<set path="a" search="&quot;&apos;&lt;" replace='&apos;&quot;&amp;'/>`,
    calls: [['set', { path: 'a', search: '"&apos;&lt;', replace: "'&quot;&amp;" }]],
  },
  {
    says: 'D-20 a value may hold > and line breaks',
    reply: '<set path="a" search="a > b\nc" replace="d"/>',
    calls: [['set', { path: 'a', search: 'a > b\nc', replace: 'd' }]],
  },
  {
    says: 'D-20 a value may hold quotes that cannot end it',
    reply: '<set path="a" search="say "hi"!" replace="x"/>',
    calls: [['set', { path: 'a', search: 'say "hi"!', replace: 'x' }]],
  },
  {
    says: 'D-20 the first of two equal names wins',
    reply: '<get path="a" path="b"/>',
    calls: [get('a')],
    warnings: ['duplicate_argument'],
  },
  { says: 'D-20 a self-closing tag needs no blank before its slash', reply: '<get path=src/a.js/>', calls: [get('src/a.js')] },
  {
    says: 'D-21 a forgotten quote ends before the slash',
    reply: '<get path="a.js/>\nmore',
    calls: [get('a.js')],
    text: 'more',
    warnings: ['unbalanced_quote'],
  },
  {
    says: 'D-21 a forgotten quote without an end is no call',
    reply: '<set path="a\n<get path="b"/>',
    calls: [get('b')],
    text: '<set path="a',
    warnings: ['unclosed'],
  },
  {
    says: 'D-22 file means path',
    reply: '<get file="a"/><set filename="b">x</set>',
    calls: [get('a'), ['set', { path: 'b', body: 'x' }]],
    warnings: ['alias', 'alias'],
  },
  {
    says: 'D-22 with a filter in the body, file still means path',
    reply: '<get file_path="a">x</get>',
    calls: [get('a', { body: 'x' })],
    warnings: ['alias'],
  },
  {
    says: 'D-22 content means body only where there is none',
    reply: '<set path="a" content="x"/><set path="b" content="x">y</set>',
    calls: [set('a', 'x'), ['set', { path: 'b', content: 'x', body: 'y' }]],
    warnings: ['alias'],
  },
  {
    says: 'D-22 cmd, and path of search',
    reply: '<sh cmd="ls"/><search path="x"/>',
    calls: [
      ['sh', { command: 'ls' }],
      ['search', { query: 'x' }],
    ],
    warnings: ['alias', 'alias'],
  },
  {
    says: 'D-22 source and destination of mv',
    reply: '<mv source="a" destination="b"/>',
    calls: [['mv', { path: 'a', to: 'b' }]],
    warnings: ['alias', 'alias'],
  },
  { says: 'D-22 unknown attributes stay', reply: '<get path="a" colour="red"/>', calls: [get('a', { colour: 'red' })] },
  { says: 'D-23 file:// in front of a path is removed', reply: '<get path="file:///etc/hosts"/>', calls: [get('/etc/hosts')] },
  { says: 'D-23 a path of 513 characters is no target', reply: `<get path="${'a'.repeat(513)}"/>`, rejected: [['get', 'bad_target']] },
  { says: 'D-23 a path with a control character is no target', reply: '<rm path="a\u0007b"/>', rejected: [['rm', 'bad_target']] },
  { says: 'D-23 a target with a line break is none', reply: '<mv path="a">b\nc</mv>', rejected: [['mv', 'bad_target']] },
  {
    says: 'D-34 attributes get the types of the schema',
    reply: '<get path="5" line="x" limit="7" preview="FALSE"/>',
    calls: [get('5', { line: 'x', limit: 7, preview: false })],
    warnings: ['type'],
  },
  { says: 'D-34 an empty text is true for a boolean', reply: '<set path="a" all=""/>', calls: [['set', { path: 'a', all: true }]] },
  {
    says: 'D-34 an integer beyond 2^53 stays text',
    reply: '<get path="a" line="9007199254740993"/>',
    calls: [get('a', { line: '9007199254740993' })],
    warnings: ['type'],
  },
  {
    says: 'I-6 sh means bash where only bash is offered',
    reply: '<sh>ls</sh>',
    options: { tools: [{ name: 'bash', effect: 'execute', body: 'command' }] },
    calls: [['bash', { command: 'ls' }]],
    warnings: ['alias'],
  },
]

describe('tags', () => {
  test.each(rows)('$says', ({ reply, options, calls = [], rejected = [], text = '', warnings = [] }) => {
    expect(outcome(reply, options)).toEqual({ calls, rejected, text, warnings })
  })

  test('D-4 spans are offsets into the reply and lists are in their order', () => {
    const reply = 'a <get path="b"/> c <sh>x</sh>'
    expect(parseReply(reply).calls.map(call => reply.slice(...call.span))).toEqual(['<get path="b"/>', '<sh>x</sh>'])
  })

  test('D-6 the fifty-first call is dropped and counted', () => {
    const parsed = parseReply('<get path="a"/>'.repeat(53))
    expect([parsed.calls.length, codes(parsed)]).toEqual([50, ['call_cap']])
    expect(parsed.warnings[0]?.message).toContain('3')
  })

  test('D-6 dropped calls leave one warning in all', () => {
    const parsed = parseReply(`${'<get file="a"/>\n'.repeat(60)}</get>`)
    expect(codes(parsed)).toEqual([...Array.from({ length: 50 }, () => 'alias'), 'call_cap', 'stray_close'])
  })

  test('D-3 a reply over one MiB is cut, and the call that reaches the cut is incomplete', () => {
    const parsed = parseReply(`<get path="a"/>\n<set path="b">${'é'.repeat(600_000)}</set>`)
    expect([parsed.calls.map(call => call.name), parsed.rejected.map(call => call.status), codes(parsed)]).toEqual([
      ['get'],
      ['incomplete'],
      ['unclosed', 'too_long'],
    ])
  })

  test('D-3 the cut never splits a character and an update at the cut is incomplete too', () => {
    const parsed = parseReply(`<update>x${'😀'.repeat(300_000)}`)
    expect(parsed.calls).toEqual([])
    expect(parsed.rejected.map(call => String(call.arguments['body']).isWellFormed())).toEqual([true])
  })

  test('D-34 a prototype name is an argument like any other', () => {
    const [call] = parseReply('<get path="a" __proto__="x" constructor="y"/>').calls
    expect(Object.entries(call?.arguments ?? {})).toEqual([
      ['path', 'a'],
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })
})
