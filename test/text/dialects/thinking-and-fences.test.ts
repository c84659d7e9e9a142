import { describe, expect, test } from 'vitest'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import type { ParseOptions } from '../../../src/text/dialects/types.ts'
import { outcome } from './replies.ts'

const act = '<sh>rm -rf /</sh>'

const pairs: [open: string, close: string][] = [
  ['<think>', '</think>'],
  ['<THINK>', '</Think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<thoughts>', '</thoughts>'],
  ['<reasoning>', '</reasoning>'],
  ['<reflection>', '</reflection>'],
  ['<scratchpad>', '</scratchpad>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|open|>think<|sep|>', '<|close|>think<|sep|>'],
  ['<|channel>thought', '<channel|>'],
]

/** Every way in which a reply could act. */
const acts = [
  act,
  '<tool_call>{"name":"sh","arguments":{"command":"x"}}</tool_call>',
  '[TOOL_CALLS]sh{"command":"x"}',
  '```tool_code\n<sh>x</sh>\n```',
]

describe('thinking', () => {
  test.each(pairs)('D-24 nothing between %s and %s becomes a call', (open, close) => {
    for (const one of acts) {
      const parsed = parseReply(`${open}\nmaybe ${one}\n${close}\n<get path="a"/>done`)
      expect(parsed).toMatchObject({ calls: [{ name: 'get' }], rejected: [], text: 'done', thinking: `maybe ${one}`, warnings: [] })
    }
  })

  test.each(pairs)('D-25 %s without %s runs to the end', (open, _close) => {
    const parsed = parseReply(`<get path="a"/>${open} maybe ${act}`)
    expect(parsed).toMatchObject({ calls: [{ name: 'get' }], rejected: [], text: '', warnings: [{ code: 'thinking_unclosed' }] })
  })

  test.each(pairs)('D-26 before %s the closer %s alone ends what was thought', (_open, close) => {
    const parsed = parseReply(`maybe ${act} ${close}<get path="a"/>done`)
    expect(parsed).toMatchObject({
      calls: [{ name: 'get' }],
      rejected: [],
      text: 'done',
      thinking: `maybe ${act}`,
      warnings: [{ code: 'thinking_orphan' }],
    })
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

const get = (path: string) => ['get', { path }]
const call = '{"name":"get","arguments":{"path":"a"}}'

const rows: Row[] = [
  {
    says: 'D-24 harmony analysis ends at the next header',
    reply: `<|channel|>analysis<|message|>${act}<|end|><|start|>assistant<|channel|>final<|message|>Hi`,
    text: 'Hi',
  },
  {
    says: 'D-24 harmony analysis with a recipient is a call',
    reply: '<|channel|>analysis to=functions.get<|message|>{"path":"a"}<|call|>',
    calls: [get('a')],
  },
  {
    says: 'D-24 a thinking tag with attributes is none, but its closer ends it',
    reply: `<think x="1">${act}</think><get path="a"/>`,
    calls: [get('a')],
    warnings: ['thinking_orphan'],
  },
  {
    says: 'D-26 a closer inside an unclosed body counts',
    reply: `<set path="x">${act}</think>\n<get path="a"/>`,
    calls: [get('a')],
    warnings: ['thinking_orphan'],
  },
  {
    says: 'D-26 a closer inside a cut call counts',
    reply: '<tool_call>{"name":"sh","arguments":{"command": </think><get path="a"/>',
    calls: [get('a')],
    warnings: ['thinking_orphan'],
  },
  {
    says: 'D-26 a closer inside a cut string ends what was thought, but what follows in the string is no call',
    reply: '<tool_call>{"name":"sh","arguments":{"command":"x</think> <sh>rm x</sh>',
    text: '<sh>rm x</sh>',
    warnings: ['thinking_orphan'],
  },
  {
    says: 'D-26 a closer inside a cut element ends what was thought, but what follows in the value is no call',
    reply: `a${act}<function=set><parameter=body>x</think> <sh>rm x</sh>`,
    text: '<sh>rm x</sh>',
    warnings: ['thinking_orphan'],
  },
  {
    says: 'D-26 a closer behind the bare mention of a notation lets what follows count',
    reply: 'I could use <function=set> here.</think>\n<get path="a"/>',
    calls: [get('a')],
    warnings: ['thinking_orphan'],
  },
  {
    says: 'D-17, D-26 a call that changes things in the rest of an unclosed body is in doubt',
    reply: '<set path="x">y</think> <get path="a"/> <sh>rm x</sh>\n<sh>ls</sh>',
    calls: [get('a'), ['sh', { command: 'ls' }]],
    rejected: [['sh', 'incomplete']],
    warnings: ['thinking_orphan'],
  },
  { says: 'D-26 a closer inside an opening tag without end counts', reply: '<sh command="x</think>', warnings: ['thinking_orphan'] },
  {
    says: 'D-26 the last closer decides',
    reply: `a${act}</think>b${act}</think><get path="a"/>`,
    calls: [get('a')],
    warnings: ['thinking_orphan'],
  },
  {
    says: 'D-26 a closer in a code span is prose',
    reply: '<get path="a"/> then write `</think>`',
    calls: [get('a')],
    text: 'then write `</think>`',
  },
  {
    says: 'D-27 thinking tags in a closed body are content',
    reply: '<set path="a"><think>x</think></think></set>',
    calls: [['set', { path: 'a', body: '<think>x</think></think>' }]],
  },
  {
    says: 'D-27 thinking tags in a finished call are content',
    reply: '<tool_call>{"name":"get","arguments":{"path":"</think>"}}</tool_call>',
    calls: [get('</think>')],
  },
  {
    says: 'D-28 a longer fence holds a shorter one',
    reply: `Look:\n\`\`\`\`md\n\`\`\`\n${act}\n\`\`\`\n\`\`\`\``,
    text: `Look:\n\`\`\`\`md\n\`\`\`\n${act}\n\`\`\`\n\`\`\`\``,
  },
  { says: 'D-28 tildes fence too', reply: `Look:\n~~~\n${act}\n~~~`, text: `Look:\n~~~\n${act}\n~~~` },
  { says: 'D-28 backticks do not close tildes', reply: `Look:\n~~~\n\`\`\`\n${act}\n~~~`, text: `Look:\n~~~\n\`\`\`\n${act}\n~~~` },
  {
    says: 'D-28 a fence may be indented by three blanks',
    reply: `Look:\n   \`\`\`\n${act}\n   \`\`\``,
    text: `Look:\n   \`\`\`\n${act}\n   \`\`\``,
  },
  {
    says: 'D-28 an unclosed fence hides nothing',
    reply: 'Look:\n```js\n<get path="a"/>',
    calls: [get('a')],
    text: 'Look:\n```js',
    warnings: ['unclosed_fence'],
  },
  { says: 'D-28 an xml fence alone is read', reply: '```xml\n<get path="a"/>\n```', calls: [get('a')] },
  { says: 'D-28 a fence alone after thinking is read', reply: `<think>x</think>\n\`\`\`\n<get path="a"/>\n\`\`\`\n`, calls: [get('a')] },
  {
    says: 'D-28 two fences alone are both read',
    reply: '```xml\n<get path="a"/>\n```\n\n```\n<get path="b"/>\n```',
    calls: [get('a'), get('b')],
  },
  {
    says: 'D-28 an xml fence beside prose is an example',
    reply: 'Use:\n```xml\n<get path="a"/>\n```',
    text: 'Use:\n```xml\n<get path="a"/>\n```',
  },
  { says: 'D-28 a json fence alone holds a call', reply: `\`\`\`json\n${call}\n\`\`\``, calls: [get('a')] },
  {
    says: 'D-28 a json fence beside prose is an example',
    reply: `Use:\n\`\`\`json\n${call}\n\`\`\``,
    options: { tools: [{ name: 'get' }] },
    text: `Use:\n\`\`\`json\n${call}\n\`\`\``,
  },
  { says: 'D-28 a js fence alone is an example', reply: `\`\`\`js\n${act}\n\`\`\``, text: `\`\`\`js\n${act}\n\`\`\`` },
  { says: 'D-28 it is one behind empty lines too', reply: `\n\n\n\n\`\`\`js\n${act}\n\`\`\``, text: `\`\`\`js\n${act}\n\`\`\`` },
  { says: 'D-28 and behind a blank line of blanks', reply: `  \r\n\`\`\`js\n${act}\n\`\`\``, text: `\`\`\`js\n${act}\n\`\`\`` },
  {
    says: 'D-28 a tool_call fence beside prose is read',
    reply: 'Now:\n```tool_call\n<get path="a"/>\n```\nok',
    calls: [get('a')],
    text: 'Now:\n\nok',
  },
  { says: 'D-28 a tool_code fence with tags', reply: '```tool_code\n<get path="a"/>\n<get path="b"/>\n```', calls: [get('a'), get('b')] },
  {
    says: 'D-28 an unclosed body in a read fence ends with it',
    reply: '```tool_code\n<update>busy\n```\nmore',
    calls: [['update', { body: 'busy\n' }]],
    text: 'more',
    warnings: ['unclosed'],
  },
  {
    says: 'D-28 inline triple backticks are a code span',
    reply: `\`\`\`${act}\`\`\` is bad\n\`\`\`\n${act}\n\`\`\``,
    text: `\`\`\`${act}\`\`\` is bad\n\`\`\`\n${act}\n\`\`\``,
  },
  { says: 'D-29 a code span needs an equal run', reply: `\`\`${act}\` x\`\``, text: `\`\`${act}\` x\`\`` },
  { says: 'D-29 a lone backtick hides nothing', reply: 'a ` b <get path="a"/>', calls: [get('a')], text: 'a ` b' },
  { says: 'D-29 a code span does not reach over a line', reply: 'a ` b\n<get path="a"/> ` c', calls: [get('a')], text: 'a ` b\n ` c' },
  {
    says: 'D-29 provider calls in code spans are prose',
    reply: 'write `[TOOL_CALLS]sh{"command":"x"}`',
    text: 'write `[TOOL_CALLS]sh{"command":"x"}`',
  },
]

describe('examples', () => {
  test.each(rows)('$says', ({ reply, options, calls = [], rejected = [], text = '', warnings = [] }) => {
    expect(outcome(reply, options)).toEqual({ calls, rejected, text, warnings })
  })
})
