import { describe, expect, test } from 'vitest'
import { inOrder } from '../../../src/text/dialects/hand-over.ts'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import type { ParseOptions, Shape } from '../../../src/text/dialects/types.ts'
import { outcome } from './replies.ts'

const object = '{"name":"get","arguments":{"path":"a.js","limit":5}}'
const given = '{"path":"a.js","limit":5}'
const tools: Shape[] = [
  { name: 'get', effect: 'read', parameters: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } } },
]

/** Each is get with path a.js and limit 5, and nothing else. */
const spellings: [source: string, reply: string, options?: ParseOptions][] = [
  ['json', `<tool_call>${object}</tool_call>`],
  ['json', `<tool_call>\n[${object}]\n</tool_call>`],
  ['json', `<tool_calls>[${object}]</tool_calls>`],
  ['json', `<function_call>${object}</function_call>`],
  ['json', `<function_call> ${object}`],
  ['json', `<longcat_tool_call>${object}</longcat_tool_call>`],
  ['json', `<seed:tool_call>${object}</seed:tool_call>`],
  ['json', `<|tool_call|>${object}<|/tool_call|>`],
  ['json', `<|tool_call|>[${object}]`],
  ['json', `<|tool_call_start|>[${object}]<|tool_call_end|>`],
  ['json', `<|function_call|>${object}`],
  ['json', `function call<|role_sep|>\n${object}`],
  ['json', `<|message_sep|>\n\nfunction call<|role_sep|>\n${object}`],
  ['json', `<|python_tag|>${object}<|eom_id|>`],
  ['json', '<|START_ACTION|>[{"tool_call_id":"0","tool_name":"get","parameters":{"path":"a.js","limit":5}}]<|END_ACTION|>'],
  ['json', `functools[${object}]`],
  ['json', `Action:\n\`\`\`json\n[{"tool_name":"get","parameters":${given}}]\n\`\`\``],
  ['json', `<|tools_prefix|>[{"get":${given}}]<|tools_suffix|>`],
  ['json', `<function=get>${given}</function>`],
  ['mistral', `[TOOL_CALLS] [${object}]`],
  ['mistral', `[TOOL_CALLS]get${given}`],
  ['mistral', `[TOOL_CALLS]get[ARGS]${given}`],
  ['mistral', `[TOOL_CALLS]get[CALL_ID]abc123[ARGS]${given}`],
  ['openai', object],
  ['openai', `{"name":"get","parameters":${given}}`],
  ['openai', `[${object}]`],
  ['openai', `{"function_call":{"name":"get","arguments":${given}}}`],
  ['openai', `{"tool_calls":[{"id":"x","type":"function","function":{"name":"get","arguments":${JSON.stringify(given)}}}]}`],
  ['openai', `get\n${given}`],
  ['qwen_xml', '<tool_call><function=get><parameter=path>a.js</parameter><parameter=limit>5</parameter></function></tool_call>'],
  ['qwen_xml', '<function=get>\n<parameter=path>\na.js\n</parameter>\n<parameter=limit>\n5\n</parameter>\n</function>'],
  ['glm', '<tool_call>get<arg_key>path</arg_key><arg_value>a.js</arg_value><arg_key>limit</arg_key><arg_value>5</arg_value></tool_call>'],
  [
    'glm',
    '<tool_calls>\n<tool_call>get<tool_sep>\n<arg_key>path</arg_key>\n<arg_value>a.js</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>5</arg_value>\n</tool_call>\n</tool_calls>',
  ],
  ['function_xml', '<function name="get"><param name="path">a.js</param><param name="limit">5</param></function>'],
  [
    'anthropic',
    '<function_calls><invoke name="get"><parameter name="path">a.js</parameter><parameter name="limit">5</parameter></invoke></function_calls>',
  ],
  ['anthropic', '<invoke name="get">\n<parameter name="path">a.js</parameter>\n<parameter name="limit">5</parameter>\n</invoke>'],
  [
    'anthropic',
    '<x:anything><x:invoke name="get"><x:parameter name="path">a.js</x:parameter><x:parameter name="limit">5</x:parameter></x:invoke></x:anything>',
  ],
  [
    'anthropic',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get">\n<｜DSML｜parameter name="path" string="true">a.js</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">5</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  ],
  ['tool_use', `<tool_use><name>get</name><input>${given}</input></tool_use>`],
  ['bar_call', '<|tool_call>call:get{path:"a.js",limit:5}<tool_call|>'],
  ['bar_call', '<|tool_call>call:get{"path":<|"|>a.js<|"|>,limit:5}'],
  ['bar_call', '<|tool_call>call:get{path:a.js,limit:5}<tool_call|>'],
  ['pythonic', '[get(path="a.js", limit=5)]'],
  ['pythonic', '<|python_start|>[get(path="a.js", limit=5)]<|python_end|>'],
  ['pythonic', "<|tool_call_start|>[get(path='a.js', limit=5)]<|tool_call_end|>"],
  ['pythonic', '<function_calls>get(path="a.js", limit=5)</function_calls>'],
  ['tool_code', '```tool_code\nget(path="a.js", limit=5)\n```'],
  ['tool_code', '```tool_code\nprint(get(path="a.js", limit=5))\n```'],
  ['deepseek', `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get<｜tool▁sep｜>${given}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`],
  [
    'deepseek',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get\n\`\`\`json\n${given}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  ],
  ['deepseek', `<|tool_calls_begin|><|tool_call_begin|>get<|tool_sep|>${given}<|tool_call_end|><|tool_calls_end|>`],
  [
    'kimi',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.get:0<|tool_call_argument_begin|>${given}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  [
    'kimi',
    '<|open|>tools<|sep|><|open|>call tool="get" index="1"<|sep|><|open|>argument key="path" type="string"<|sep|>a.js<|close|>argument<|sep|><|open|>argument key="limit" type="number"<|sep|>5<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  ],
  ['harmony', `<|start|>assistant<|channel|>commentary to=functions.get <|constrain|>json<|message|>${given}<|call|>`],
  ['harmony', `<|channel|>analysis to=functions.get<|message|>${given}`],
  ['harmony', `<|start|>assistant to=functions.get<|channel|>commentary<|message|>${given}<|call|>`],
]

describe('notations', () => {
  test.each(spellings)('D-30 %s is read with or without tools: %s', (source, reply) => {
    for (const options of [{}, { tools }]) {
      const parsed = parseReply(reply, options)
      expect(parsed.calls.map(call => [call.source, call.name, call.arguments])).toEqual([[source, 'get', { path: 'a.js', limit: 5 }]])
      expect([parsed.rejected, parsed.text, parsed.warnings]).toEqual([[], '', []])
    }
  })

  test('D-30 the id in the reply is kept', () => {
    const replies = spellings.map(([, reply]) => parseReply(reply).calls[0]?.id).filter(id => id !== 'call_1')
    expect(replies).toEqual(['0', 'abc123', 'x', 'functions.get:0'])
  })

  test('D-4 an id that is not unique is replaced', () => {
    const one = '{"id":"x","name":"get","arguments":{"path":"a"}}'
    const parsed = parseReply(`<tool_call>${one}</tool_call><tool_call>${one}</tool_call>`)
    expect(parsed.calls.map(call => call.id)).toEqual(['call_1', 'call_2'])
  })
})

interface Row {
  says: string
  reply: string
  options?: ParseOptions
  calls?: unknown[]
  rejected?: unknown[]
  text?: string
  warnings?: string[]
}

const call = (path: string) => `{"name":"get","arguments":{"path":"${path}"}}`
const get = (path: unknown, more: object = {}) => ['get', { path, ...more }]

const rows: Row[] = [
  {
    says: 'D-30 several objects in one carrier',
    reply: `<tool_calls>${call('a')}\n${call('b')}</tool_calls>`,
    calls: [get('a'), get('b')],
  },
  { says: 'D-30 python_tag calls separated by semicolons', reply: `<|python_tag|>${call('a')}; ${call('b')}`, calls: [get('a'), get('b')] },
  {
    says: 'D-30 mistral repeats its opener',
    reply: '[TOOL_CALLS]get{"path":"a"}[TOOL_CALLS]get[ARGS]{"path":"b"}',
    calls: [get('a'), get('b')],
  },
  {
    says: 'D-30 a closer inside a string does not close',
    reply: '<tool_call>{"name":"get","arguments":{"path":"</tool_call>"}}</tool_call>',
    calls: [get('</tool_call>')],
  },
  { says: 'D-30 a carrier mentioned in prose is prose', reply: 'Wrap it in <tool_call> tags.', text: 'Wrap it in <tool_call> tags.' },
  {
    says: 'D-30 an object without arguments is no call',
    reply: '<tool_call>{"name":"get"}</tool_call>',
    text: '<tool_call>{"name":"get"}</tool_call>',
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-30 good calls beside a bad one stay',
    reply: `<tool_calls>${call('a')}{"name":"x"}</tool_calls>`,
    calls: [get('a')],
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-30 arguments that are text and no object are no call',
    reply: '<tool_call>{"name":"get","arguments":"x"}</tool_call>',
    text: '<tool_call>{"name":"get","arguments":"x"}</tool_call>',
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-30 the definition of a tool is no call',
    reply: '{"name":"get","description":"Reads","parameters":{"type":"object","properties":{}}}',
    text: '{"name":"get","description":"Reads","parameters":{"type":"object","properties":{}}}',
  },
  {
    says: 'D-31 a bare call with words behind it is prose',
    reply: `${call('a')} and so on`,
    options: { tools },
    text: `${call('a')} and so on`,
  },
  {
    says: 'D-31 a bare call on a line of its own counts with tools',
    reply: `First:\n${call('a')}\nThen more.`,
    options: { tools },
    calls: [get('a')],
    text: 'First:\n\nThen more.',
  },
  { says: 'D-31 without tools it counts only as the whole reply', reply: `First:\n${call('a')}`, text: `First:\n${call('a')}` },
  { says: 'D-31 without tools thinking before it does not matter', reply: `<think>x</think>\n${call('a')}`, calls: [get('a')] },
  {
    says: 'D-31 a bare call of an unknown tool is prose',
    reply: '{"name":"bob","arguments":{}}',
    options: { tools },
    text: '{"name":"bob","arguments":{}}',
  },
  {
    says: 'D-31 one unknown name in a list makes it prose',
    reply: `[${call('a')},{"name":"bob","arguments":{}}]`,
    options: { tools },
    text: `[${call('a')},{"name":"bob","arguments":{}}]`,
  },
  {
    says: 'D-31 bare calls with semicolons and line breaks',
    reply: `${call('a')} ; ${call('b')}\n${call('c')}`,
    calls: [get('a'), get('b'), get('c')],
  },
  {
    says: 'D-31 a bare Python list inside a sentence is prose',
    reply: 'so [get(path="a")] it is',
    options: { tools },
    text: 'so [get(path="a")] it is',
  },
  { says: 'D-31 a word above an object is no call', reply: 'Answer\n{"x":1}', text: 'Answer\n{"x":1}' },
  {
    says: 'D-31 a cut bare call is prose and its strings are not read',
    reply: '{"name":"set","arguments":{"path":"a","body":"<sh>rm x</sh>',
    text: '{"name":"set","arguments":{"path":"a","body":"<sh>rm x</sh>',
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-30 a missing closing is assumed before a parameter that begins a line',
    reply: '<function=get>\n<parameter=path>\na.js\n<parameter=limit>5</parameter></function>',
    calls: [get('a.js', { limit: '5' })],
    options: { tools: [{ name: 'get', parameters: {} }] },
  },
  {
    says: 'D-32 a parameter named inside a line is content',
    reply: '<function=set><parameter=path>a.md</parameter><parameter=body>Use <parameter=x> here</parameter></function>',
    calls: [['set', { path: 'a.md', body: 'Use <parameter=x> here' }]],
  },
  {
    says: 'D-32 the arguments of kimi keep their line breaks',
    reply:
      '<|open|>call tool="set"<|sep|><|open|>argument key="body" type="string"<|sep|>\nx\n<|close|>argument<|sep|><|close|>call<|sep|>',
    calls: [['set', { body: '\nx\n' }]],
  },
  {
    says: 'D-34 a great hexadecimal integer stays text',
    reply: '[get(path="a", limit=0xfffffffffffffffe)]',
    calls: [get('a', { limit: '0xfffffffffffffffe' })],
    warnings: ['type'],
  },
  {
    says: 'D-32 values are opaque',
    reply: '<function=set><parameter=path>f</parameter><parameter=body>\n<b></parameter> x\n</parameter></function>',
    calls: [['set', { path: 'f', body: '<b></parameter> x' }]],
  },
  {
    says: 'D-32 one line break at each end goes, the others stay',
    reply: '<invoke name="set"><parameter name="body">\n\n  x\n\n</parameter></invoke>',
    calls: [['set', { body: '\n  x\n' }]],
  },
  {
    says: 'D-32 a break at one end only stays',
    reply: '<invoke name="set"><parameter name="body">x\n</parameter></invoke>',
    calls: [['set', { body: 'x\n' }]],
  },
  {
    says: 'D-32 the same argument twice is incomplete',
    reply: '<function name="get"><param name="path">a</param><param name="path">b</param></function>',
    rejected: [['get', 'incomplete']],
    warnings: ['duplicate_argument'],
  },
  {
    says: 'D-32 CDATA loses its frame and nothing else',
    reply: '<function name="set"><param name="body"><![CDATA[\n a</param> \n]]></param></function>',
    calls: [['set', { body: '\n a</param> \n' }]],
  },
  {
    says: 'D-32 something between the elements is not read over',
    reply: '<invoke name="get">path: a</invoke>',
    text: '<invoke name="get">path: a</invoke>',
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-33 prefixes and numbers around a name go',
    reply:
      '<tool_call>{"name":"functions.get:3","arguments":{"path":"a"}}</tool_call><tool_call>{"name":"default_api:get","arguments":{"path":"b"}}</tool_call>',
    options: { tools },
    calls: [get('a'), get('b')],
  },
  {
    says: 'D-33 the last part of a path of names counts',
    reply: '<tool_call>{"name":"mcp/files.get","arguments":{"path":"a"}}</tool_call>',
    options: { tools },
    calls: [get('a')],
  },
  {
    says: 'D-34 JSON keeps the types it was written in',
    reply: '<tool_call>{"name":"get","arguments":{"path":5,"limit":"5","x":null,"y":[true,1.5]}}</tool_call>',
    options: { tools },
    calls: [get(5, { limit: '5', x: null, y: [true, 1.5] })],
  },
  {
    says: 'D-34 great integers stay strings',
    reply: '<tool_call>{"name":"get","arguments":{"path":9007199254740993}}</tool_call>',
    calls: [get('9007199254740993')],
    warnings: ['type'],
  },
  {
    says: 'D-34 a string parameter is never converted',
    reply: '<function=get><parameter=path>5</parameter></function>',
    options: { tools },
    calls: [get('5')],
  },
  {
    says: 'D-34 several types are tried from null to string',
    reply:
      '<function=f><parameter=a>null</parameter><parameter=b>true</parameter><parameter=c>7</parameter><parameter=d>[1]</parameter><parameter=e>x</parameter></function>',
    options: {
      tools: [
        {
          name: 'f',
          parameters: {
            properties: Object.fromEntries(
              ['a', 'b', 'c', 'd', 'e'].map(name => [name, { type: ['string', 'null', 'boolean', 'integer', 'array'] }]),
            ),
          },
        },
      ],
    },
    calls: [['f', { a: null, b: true, c: 7, d: [1], e: 'x' }]],
  },
  {
    says: 'D-34 anyOf and references are followed',
    reply: '<function=f><parameter=a>7</parameter><parameter=b>{"x":1}</parameter></function>',
    options: {
      tools: [
        {
          name: 'f',
          parameters: {
            properties: { a: { anyOf: [{ type: 'string', enum: ['q'] }, { type: 'integer' }] }, b: { $ref: '#/$defs/B' } },
            $defs: { B: { type: 'object' } },
          },
        },
      ],
    },
    calls: [['f', { a: 7, b: { x: 1 } }]],
  },
  {
    says: 'D-34 text that is no array stays text',
    reply: '<function=f><parameter=a>[1</parameter></function>',
    options: { tools: [{ name: 'f', parameters: { properties: { a: { type: 'array' } } } }] },
    calls: [['f', { a: '[1' }]],
    warnings: ['type'],
  },
  {
    says: 'D-35 raw line breaks in strings',
    reply: '<tool_call>{"name":"set","arguments":{"body":"a\n\tb"}}</tool_call>',
    calls: [['set', { body: 'a\n\tb' }]],
    warnings: ['json_repaired'],
  },
  {
    says: 'D-35 trailing commas',
    reply: '<tool_call>{"name":"get","arguments":{"path":"a,}",},}</tool_call>',
    calls: [get('a,}')],
    warnings: ['json_repaired'],
  },
  {
    says: "D-35 Python's words outside strings",
    reply: '<tool_call>{"name":"get","arguments":{"path":"True","x":True,"y":None}}</tool_call>',
    calls: [get('True', { x: true, y: null })],
    warnings: ['json_repaired'],
  },
  {
    says: 'D-35 single quotes',
    reply: `<tool_call>{'name':'get','arguments':{'path':'say "it\\'s"'}}</tool_call>`,
    calls: [get('say "it\'s"')],
    warnings: ['json_repaired'],
  },
  {
    says: 'D-35 bare keys',
    reply: '<tool_call>{name:"get",arguments:{path:"a: {b:1}"}}</tool_call>',
    calls: [get('a: {b:1}')],
    warnings: ['json_repaired'],
  },
  {
    says: 'D-35 what cannot be mended stays prose and names the tool',
    reply: '<tool_call>{"name":"get","arguments":{"path":"a" "b"}}</tool_call>\n<get path="c"/>',
    calls: [get('c')],
    text: '<tool_call>{"name":"get","arguments":{"path":"a" "b"}}</tool_call>',
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-35 a broken call does not let its strings act',
    reply: '<tool_call>{"name":"set","arguments":{"body":"say "x" <sh>rm y</sh>"}}</tool_call>',
    text: '<tool_call>{"name":"set","arguments":{"body":"say "x" <sh>rm y</sh>"}}</tool_call>',
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-35 nobody knows where a call with a missing quote ends, so nothing behind it is read',
    reply: `<tool_call>{"name":"get","arguments":{"path":"a}}</tool_call>\n<tool_call>${call('b')}</tool_call>`,
    text: `<tool_call>{"name":"get","arguments":{"path":"a}}</tool_call>\n<tool_call>${call('b')}</tool_call>`,
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-36 Python literals of every kind',
    reply: `[f(a='x\\n\\d', b=r"\\n", c="""q"t""", d=-1.5e3, e=True, g=None, h=[1, (2, 3), {4}], i={'k': {}}, j=0x1f)]`,
    calls: [['f', { a: 'x\n\\d', b: '\\n', c: 'q"t', d: -1500, e: true, g: null, h: [1, [2, 3], [4]], i: { k: {} }, j: 31 }]],
  },
  {
    says: 'D-36 positional arguments take the order of the schema',
    reply: '[get("a", 5)]',
    options: { tools },
    calls: [get('a', { limit: 5 })],
    warnings: ['positional'],
  },
  { says: 'D-36 positional arguments without a schema are incomplete', reply: '[f("a")]', rejected: [['f', 'incomplete']] },
  {
    says: 'D-36 an expression makes it all prose',
    reply: '[get(path=open("x").read())]',
    options: { tools },
    text: '[get(path=open("x").read())]',
  },
  {
    says: 'D-36 code that is no plain call is prose as a whole',
    reply: '```tool_code\nx = get(path="a")\n```',
    text: '```tool_code\nx = get(path="a")\n```',
    warnings: ['unparsed_call'],
  },
  { says: 'D-36 several calls in a list', reply: '[get(path="a"), get(path="b")]', calls: [get('a'), get('b')] },
  {
    says: 'D-37 arguments that the end cuts are incomplete',
    reply: '<tool_call>{"name":"get","arguments":{"path":"a',
    rejected: [['get', 'incomplete']],
  },
  {
    says: 'D-37 only the call that the end cuts is incomplete',
    reply: `<tool_calls>[${call('a')}, {"name":"sh","arguments":{"command":"rm`,
    calls: [get('a')],
    rejected: [['sh', 'incomplete']],
  },
  { says: 'D-37 a missing closing token is fine', reply: `<tool_call>${call('a')}`, calls: [get('a')] },
  { says: 'D-37 elements that the end cuts are incomplete', reply: '<function=get><parameter=path>a', rejected: [['get', 'incomplete']] },
  {
    says: 'D-37 elements without the end of their call are incomplete',
    reply: '<tool_call>get<arg_key>path</arg_key><arg_value>a</arg_value>',
    rejected: [['get', 'incomplete']],
  },
  {
    says: 'D-37 a missing outer closing is fine',
    reply: '<tool_call><function=get><parameter=path>a</parameter></function>',
    calls: [get('a')],
  },
  { says: 'D-37 a cut bar call is incomplete', reply: '<|tool_call>call:get{path:"a', rejected: [['get', 'incomplete']] },
  { says: 'D-37 a cut mistral call is incomplete', reply: '[TOOL_CALLS]sh{"command":"rm', rejected: [['sh', 'incomplete']] },
  {
    says: 'D-38 the same call as a tag and in a notation counts once',
    reply: `<get path="a"/>\n<tool_call>${call('a')}</tool_call>`,
    calls: [get('a')],
  },
  { says: 'D-38 the same tag twice counts twice', reply: '<get path="a"/><get path="a"/>', calls: [get('a'), get('a')] },
  {
    says: 'D-38 with words between they are two',
    reply: `<get path="a"/> again <tool_call>${call('a')}</tool_call>`,
    calls: [get('a'), get('a')],
    text: 'again',
  },
  {
    says: 'D-38 notations mix and keep their places',
    reply: `[TOOL_CALLS]get{"path":"a"}<get path="b"/><function=get><parameter=path>c</parameter></function>`,
    calls: [get('a'), get('b'), get('c')],
  },
  {
    says: 'D-30 a bar value with brackets and nesting',
    reply: '<|tool_call>call:f{a:x[1].js,b:{c:[1,<|"|>,}<|"|>]},d:true}<tool_call|>',
    calls: [['f', { a: 'x[1].js', b: { c: [1, ',}'] }, d: true }]],
  },
  {
    says: 'D-30 a bar call with words behind it is none',
    reply: '<|tool_call>call:get{path:"a"} as said',
    text: '<|tool_call>call:get{path:"a"} as said',
    warnings: ['unparsed_call'],
  },
  {
    says: 'D-5 marks of messages leave the text',
    reply: '<|start|>assistant<|channel|>final<|message|>Hello<|return|><|im_end|></s>',
    text: 'Hello',
  },
  { says: 'D-5 three line breaks become two', reply: 'a\n<get path="x"/>\n\n\nb', calls: [get('x')], text: 'a\n\nb' },
  {
    says: 'D-30 deep nesting is refused, not followed',
    reply: `<tool_call>{"name":"get","arguments":{"path":${'['.repeat(5_000)}${']'.repeat(5_000)}}}</tool_call>`,
    text: `<tool_call>{"name":"get","arguments":{"path":${'['.repeat(5_000)}${']'.repeat(5_000)}}}</tool_call>`,
    warnings: ['unparsed_call'],
  },
]

describe('what notations hold', () => {
  test.each(rows)('$says', ({ reply, options, calls = [], rejected = [], text = '', warnings = [] }) => {
    expect(outcome(reply, options)).toEqual({ calls, rejected, text, warnings })
  })

  test('D-4 the calls of one list stand at their own places', () => {
    const reply = `<tool_calls>[${call('a')}, {"name":"nope","arguments":{}}, ${call('b')}]</tool_calls>`
    const parsed = parseReply(reply, { tools })
    expect(inOrder(parsed).map(one => reply.slice(...one.span))).toEqual([call('a'), '{"name":"nope","arguments":{}}', call('b')])
  })

  test('D-33 the message of an unknown tool lists those there are', () => {
    const [rejected] = parseReply('<tool_call>{"name":"nope","arguments":{}}</tool_call>', { tools }).rejected
    expect(rejected?.message).toContain('get')
  })
})
