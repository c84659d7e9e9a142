import { readAttributes } from '../attributes.ts'
import type { EditText } from './edit-text.ts'
import type { Reading, TextStep } from './parsed.ts'
import { patchPath } from './patch-path.ts'
import { malformed } from './refusal.ts'
import type { Pair, Warning } from './types.ts'

/** One tag whose attributes, or whose attribute and body, say what is replaced by what; or the same as an object. */

const OPENING = /^\s*<set(?=[\s/>])/

export function opensSet({ text }: EditText): boolean {
  const opening = OPENING.exec(text)
  return opening !== null && readAttributes(text, opening[0].length).attributes.some(({ name }) => name === 'search')
}

export function readSet({ text, firstLine }: EditText): Reading {
  const opening = OPENING.exec(text)
  if (!opening) malformed('A tag <set search="…" replace="…"/> was expected.', firstLine)
  const tag = readAttributes(text, opening[0].length)
  const values = new Map(tag.attributes.map(({ name, value }) => [name, value]))
  const search = values.get('search')
  const unclosed = tag.warnings.find(({ code }) => code === 'unbalanced_quote')
  if (unclosed || tag.ending === 'cut' || tag.ending === 'broken')
    malformed(`The tag <set> does not end${unclosed ? `: the quote of ${unclosed.name} is never closed` : ''}.`, firstLine)
  if (search === undefined) malformed('The tag <set> has no search attribute.', firstLine)
  const body = tag.ending === 'self_closing' ? nothingAfter(text.slice(tag.end), firstLine) : bodyOf(text.slice(tag.end), firstLine)
  const written = values.get('replace')
  const replace = written ?? body
  if (replace === undefined)
    malformed('The tag has a search but neither a replace attribute nor a body. Give one; replace="" deletes.', firstLine)
  const warnings: Warning[] =
    written !== undefined && body !== undefined && body.trim() !== ''
      ? [{ code: 'body_ignored', message: 'The tag has a replace attribute and a body; the body was ignored.' }]
      : []
  const path = values.get('path')
  const step = textStep({ search: asText(search), replace: asText(replace), all: isSet(values.get('all')) }, firstLine)
  const file = {
    path: typeof path === 'string' ? patchPath(path, 'none') : undefined,
    intent: 'edit',
    steps: [step],
    line: firstLine,
  } as const
  return { files: [file], warnings }
}

/** An attribute without a value was meant as an empty text. */
function asText(value: string | true): string {
  return value === true ? '' : value
}

function isSet(value: string | true | undefined): boolean {
  return value === true || value === 'true' || value === ''
}

function nothingAfter(rest: string, line: number): undefined {
  if (rest.trim() !== '') malformed('Only one tag <set> is taken, with nothing after it. Send further edits as calls of their own.', line)
  return undefined
}

function bodyOf(rest: string, line: number): string {
  const closing = /<\/set>\s*$/.exec(rest)
  if (!closing) malformed('The tag <set> is not closed, or something follows it. End the text with </set>.', line)
  const body = rest.slice(0, closing.index)
  if (!isBalanced(body)) malformed('The text holds more than one tag <set>, or its body holds a </set>. Send one tag per call.', line)
  return body
}

function isBalanced(body: string): boolean {
  let open = 0
  for (const [tag] of body.matchAll(/<set(?=[\s/>])[^<>]*>|<\/set>/g)) {
    if (tag.endsWith('/>')) continue
    open += tag === '</set>' ? -1 : 1
    if (open < 0) return false
  }
  return open === 0
}

export function textStep({ search, replace, all }: Pair, line: number): TextStep {
  return { kind: 'text', search, replace, all: all ?? false, line }
}
