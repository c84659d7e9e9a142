import type { Rule } from './schema.ts'

/** Whether a rule's command stands for exactly one list of words. */
export function isLiteral({ command }: Pick<Rule, 'command'>): boolean {
  return (
    command !== undefined &&
    command.every(selector => (typeof selector === 'string' ? !/[*?{]/.test(selector) : selector.argv !== undefined))
  )
}
