import { applyEdit } from '../../../src/text/edits/apply.ts'
import type { EditError, EditInput, EditOutput } from '../../../src/text/edits/types.ts'

/** A block as models write it. */
export function block(search: string, replace: string, run = 7): string {
  const section = (text: string): string => (text === '' ? '' : `${text}\n`)
  return `${'<'.repeat(run)} SEARCH\n${section(search)}${'='.repeat(run)}\n${section(replace)}${'>'.repeat(run)} REPLACE\n`
}

export function patch(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')
}

export type Told = { ok: EditOutput } | { error: EditError }

export function apply(input: EditInput): Told {
  const outcome = applyEdit(input)
  return outcome.kind === 'ok' ? { ok: outcome.value } : { error: outcome.error }
}

/** The new content, or the code of the refusal. */
export function content(original: string | null, edit: EditInput['edit'], more: Partial<EditInput> = {}): string | null {
  const told = apply({ original, edit, ...more })
  return 'ok' in told ? told.ok.content : `!${told.error.code}`
}
