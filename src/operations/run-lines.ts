import { isPlainObject } from '../kernel/json.ts'
import { visibleLine } from '../kernel/visible.ts'
import type { Paint } from './paint.ts'

/** One line for a person of what a run does; empty where there is nothing to say. */
export function runLine(event: object, paint: Paint): string {
  const { type, data } = event as { type?: string; data?: Record<string, unknown> }
  if (!isPlainObject(data)) return ''
  if (type === 'run.started')
    return paint.dim(`${data['kind']} with ${data['model']}${data['scripted'] ? ' (scripted, no real model)' : ''}`)
  if (type !== 'call.decided') return ''
  const allowed = data['verdict'] === 'allow'
  const mark = allowed ? paint.good(paint.glyph.ok) : paint.bad(paint.glyph.fail)
  const target = targetOf(data['question'])
  return `${mark} ${data['name']} ${target}${allowed ? '' : `  ${paint.dim(String(data['reason']))}`}`
}

function targetOf(question: unknown): string {
  if (!isPlainObject(question)) return ''
  const paths = Array.isArray(question['paths']) ? (question['paths'] as { path: string }[]).map(({ path }) => path) : []
  return visibleLine(typeof question['command'] === 'string' ? question['command'] : paths.join(', ')).slice(0, 100)
}
