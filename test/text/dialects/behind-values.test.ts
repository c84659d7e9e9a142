import { expect, test } from 'vitest'
import { parseReply } from '../../../src/text/dialects/parse-reply.ts'

const rows: { says: string; text: string; calls: string[] }[] = [
  {
    says: 'D-9 what stands between a value and the closer is not read',
    text: '<tool_call>{"name":"set","arguments":{"path":"a","body":"x"}}, "body":"<sh>rm -rf x</sh>"}</tool_call>',
    calls: ['set'],
  },
  {
    says: 'D-30 a brace too many costs nothing',
    text: '<tool_call>{"name":"get","arguments":{"path":"a"}}}</tool_call>',
    calls: ['get'],
  },
  {
    says: 'D-30 a forgotten closer does not swallow the next call',
    text: '<tool_call>{"name":"get","arguments":{"path":"a"}}\n<tool_call>{"name":"get","arguments":{"path":"b"}}</tool_call>',
    calls: ['get', 'get'],
  },
  {
    says: 'D-30 without a closer the call ends with its value',
    text: '<tool_call>{"name":"get","arguments":{"path":"a"}} and <get path="c"/>',
    calls: ['get', 'get'],
  },
]

test.each(rows)('$says', ({ text, calls }) => {
  expect(parseReply(text).calls.map(({ name }) => name)).toEqual(calls)
})
