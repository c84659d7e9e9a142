import * as z from 'zod'
import { lineCount, readBytes } from './files.ts'
import { absolutePath } from './paths.ts'
import { tool } from './tool.ts'
import { prepareChanges } from './write-files.ts'

export const write = tool({
  name: 'write',
  description: 'Create a file, or replace all of its content.',
  effect: 'write',
  input: () => z.strictObject({ path: z.string().min(1), content: z.string() }),
  ask: ({ path }, { root }) => ({ verb: 'file.write', paths: [{ path: absolutePath(path, root), access: 'write' }] }),
  preview: ({ content }) => content,
  prepare: ({ path, content }, scene) => {
    const existed = readBytes(absolutePath(path, scene.root), path) !== null
    const change = prepareChanges([{ path, content }], scene)
    return {
      paths: change.paths,
      act: () => {
        change.write()
        return Promise.resolve({ ok: true, text: `${existed ? 'Replaced' : 'Created'} ${path} (${lineCount(content)} lines).` })
      },
    }
  },
})
