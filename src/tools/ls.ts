import { readdirSync } from 'node:fs'
import * as z from 'zod'
import { isErrno } from '../store/files.ts'
import { absolutePath } from './paths.ts'
import { ToolError, tool } from './tool.ts'

const MOST_ENTRIES = 500

export const ls = tool({
  name: 'ls',
  description: 'List a folder; folders end with /. Long lists: pass offset.',
  effect: 'read',
  foreign: true,
  input: () => z.strictObject({ path: z.string().min(1).default('.'), offset: z.int().nonnegative().optional() }),
  ask: ({ path }, { root }) => ({ verb: 'file.read', paths: [{ path: absolutePath(path, root), access: 'list' }] }),
  prepare: ({ path, offset = 1 }, { root }) => ({
    act: () => Promise.resolve({ ok: true, text: listing(entriesOf(absolutePath(path, root), path), path, Math.max(1, offset)) }),
  }),
})

function entriesOf(folder: string, shown: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.isSymbolicLink() ? `${entry.name}@` : entry.name))
      .sort()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw new ToolError(`${shown} does not exist. Look at the folder above it.`)
    if (isErrno(error, 'ENOTDIR')) throw new ToolError(`${shown} is a file. Use read.`)
    if (isErrno(error, 'EACCES', 'EPERM')) throw new ToolError(`${shown} may not be listed: permission denied.`)
    throw error
  }
}

function listing(entries: string[], path: string, offset: number): string {
  if (entries.length === 0) return `${path} is empty.`
  if (offset > entries.length) throw new ToolError(`${path} has ${entries.length} entries; offset ${offset} is behind its end.`)
  const next = offset + MOST_ENTRIES
  const rest = entries.length - next + 1
  return [...entries.slice(offset - 1, next - 1), ...(rest > 0 ? [`[${rest} more; go on with offset ${next}]`] : [])].join('\n')
}
