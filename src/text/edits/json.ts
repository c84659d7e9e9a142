import { isPlainObject, type Json, parseJson } from '../../kernel/json.ts'
import { textStep } from './attributes.ts'
import type { EditText } from './edit-text.ts'
import { foldLineBreaks } from './lines.ts'
import type { FileEdit, Reading } from './parsed.ts'
import { patchPath } from './patch-path.ts'
import { malformed } from './refusal.ts'
import { PAIR_NAMES } from './xml.ts'

/** Objects with an old and a new text. */

const NAMES: readonly (readonly [string, string])[] = [...PAIR_NAMES, ['old', 'new']]
const ALL_NAMES = ['all', 'replace_all']

const SEARCH_KEYS = NAMES.map(([old]) => old).join('|')
const STRING = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'
const FIRST_KEY = new RegExp(`^\\s*\\[?\\s*\\{\\s*(?:"path"\\s*:\\s*${STRING}\\s*,\\s*)?"(?:${SEARCH_KEYS})"\\s*:`)
const SHORT_FORM = new RegExp(`^\\s*\\{\\s*search\\s*=\\s*(${STRING})\\s*,\\s*replace\\s*=\\s*(${STRING})\\s*\\}\\s*$`, 's')
const SHORT_OPENING = /^\s*\{\s*search\s*=/

export function opensObjects({ text }: EditText): boolean {
  if (SHORT_OPENING.test(text)) return true
  if (!/^\s*[[{]/.test(text)) return false
  const value = parseJson(text)
  // A search that is no text belongs to some other JSON, such as a settings file.
  if (value !== undefined) return objectsIn(value).some(isEditObject)
  return FIRST_KEY.test(text)
}

function objectsIn(value: Json): Record<string, unknown>[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.length > 0 && list.every(isPlainObject) ? list : []
}

function isEditObject(value: Record<string, unknown>): boolean {
  const first = Object.keys(value).find(key => key !== 'path')
  return NAMES.some(([old, fresh]) => typeof value[old] === 'string' && (first === old || typeof value[fresh] === 'string'))
}

export function readObjects({ text, firstLine }: EditText): Reading {
  const value = SHORT_OPENING.test(text) ? shortForm(text, firstLine) : parseJson(text)
  const objects = value === undefined ? [] : objectsIn(value)
  if (objects.length === 0)
    malformed('This is not a JSON object, or an array of objects, with "search" and "replace". Send it again as valid JSON.', firstLine)
  const files: FileEdit[] = []
  for (const [i, object] of objects.entries()) {
    const file = readObject(object, i, firstLine)
    const last = files.at(-1)
    if (last && last.path === file.path) files[files.length - 1] = { ...last, steps: [...last.steps, ...file.steps] }
    else files.push(file)
  }
  return { files, warnings: [] }
}

function readObject(object: Record<string, unknown>, index: number, line: number): FileEdit {
  const where = index === 0 ? '' : ` in object ${index + 1}`
  const pair = NAMES.find(([old]) => object[old] !== undefined)
  if (!pair) malformed(`There is no key "search"${where}.`, line)
  const [old, fresh] = pair
  const search = object[old]
  const replace = object[fresh]
  if (typeof search !== 'string') malformed(`The value of "${old}" is not a text${where}.`, line)
  if (typeof replace !== 'string') malformed(`The text for "${old}" has no replacement: add "${fresh}"${where}; "" deletes.`, line)
  const all = ALL_NAMES.map(name => object[name]).find(value => value !== undefined)
  if (all !== undefined && typeof all !== 'boolean') malformed(`The value of "all" is true or false${where}.`, line)
  const path = object['path']
  if (path !== undefined && typeof path !== 'string') malformed(`The value of "path" is not a text${where}.`, line)
  const other = Object.keys(object).find(key => ![...pair, ...ALL_NAMES, 'path'].includes(key))
  if (other !== undefined)
    malformed(`The key ${JSON.stringify(other)} has no meaning here${where}: only "${old}", "${fresh}", "all" and "path" do.`, line)
  const step = textStep({ search: foldLineBreaks(search), replace: foldLineBreaks(replace), all: all ?? false }, line)
  return { path: path === undefined ? undefined : patchPath(path, 'none'), intent: 'edit', steps: [step], line }
}

function shortForm(text: string, line: number): Json {
  const [, search = '', replace = ''] =
    SHORT_FORM.exec(text) ?? malformed('The form is {search="old", replace="new"} with JSON strings.', line)
  const pair = { search: parseJson(search), replace: parseJson(replace) }
  return pair.search === undefined || pair.replace === undefined
    ? malformed('The texts of {search="…", replace="…"} are not JSON strings.', line)
    : { search: pair.search, replace: pair.replace }
}
