import * as fc from 'fast-check'

/** Pieces of what models write: code of all kinds, tags, notations, marks, and text that is barely text. */
export const PIECES = [
  'const a = <T,>(x: Map<string, number>) => x < 3 && y > 4\n',
  '<div className="a">{items.map(i => <Row key={i} />)}</div>\n',
  '<!DOCTYPE html><p>a<br/>&amp; &lt;b&gt;</p><!-- c -->\n',
  'cat <<EOF\n$x <<- EOF2\nEOF\n',
  '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n',
  '<![CDATA[ x ]]>',
  '```js\n<sh>x</sh>\n```\n',
  '```\n',
  '`<get path="a"/>` ',
  '~~~~\n',
  '😀 ｜ ▁ é \u200b\u2028',
  '\r\n',
  '\n',
  '  ',
  '\ud800',
  '\udc00',
  '\u0000\u001b[31m',
  '<get path="a"/>\n',
  '<get>b</get>',
  '<sh>rm x</sh>\n',
  '</sh>',
  '<update status="200">done</update>',
  '<rm path="a">',
  '<get path="a.js>\n',
  "<mv path='a' to=b/>",
  '<think>hm',
  '</think>',
  '[THINK]',
  '[/THINK]',
  '<|channel|>analysis<|message|>',
  '<|end|>',
  '<|start|>assistant',
  '<tool_call>{"name":"get","arguments":{"path":"a"}}</tool_call>',
  '<tool_call>{"name":"get","argum',
  '{"name":"get","arguments":{"path":"b"}}\n',
  "{'name':'get','arguments':{'path':'b',}}\n",
  '[get(path="c", n=[1, {2: None}])]\n',
  '[TOOL_CALLS]get{"path":"d"}',
  '[TOOL_CALLS] [{"name":"get","arguments":{}}]',
  '<function=get><parameter=path>e</parameter></function>',
  '<parameter=path>',
  '<function name="get"><param name="path">f</param></function>',
  '<invoke name="get"><parameter name="path">g</parameter></invoke>',
  '<tool_call>get<arg_key>path</arg_key><arg_value>h</arg_value></tool_call>',
  '<|tool_call>call:get{path:"i",x:[<|"|>j<|"|>]}<tool_call|>',
  '<｜tool▁call▁begin｜>get<｜tool▁sep｜>{"path":"k"}<｜tool▁call▁end｜>',
  '<|tool_call_begin|>functions.get:0<|tool_call_argument_begin|>{"path":"l"}',
  '<|open|>call tool="get"<|sep|><|open|>argument key="path"<|sep|>m<|close|>argument<|sep|><|close|>call<|sep|>',
  '<tool_use><name>get</name><input>{"path":"n"}</input></tool_use>',
  'functools[{"name":"get","arguments":{}}]\n',
  'get\n{"path":"o"}\n',
  'so [get(a="',
  ' [write(a="<sh>x</sh>")] ',
  ' {"name":"get","x":"',
  '<function=get><parameter=path>p',
  '<tool_use><x>',
  '"',
  "'",
  '\\',
  '<',
  '>',
  '/>',
  '{',
  '}',
  '[',
  ']',
  '=',
]

const OWN = ['<set path="q">x', '</set>', '\n<set path="r" until="#">', '#</set>\n', '<set', '<set>']

const anyText = fc.string({ unit: 'binary', maxLength: 12 })

/** Text that holds no tag of set. */
export const foreignBody = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, { weight: 1, arbitrary: anyText }), { maxLength: 12 })
  .map(parts => parts.join(''))
  .filter(body => !/<\/?set[\s/>]|<\/?set$/.test(body))

/** Anything at all. */
export const anyReply = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...PIECES, ...OWN) }, { weight: 1, arbitrary: anyText }), { maxLength: 20 })
  .map(parts => parts.join(''))

export const runs = { numRuns: Number(process.env['QED_PROPERTY_RUNS'] ?? 2_000) }
