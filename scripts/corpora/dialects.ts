import { isDeepStrictEqual } from 'node:util'
import { parseReply } from '../../src/text/dialects/parse-reply.ts'
import type { ParsedReply, Shape } from '../../src/text/dialects/types.ts'
import type { Row, Verdict } from './score.ts'

interface CallInput {
  text: string | null
  tools?: ({ function: Shape } | Shape)[]
}

interface ExpectedCall {
  name?: string
  arguments?: unknown
  args_subset?: { path: (string | number)[]; value: unknown }[]
  has_keys?: string[]
}

interface Expected {
  calls?: ExpectedCall[]
  count?: number
  min_count?: number
  asserts?: { path: string; op: string; value: unknown }[]
}

/** Rows on which QED's contract says otherwise. */
const DECIDED: Record<string, string> = {
  'sglang#78': 'D-34: text that is not JSON stays a string',
  'vllm-rust#54': 'D-30: the form is read',
  'vllm-rust#69': 'D-30: the form is read',
  'vllm#275': 'D-34: a parameter named arguments is an argument of that name',
  'vllm#328': 'D-34: without tools there is no schema',
}

/** A missed call costs a turn; an invented one, or one with wrong arguments, can do harm. */
export function dialectScore(row: Row): Verdict {
  const { text, tools = [] } = row.input as never as CallInput
  const shapes = tools.map(tool => ('function' in tool ? tool.function : tool))
  const parsed = parseReply(text, shapes.length > 0 ? { tools: shapes } : {})
  const expected = row.expected as Expected
  const judged = expected.asserts ? judgeAsserts(expected.asserts, parsed) : judgeCalls(expected, parsed)
  const decided = DECIDED[row.id.replace(/^.*:/, '')]
  return judged.verdict === 'WRONG' && decided ? { verdict: 'decided', why: decided } : judged
}

function judgeCalls(expected: Expected, parsed: ParsedReply): Verdict {
  const count = expected.count ?? expected.calls?.length
  const got = parsed.calls.length
  if (count !== undefined && expected.min_count === undefined && got > count) return { verdict: 'WRONG', why: `${got} calls for ${count}` }
  if (got < (expected.min_count ?? count ?? 0)) return { verdict: 'safe', why: `${got} calls for ${expected.min_count ?? count}` }
  for (const [index, call] of (expected.calls ?? []).entries()) {
    const found = parsed.calls[index]
    if (!found) return { verdict: 'safe', why: `call ${index}` }
    const why = difference(call, found)
    if (why) return { verdict: 'WRONG', why }
  }
  return { verdict: 'right' }
}

function difference(call: ExpectedCall, found: ParsedReply['calls'][number]): string | undefined {
  if (call.name !== undefined && call.name !== found.name) return `name ${found.name} for ${call.name}`
  if (call.arguments !== undefined && !isDeepStrictEqual(plain(call.arguments), plain(found.arguments)))
    return `arguments ${JSON.stringify(found.arguments)} for ${JSON.stringify(call.arguments)}`
  for (const key of call.has_keys ?? []) if (!Object.hasOwn(found.arguments, key)) return `no argument ${key}`
  for (const { path, value } of call.args_subset ?? []) {
    const got = path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], found.arguments)
    if (!isDeepStrictEqual(plain(got), plain(value))) return `${path.join('.')} is ${JSON.stringify(got)}, not ${JSON.stringify(value)}`
  }
  return undefined
}

/** Rows of the tag dialect's own project name members of flat commands. */
function judgeAsserts(asserts: NonNullable<Expected['asserts']>, parsed: ParsedReply): Verdict {
  const commands = parsed.calls.map(call => ({ ...call.arguments, name: call.name }))
  for (const { path, value } of asserts) {
    const got = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], { commands })
    if (isDeepStrictEqual(got, value)) continue
    const verdict = got === undefined || (path === 'commands.length' && Number(got) < Number(value)) ? 'safe' : 'WRONG'
    return { verdict, why: `${path} is ${JSON.stringify(got)}, not ${JSON.stringify(value)}` }
  }
  return { verdict: 'right' }
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)
}
