import { readdirSync } from 'node:fs'
import * as z from 'zod'
import { isErrno } from '../store/files.ts'
import { absolutePath } from './paths.ts'
import { ToolError, tool } from './tool.ts'

const MOST_ENTRIES = 500

export const ls = tool({
  name: 'ls',
  description: 'List a folder; folders end with /.',
  effect: 'read',
  foreign: true,
  input: () => z.strictObject({ path: z.string().min(1).default('.') }),
  ask: ({ path }, { root }) => ({ verb: 'file.read', paths: [{ path: absolutePath(path, root), access: 'list' }] }),
  prepare: ({ path }, { root }) => ({
    act: () => Promise.resolve({ ok: true, text: listing(entriesOf(absolutePath(path, root), path), path) }),
  }),
})

function entriesOf(folder: string, shown: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.isSymbolicLink() ? `${entry.name}@` : entry.name))
      .sort()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw new ToolError(`${shown} does not exist.`)
    if (isErrno(error, 'ENOTDIR')) throw new ToolError(`${shown} is a file. Use read.`)
    if (isErrno(error, 'EACCES', 'EPERM')) throw new ToolError(`${shown} may not be listed: permission denied.`)
    throw error
  }
}

function listing(entries: string[], path: string): string {
  if (entries.length === 0) return `${path} is empty.`
  const rest = entries.length - MOST_ENTRIES
  return [...entries.slice(0, MOST_ENTRIES), ...(rest > 0 ? [`[${rest} more; use glob to narrow it down]`] : [])].join('\n')
}
