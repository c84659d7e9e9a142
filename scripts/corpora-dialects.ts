// Reads rows of tool calls written by other projects and says where the parser stands: right, missed, or wrong. A missed call
// costs a turn; an invented one, or one with wrong arguments, can do harm.
//   node scripts/corpora-dialects.ts <toolcalls.jsonl>
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { parseReply } from '../src/text/dialects/parse-reply.ts'
import type { ParsedReply, Shape } from '../src/text/dialects/types.ts'

interface ExpectedCall {
  name?: string
  arguments?: unknown
  args_subset?: { path: (string | number)[]; value: unknown }[]
  has_keys?: string[]
}
interface Row {
  id: string
  input: { text: string | null; tools?: ({ function: Shape } | Shape)[] }
  expected: {
    calls?: ExpectedCall[]
    count?: number
    min_count?: number
    asserts?: { path: string; op: string; value: unknown }[]
  }
}
type Outcome = 'right' | 'missed' | 'wrong'

const [file] = process.argv.slice(2)
if (!file) {
  console.error('Usage: node scripts/corpora-dialects.ts <toolcalls.jsonl>')
  process.exit(2)
}
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => JSON.parse(line) as Row)

const score: Record<Outcome, number> = { right: 0, missed: 0, wrong: 0 }
for (const row of rows) {
  const tools = row.input.tools?.map(tool => ('function' in tool ? tool.function : tool))
  const parsed = parseReply(row.input.text, tools && tools.length > 0 ? { tools } : {})
  const { outcome, why } = judge(row, parsed)
  score[outcome]++
  if (outcome === 'right') continue
  console.log(`${outcome === 'wrong' ? 'INVENTED OR WRONG' : 'missed'}  ${row.id}  ${why}`)
  console.log(`    text ${JSON.stringify(row.input.text).slice(0, 220)}`)
  console.log(`    got  ${JSON.stringify({ calls: parsed.calls.map(brief), rejected: parsed.rejected.map(brief) }).slice(0, 220)}`)
}
console.log(`${rows.length} rows: ${score.right} right, ${score.missed} missed, ${score.wrong} invented or with wrong arguments`)

function brief({ name, arguments: given, source }: ParsedReply['calls'][number]): unknown {
  return { name, arguments: given, source }
}

function judge(row: Row, parsed: ParsedReply): { outcome: Outcome; why: string } {
  const { expected } = row
  if (expected.asserts) return judgeAsserts(expected.asserts, parsed)
  const count = expected.count ?? expected.calls?.length
  const got = parsed.calls.length
  if (count !== undefined && expected.min_count === undefined && got > count) return { outcome: 'wrong', why: `${got} calls for ${count}` }
  if (got < (expected.min_count ?? count ?? 0)) return { outcome: 'missed', why: `${got} calls for ${expected.min_count ?? count}` }
  for (const [index, call] of (expected.calls ?? []).entries()) {
    const found = parsed.calls[index]
    if (!found) return { outcome: 'missed', why: `call ${index}` }
    const why = difference(call, found)
    if (why) return { outcome: 'wrong', why }
  }
  return { outcome: 'right', why: '' }
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
function judgeAsserts(asserts: NonNullable<Row['expected']['asserts']>, parsed: ParsedReply): { outcome: Outcome; why: string } {
  const commands = parsed.calls.map(call => ({ ...call.arguments, name: call.name }))
  for (const { path, value } of asserts) {
    const got = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], { commands })
    if (isDeepStrictEqual(got, value)) continue
    const outcome = got === undefined || (path === 'commands.length' && Number(got) < Number(value)) ? 'missed' : 'wrong'
    return { outcome, why: `${path} is ${JSON.stringify(got)}, not ${JSON.stringify(value)}` }
  }
  return { outcome: 'right', why: '' }
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)
}
