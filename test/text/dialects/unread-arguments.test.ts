import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../src/kernel/json.ts'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import type { ParsedReply } from '../../../src/text/dialects/types.ts'

const act = '<sh>rm -rf x</sh>'

/** Each has an act where only an argument was meant. */
const replies = [
  `<tool_call>{"name":"set","arguments":{"path":"a.md","body":"close it with </tool_call> or ${act}`,
  `<tool_call>{"name":"set","arguments":{"path":"a","body":"</think> ${act}`,
  `<function=set>{"body":"</function>${act}`,
  `<function=set>body="</function>${act}"</function>`,
  `<function=set>body="${act}`,
  `Action:\n\`\`\`json\n{"name":"set","arguments":{"body":"\`\`\`\\n${act}`,
  `[set(path="a", body="${act}`,
  `[set(path="a", body="${act}", n=x)]`,
  `Look:\n[set(path="a", body="${act}")]`,
  `\`\`\`tool_code\nset(path="a", body="${act}`,
  `\`\`\`tool_code\n# write it\nset(path="a", body="${act}")\n\`\`\``,
  `\`\`\`tool_code\nset(path="a", body="\n\`\`\`\n${act}`,
  `<|python_start|>[set(path=p, body="${act}")]<|python_end|>`,
  `<|python_start|>[set(path=p, body="<|python_end|>${act}")]<|python_end|>`,
  `<function_calls>\nset(path="a", body="${act}" + y)\n</function_calls>`,
  `<tool_call>set(path="a", body="${act}")</tool_call>`,
  `<tool_call>set\n{"path":"a","body":"${act}"}</tool_call>`,
  `<tool_call>name: set\nbody: ${act}</tool_call>`,
  `[TOOL_CALLS]set [ARGS] "${act}"`,
  `<|tool_call>call:set(path:"a",body:"${act}")<tool_call|>`,
  `<|tool_call>call:set{path:"a",body:"<tool_call|>${act}`,
  `<tool_use><name>set</name><input>path: a\nbody: ${act}</input></tool_use>`,
  `<|channel|>commentary to=functions.set<|message|>body="${act}"<|call|>`,
  `<|tool_call_begin|>functions.set:0<|tool_call_argument_begin|>"${act}"<|tool_call_end|>`,
  `<｜tool▁call▁begin｜>set<｜tool▁sep｜>"${act}"<｜tool▁call▁end｜>`,
  `set\n{"path":"a","body":"${act}`,
  `Look:\nset\n{"path":"a","body":"${act}"}`,
  `<function=set><parameter=body>x </think> ${act}`,
  `<function=set><parameter=path>a</think></parameter><parameter=body>x ${act}`,
  `<function=set><parameter=path>a</think></parameter> and ${act}</function>`,
  `<tool_call>set<arg_key>body</arg_key><arg_value>x </think>\n${act}`,
  `<invoke name="set"><parameter name="body">x </think>\n${act}`,
  `<function_calls><invoke name="set"><parameter name="body">x </think> ${act}`,
  `<function name="set"><param name="body"><![CDATA[x </think> ${act}`,
  `<|open|>call tool="set"<|sep|><|open|>argument key="body"<|sep|>x </think> ${act}`,
  `<|tool_call>call:set{path:a,body:x </think> ${act}`,
  `<|tool_call_begin|>functions.set:0<|tool_call_arguments|>{"body":"${act}"}<|tool_call_end|>`,
  `<｜tool▁call▁begin｜>set<｜tool▁separator｜>{"body":"${act}"}<｜tool▁call▁end｜>`,
  `<tool_use><tool>set</tool><input>{"body":"${act}"}</input></tool_use>`,
  `so [set(body="${act}")]`,
  `so [set(body="${act}")] it is`,
  `so [set(body="${act}`,
  `so {"name":"set","arguments":{"body":"${act}"}} it is`,
  `so [{"name":"set","arguments":{"body":"${act}"}}]`,
  `so {"name":"set","arguments":{"body":"${act}`,
  `so [write(body="${act}")]`,
  `[write(path=p, body="${act}")]`,
  `Look:\n{"name":"write","arguments":{"body":"${act}"}}`,
  `so functools[{"name":"set","arguments":{"body":"${act}"}}]`,
]

