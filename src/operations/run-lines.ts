import { isPlainObject, type JsonObject, parseJson } from '../kernel/json.ts'
import { visibleLine } from '../kernel/visible.ts'
import { wrap } from '../kernel/wrap.ts'
import type { RunEvent } from '../runs/follow.ts'
import { diffLines } from '../text/line-diff.ts'
import { cut } from './fit-record.ts'
import type { Paint } from './paint.ts'

// What a person reads of single steps of a run. Pure: data in, lines out.

const INDENT = '    '
const MOST_DIFF_LINES = 24
const MOST_OUTPUT_LINES = 8

/** One call of a run, from its request to its result. */
export interface ShownCall {
  name: string
  arguments: unknown
  /** The rule by which a person was asked. */
  asked: string | null
  denied: { rule: string; reason: string } | null
  changes: JsonObject[]
  output: string
}

/** One line for a call: whether it may and how it went; below it why not, what it changed or what it printed. */
export function callLines(call: ShownCall, data: RunEvent['data'], paint: Paint): string {
  const { good, bad, careful, glyph, width } = paint
  const ok = data['ok'] === true
  const mark = call.denied ? bad(glyph.fail) : ok ? good(glyph.ok) : careful(glyph.warn)
  const how = call.denied ? 'denied' : howItEnded(data)
  const target = cut(targetOf(call), Math.max(20, width - call.name.length - how.length - 4))
  const head = [`${mark} ${call.name}`, target, call.denied ? bad(how) : paint.dim(how)].filter(part => part !== '').join(' ')
  return [
    head,
    ...whyLines(call, data, paint),
    ...call.changes.flatMap(change => changeLines(change, call, paint)),
    ...outputLines(call, ok, paint),
  ].join('\n')
}

/** What a call is about: the path, the command, the pattern. */
export function targetOf({ name, arguments: given, changes }: Pick<ShownCall, 'name' | 'arguments' | 'changes'>): string {
  if (!isPlainObject(given)) return changes.map(({ path }) => textOf(path)).join(', ')
  if (name === 'update') return textOf(given['body'])
  if (name === 'todo' && Array.isArray(given['items'])) return `${given['items'].length} items`
  if (typeof given['command'] === 'string') return `$ ${visibleLine(given['command'])}`
  const about = ['path', 'pattern', 'question', 'query', 'server', 'tool'].map(key => given[key]).filter(value => typeof value === 'string')
  const paths = changes.map(({ path }) => textOf(path)).join(', ')
  return visibleLine(about.join(' ') || paths || (typeof given['patch'] === 'string' ? 'patch' : ''))
}

/** A text of an event, also of one that is kept elsewhere for its length. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (isPlainObject(value) && typeof value['preview'] === 'string') return value['preview']
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/** The arguments of a call as they are kept: an object, or null where they are too long to stand in the log. */
export function argumentsOf(kept: unknown): unknown {
  return typeof kept === 'string' ? (parseJson(kept) ?? null) : null
}

/** The exit code of a command, and its time where that is felt. */
function howItEnded({ exit, duration_ms }: JsonObject): string {
  const ms = Number(duration_ms)
  return typeof exit === 'number' ? [`exit ${exit}`, ...(ms >= 1000 ? [`${(ms / 1000).toFixed(1)} s`] : [])].join(', ') : ''
}

/** Why it was denied, or what was wrong with it. */
function whyLines({ denied, output }: ShownCall, { ok, result }: JsonObject, { dim, width }: Paint): string[] {
  const text = (words: string): string => `${INDENT}${wrap(visibleLine(words), width - INDENT.length, INDENT)}`
  if (denied) return [text(`${denied.reason} (${denied.rule})`)]
  if (ok === true || output !== '') return []
  const [first = ''] = textOf(result)
    .replace(/^<data [^\n]*\n/, '')
    .replace(/^Error: /, '')
    .split('\n')
  return first === '' ? [] : [dim(text(first))]
}

function changeLines({ path, action, line, before, after }: JsonObject, call: ShownCall, { dim, good, bad }: Paint): string[] {
  const all = diffLines(textOf(before), textOf(after), Number(line))
  const shown = all.slice(0, MOST_DIFF_LINES)
  const width = String(shown.at(-1)?.line ?? 0).length
  const paints = { ' ': dim, '-': bad, '+': good }
  return [
    ...(call.changes.length > 1 || action !== 'changed' ? [`${INDENT}${dim(`${textOf(path)} ${textOf(action)}`)}`] : []),
    ...shown.map(
      ({ sign, line: at, text }) => `${INDENT}${dim(String(at).padStart(width))} ${paints[sign](`${sign} ${visibleLine(text)}`)}`,
    ),
    ...more(all.length - shown.length, '', dim),
  ]
}

function outputLines({ output, denied }: ShownCall, ok: boolean, { dim, width }: Paint): string[] {
  if (denied || output.trim() === '') return []
  const all = plainOutput(output).trimEnd().split('\n')
  const shown = all.slice(ok ? -MOST_OUTPUT_LINES / 2 : -MOST_OUTPUT_LINES)
  return [...more(all.length - shown.length, ' before', dim), ...shown.map(line => `${INDENT}${dim(cut(visibleLine(line), width - 6))}`)]
}

// Colours and carriage returns of programs, which were made visible on their way here, say nothing to a reader.
const COLOURS = /\\x1b\[[0-9;?]*[A-Za-z]/g
const RETURNS = /\\x0d\n?/g

/** What a program printed, as one reads it. */
export function plainOutput(output: string): string {
  return output.replace(COLOURS, '').replace(RETURNS, '\n')
}

const more = (n: number, where: string, dim: Paint['dim']): string[] =>
  n > 0 ? [`${INDENT}${dim(`... ${n} more ${n === 1 ? 'line' : 'lines'}${where}`)}`] : []
