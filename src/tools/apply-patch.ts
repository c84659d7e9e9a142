import * as z from 'zod'
import type { PlannedChange } from '../text/edits/plan.ts'
import { editErrorText, editedText } from './edit.ts'
import { readForEdit } from './files.ts'
import { absolutePath } from './paths.ts'
import { ToolError, type ToolScene, tool } from './tool.ts'
import { type FileChange, prepareChanges } from './write-files.ts'

export const applyPatch = tool({
  name: 'apply_patch',
  description: 'Change several files at once: a patch (*** Begin Patch), a diff, or search/replace blocks with paths. All or nothing.',
  effect: 'write',
  input: () => z.strictObject({ patch: z.string().min(1) }),
  ask: async ({ patch }, { root }) => ({
    verb: 'file.write',
    paths: (await pathsOf(patch)).map(path => ({ path: absolutePath(path, root), access: 'write' as const })),
  }),
  preview: ({ patch }) => patch,
  prepare: async ({ patch }, scene) => {
    const changes = await planned(patch, scene)
    const { paths, write } = prepareChanges(changes.flatMap(toFiles), scene)
    return {
      paths,
      act: () => {
        write()
        return Promise.resolve({ ok: true, text: changes.map(change => editedText(change, change.path)).join('\n') })
      },
    }
  },
})

const NOTHING_DONE = { path: 'apply_patch', head: 'Nothing was changed' }

/** Every path that the patch names, before anything of it is tried. */
async function pathsOf(patch: string): Promise<string[]> {
  const { splitReply } = await import('../text/edits/split.ts')
  const split = splitReply({ text: patch })
  if (split.kind === 'refused') throw new ToolError(editErrorText(split.error, NOTHING_DONE))
  // The new name of a moved file is known once the patch is planned; the executor asks leave for it then.
  const paths = split.value.edits.flatMap(({ path }) => (path === null ? [] : [path]))
  if (paths.length === 0) throw new ToolError('The patch names no file. Begin each part with its path.')
  return [...new Set(paths)]
}

async function planned(patch: string, { root }: ToolScene): Promise<PlannedChange[]> {
  const { planEdits } = await import('../text/edits/plan.ts')
  const files = Object.fromEntries((await pathsOf(patch)).map(path => [path, readForEdit(absolutePath(path, root), path)]))
  const outcome = planEdits({ edit: patch, files })
  if (outcome.kind === 'refused') throw new ToolError(editErrorText(outcome.error, NOTHING_DONE))
  return outcome.value.changes
}

function toFiles({ path, from, content }: PlannedChange): FileChange[] {
  return from === undefined || from === path
    ? [{ path, content }]
    : [
        { path: from, content: null },
        { path, content },
      ]
}