const inner = [
  act,
  `</tool_call>${act}`,
  `</function>${act}`,
  `<tool_call|>${act}`,
  `<|python_end|>${act}`,
  `\\n\`\`\`\\n${act}`,
  `it's ${act}`,
]
const object = (body: string): string => `{"name":"set","arguments":{"path":"a","body":"${body}"}}`
const python = (body: string): string => `set(path="a", body="${body}")`

const notations: ((body: string) => string)[] = [
  body => `<tool_call>${object(body)}</tool_call>`,
  body => `<tool_calls>[${object('b')}, ${object(body)}]</tool_calls>`,
  body => `<function=set>{"body":"${body}"}</function>`,
  body => `Action:\n\`\`\`json\n${object(body)}\n\`\`\``,
  body => `functools[${object(body)}]`,
  body => `[TOOL_CALLS]set{"body":"${body}"}`,
  body => `[TOOL_CALLS]set[ARGS]{"body":"${body}"}`,
  body => `[TOOL_CALLS] [${object(body)}]`,
  body => object(body),
  body => `set\n{"body":"${body}"}`,
  body => `<|tool_call>call:set{path:"a",body:"${body}"}<tool_call|>`,
  body => `<|tool_call>call:set{path:"a",body:<|"|>${body}<|"|>}<tool_call|>`,
  body => `[${python(body)}]`,
  body => `<|python_start|>[${python(body)}]<|python_end|>`,
  body => `<function_calls>\n${python(body)}\n</function_calls>`,
  body => `\`\`\`tool_code\n${python(body)}\n\`\`\``,
  body => `<tool_use><name>set</name><input>{"body":"${body}"}</input></tool_use>`,
  body => `<｜tool▁call▁begin｜>set<｜tool▁sep｜>{"body":"${body}"}<｜tool▁call▁end｜>`,
  body => `<|tool_call_begin|>functions.set:0<|tool_call_argument_begin|>{"body":"${body}"}<|tool_call_end|>`,
  body => `<|channel|>commentary to=functions.set<|message|>{"body":"${body}"}<|call|>`,
]

const keys = (parsed: ParsedReply): string[] => parsed.calls.map(call => `${call.name} ${canonicalJson(call.arguments)}`)

/** The cuts of a reply that yield a call which the whole reply does not. */
function inventions(reply: string, parse: (text: string) => ParsedReply): string[] {
  const whole = new Set(keys(parse(reply)))
  const cuts = Array.from(reply, (_, end) => reply.slice(0, end))
  return cuts.filter(cut => keys(parse(cut)).some(key => !whole.has(key)))
}

describe('arguments that cannot be read', () => {
  test.each(replies)('D-9 nothing inside a failed or cut call is a call: %j', reply => {
    expect(parseReply(reply).calls).toEqual([])
    const tools = [{ name: 'set' }, { name: 'sh', body: 'command' }]
    expect(parseReply(reply, { tools }).calls.filter(call => call.name === 'sh')).toEqual([])
  })

  test('D-37 no cut of a call yields a call that the whole reply does not', () => {
    const all = notations.flatMap(notation => inner.map(notation))
    expect(all.flatMap(reply => inventions(reply, parseReply))).toEqual([])
    expect(all.filter(reply => keys(parseReply(reply)).some(key => !key.startsWith('set ')))).toEqual([])
  })

  test('D-37 a parser that knows no notations is caught', () => {
    expect(inventions(`<tool_call>${object(act)}`, text => parseReply(text.replace(/^<tool_call>\{(?!.*\}$)/, ''))).length).toBeGreaterThan(
      0,
    )
  })

  test.each([
    '<tool_use><get path="a"/></tool_use>',
    'It opens with <tool_use>.\n<tool_use><name>get</name><input>{"path":"a"}</input></tool_use>',
    'It opens with <|tool_call_begin|>.\n<|tool_call_begin|>functions.get:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|>',
  ])('D-9 an opening token hides no tag of a tool and no call behind it: %j', reply => {
    expect(parseReply(reply).calls.map(call => [call.name, call.arguments])).toEqual([['get', { path: 'a' }]])
  })

  test('D-35 a call behind one that could not be read counts where that one has its closer', () => {
    const parsed = parseReply(`<tool_call>set(body="${act}")</tool_call>\n<get path="a"/>`)
    expect(parsed.calls.map(call => call.name)).toEqual(['get'])
  })
})

