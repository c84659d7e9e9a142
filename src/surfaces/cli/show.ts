import type { ErrorBody } from '../../kernel/errors.ts'
import { isPlainObject } from '../../kernel/json.ts'
import { visibleLine } from '../../kernel/visible.ts'
import { cut } from '../../operations/fit-record.ts'
import type { Paint } from '../../operations/paint.ts'

const GAP = '  '
/** A column narrower than this shows too little. */
const LEAST_COLUMN = 12

/** Any output, made visible, as text for a person: a list as a table, an object as lines, the rest as it is. */
export function show(output: unknown, paint: Paint): string {
  if (!isPlainObject(output)) return cell(output)
  const entries = Object.entries(output)
  const [only] = entries
  if (entries.length === 1 && only?.[0] === 'items' && Array.isArray(only[1])) return showRows(only[1], paint)
  return entries.length === 0 ? 'Done.' : showObject(entries, paint, '')
}

/** What failed, why, what to do: one line each. The error was made visible. */
export function showError(error: ErrorBody, paint: Paint): string {
  const lines = [`${paint.bad(`${paint.glyph.fail} ${error.code}`)}  ${error.message}`]
  if (error.next)
    lines.push(`${paint.glyph.arrow} ${[error.next.command ?? error.next.operation, error.next.why].filter(Boolean).join('  ')}`)
  return lines.join('\n')
}

function showObject(entries: [string, unknown][], paint: Paint, indent: string): string {
  const width = Math.max(...entries.map(([key]) => key.length))
  return entries
    .map(([key, value]) => {
      const label = `${indent}${paint.bold(key.padEnd(width))}`
      if (isPlainObject(value) && Object.keys(value).length > 0)
        return `${label}\n${showObject(Object.entries(value), paint, `${indent}  `)}`
      if (Array.isArray(value) && value.some(isPlainObject)) return `${label}\n${showRows(value, paint, `${indent}  `)}`
      return `${label}  ${cell(value)}`
    })
    .join('\n')
}

function showRows(rows: unknown[], paint: Paint, indent = ''): string {
  if (rows.length === 0) return paint.dim(`${indent}none`)
  if (!rows.every(isPlainObject)) return rows.map(row => `${indent}${cell(row)}`).join('\n')
  const keys = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const cells = rows.map(row => keys.map(key => cell(row[key])))
  const widths = fittedWidths(keys, cells, paint.width - indent.length)
  if (!widths) return rows.map(row => showRecord(row, paint, indent)).join('\n\n')
  const line = (row: string[]): string =>
    `${indent}${row.map((text, i) => (i === row.length - 1 ? cut(text, widths[i] ?? 0) : cut(text, widths[i] ?? 0).padEnd(widths[i] ?? 0))).join(GAP)}`
  return [paint.dim(line(keys)), ...cells.map(line)].join('\n')
}

/** A row for which a line has no room: a line for each of its values. */
function showRecord(row: Record<string, unknown>, paint: Paint, indent: string): string {
  const width = Math.max(...Object.keys(row).map(key => key.length))
  return Object.entries(row)
    .map(
      ([key, value]) =>
        `${indent}${paint.bold(key.padEnd(width))}${GAP}${cut(cell(value), paint.width - indent.length - width - GAP.length)}`,
    )
    .join('\n')
}

/** Columns as wide as they need, or the widest ones narrowed until a line fits. Ids are never cut. Undefined where no table fits. */
function fittedWidths(keys: string[], cells: string[][], width: number): number[] | undefined {
  const needed = keys.map((key, i) => Math.max(key.length, ...cells.map(row => row[i]?.length ?? 0)))
  const whole = keys.map((key, i) => key === 'id' || cells.some(row => isIdLike(row[i] ?? '')))
  const total = (most: number): number =>
    needed.reduce((sum, need, i) => sum + (whole[i] ? need : Math.min(need, most)), GAP.length * (keys.length - 1))
  let most = Math.max(...needed)
  if (total(LEAST_COLUMN) > width) return undefined
  while (total(most) > width) most--
  return needed.map((need, i) => (whole[i] ? need : Math.min(need, most)))
}

function isIdLike(text: string): boolean {
  return /^[a-z]{2,4}_[0-9A-Z]{26}$/.test(text)
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return visibleLine(typeof value === 'string' ? value : JSON.stringify(value))
}
