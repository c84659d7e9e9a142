import { describe, expect, test } from 'vitest'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import { cpuTime } from '../../support/cpu-time.ts'
import { outcome } from './replies.ts'

const pieces = [
  '<get x=',
  '<get x="',
  '<get x= ',
  '<get x="&quot;',
  '<get path="a>\n',
  '<rm path="a"></get>\n',
  '<function name="get',
  '<function name="get"',
  '<function=get><parameter=a></think>',
  '[TOOL_CALLS]',
  '[TOOL_CALLS]get[ARGS]</think>',
  '\n[get(a',
  '\n[foo(a',
  '\n[get(</think>',
  '<tool_call>get(',
  '<tool_call>get ',
  '<tool_call>"',
  '<tool_call>{"a":]',
  '<tool_call>{"a</think>',
  '<tool_call>{"a":1</think>',
]

describe('hostile text', () => {
  test.each(pieces)('D-3 time grows with the length only: %j', piece => {
    const text = `${piece.repeat(20_000)}"`
    // Each takes below a second; before, these took minutes or all memory.
    expect(cpuTime(() => parseReply(text))).toBeLessThan(4_000)
  })

  test('D-20 a value without quotes ends before the next call, and the tag is none', () => {
    expect(outcome('<get path=<get path="a"/>')).toMatchObject({ calls: [['get', { path: 'a' }]], warnings: ['unclosed'] })
  })

  test('D-20 a tag with hundreds of attributes is no call', () => {
    expect(outcome(`<rm path="a" ${Array.from({ length: 400 }, (_, i) => `a${i}`).join(' ')}/>`)).toMatchObject({ calls: [] })
  })
})