describe('prose that looks like a list of calls', () => {
  test.each(['see [get(path)](docs/get.md)', 'items[search(key)] holds', 'it is [so (or not]', 'a {name: b} c', '[ ] get it'])(
    'D-31 calls behind it count, and it stays: %j',
    prose => {
      const parsed = parseReply(`${prose}\n<get path="a"/>`)
      expect([parsed.calls.map(call => call.name), parsed.text, parsed.warnings]).toEqual([['get'], prose, []])
    },
  )

  test('D-31 brackets around prose hide no call', () => {
    expect(parseReply('[see (1) <get path="a"/>] and [ (2) <get path="b"/>]').calls).toHaveLength(2)
  })

  test('D-31 a link whose text is a call hides nothing', () => {
    expect(parseReply('[get(a)](b) <get path="a"/> [see] <sh>ls</sh>').calls.map(call => call.name)).toEqual(['get', 'sh'])
  })
})

describe('arguments given twice', () => {
  const twice = '{"path":"a","body":"x","path":"b"}'

  test.each([
    `<tool_call>{"name":"set","arguments":${twice}}</tool_call>`,
    `<tool_call>{"name":"set","arguments":${JSON.stringify(twice)}}</tool_call>`,
    `<function=set>${twice}</function>`,
    `{"name":"set","arguments":${twice}}`,
    `set\n${twice}`,
    `[TOOL_CALLS]set${twice}`,
    '<tool_call>{name:"set",arguments:{path:"a",path:"b"}}</tool_call>',
    '<|tool_call>call:set{path:"a",path:"b"}<tool_call|>',
  ])('D-32 the same argument twice is incomplete: %j', reply => {
    const parsed = parseReply(reply)
    expect(parsed.calls).toEqual([])
    expect(parsed.rejected.map(call => [call.name, call.status])).toEqual([['set', 'incomplete']])
    expect(parsed.warnings.map(one => one.code)).toContain('duplicate_argument')
  })

  test('D-32 the same key in two objects is no argument twice', () => {
    expect(parseReply('<tool_call>{"name":"f","arguments":{"name":[{"a":1},{"a":"a"}]}}</tool_call>').calls).toHaveLength(1)
  })
})

describe('bodies that may be missing', () => {
  const incomplete = (text: string) => parseReply(text).rejected.map(call => [call.name, call.status])

  test.each([
    '<rm path="known://*" until="END">\nauth\n</rm>\n',
    '<rm path="known://*" until="END">\nauth\n',
    '<rm path="known://*">',
    '<rm path="known://*">\n',
  ])('D-16 a call that changes things never runs without the body it may have: %j', reply => {
    expect(parseReply(reply).calls).toEqual([])
    expect(incomplete(reply)).toEqual([['rm', 'incomplete']])
  })

  test('D-14 nothing behind an opening with until is a call before its end has come', () => {
    const reply = '<set path="a" until="END">\n<sh>rm x</sh>\n</set>\n<update>x</update>'
    expect(parseReply(reply).calls).toEqual([])
    expect(incomplete(reply)).toEqual([['set', 'incomplete']])
  })

  test('D-16 an opening whose attributes leave nothing to a body is whole, also at the end', () => {
    expect(parseReply('<mv path="a" to="b">').calls.map(call => call.arguments)).toEqual([{ path: 'a', to: 'b' }])
    expect(parseReply('<rm path="a">\nGone.').calls.map(call => call.arguments)).toEqual([{ path: 'a' }])
    expect(parseReply('<get path="a">').calls.map(call => call.arguments)).toEqual([{ path: 'a' }])
  })
})
