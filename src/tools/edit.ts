import * as z from 'zod'
import { asData } from '../context/foreign-text.ts'
import { type EditError, type EditOutput, FORMATS } from '../text/edits/types.ts'
import { lineCount, readForEdit } from './files.ts'
import { absolutePath } from './paths.ts'
import { ToolError, tool } from './tool.ts'
import { prepareChanges } from './write-files.ts'

export const edit = tool({
  name: 'edit',
  description:
    'Change a file: search and replace (search must occur once; all: true for every place), or edit: a diff or search/replace blocks.',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: z.string().min(1),
      search: z.string().optional(),
      replace: z.string().optional(),
      all: z.boolean().optional(),
      edit: z.string().optional(),
      format: z.enum(FORMATS).optional(),
    }),
  ask: ({ path }, { root }) => ({ verb: 'file.write', paths: [{ path: absolutePath(path, root), access: 'write' }] }),
  preview: ({ search = '', replace = '', edit: text }) => text ?? [...marked('-', search), ...marked('+', replace)].join('\n'),
  prepare: async ({ path, search, replace, all, edit: text, format }, scene) => {
    // Search without replace would delete by omission.
    const isPair = search !== undefined && replace !== undefined
    if (isPair === (text !== undefined) || (search === undefined) !== (replace === undefined))
      throw new ToolError('Give either edit, or both search and replace (replace "" deletes).')
    const original = readForEdit(absolutePath(path, scene.root), path)
    const wanted = text ?? { search: search ?? '', replace: replace ?? '', all }
    const { applyEdit } = await import('../text/edits/apply.ts')
    const outcome = applyEdit({ original, edit: wanted, path, format })
    if (outcome.kind === 'refused') throw new ToolError(editErrorText(outcome.error, { path, head: `${path} was not changed` }))
    const { content } = outcome.value
    const change = prepareChanges([{ path, content }], scene)
    return {
      paths: change.paths,
      act: () => {
        change.write()
        return Promise.resolve({ ok: true, text: editedText(outcome.value, path) })
      },
    }
  },
})

function marked(mark: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map(line => `${mark} ${line}`)
}

/** What became of an edit, for the model. */
export function editedText({ action, format, content, edits, warnings }: EditOutput, path: string): string {
  const places = edits.map(({ line, count }) => (count > 1 ? `line ${line} and ${count - 1} more` : `line ${line}`))
  const done = action === 'delete' ? 'Deleted' : action === 'create' ? 'Created' : 'Changed'
  // Said as what it is: text in no known format is taken for the whole file, and whoever meant a part must see that.
  const isWhole = action === 'update' && format === 'whole'
  return [
    isWhole
      ? `Replaced all of ${path} (${lineCount(content ?? '')} lines): the text was taken for the whole file.`
      : `${done} ${path}${places.length > 0 ? ` at ${places.slice(0, 20).join(', ')}` : ''}.`,
    ...warnings.map(({ message }) => message),
  ].join('\n')
}

const placeOf = ({ line, text }: { line: number; text: string }): string => `line ${line}: ${text}`

/** Why an edit was refused, with the nearest text there is. Nothing was changed. */
export function editErrorText(
  { code, message, near, matches = [], others = [] }: EditError,
  { path, head }: { path: string; head: string },
): string {
  return [
    `${head} (${code}): ${message}`,
    ...(near ? [`The nearest text is at line ${near.line}:\n${asData(near.text, path)}`] : []),
    ...(matches.length > 0 ? [`It matches at:\n${asData(matches.slice(0, 5).map(placeOf).join('\n'), path)}`] : []),
    ...others.slice(0, 5).map(other => `Edit ${other.edit + 1} also fails: ${other.message}`),
  ].join('\n')
}
