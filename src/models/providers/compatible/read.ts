import { isPlainObject } from '../../../kernel/json.ts'

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function objectOf(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {}
}

export function figureOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
