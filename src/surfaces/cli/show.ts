import type { ErrorBody } from '../../kernel/errors.ts'
import { isPlainObject } from '../../kernel/json.ts'
import { visibleLine } from '../../kernel/visible.ts'
import type { Paint } from '../../operations/paint.ts'

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
  const widths = keys.map((key, i) => Math.max(key.length, ...cells.map(row => row[i]?.length ?? 0)))
  // Only the last column is cut to the width of the screen: ids stand in the first ones and are never cut.
  const room = Math.max(10, paint.width - indent.length - widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0))
  const line = (row: string[]): string =>
    row.map((text, i) => (i === row.length - 1 ? shortened(text, room) : text.padEnd(widths[i] ?? 0))).join('  ')
  return [paint.dim(indent + line(keys)), ...cells.map(row => indent + line(row))].join('\n')
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return visibleLine(typeof value === 'string' ? value : JSON.stringify(value))
}
