import { isAbsolute, resolve } from 'node:path'
import { ToolError } from './tool.ts'

/** The absolute path that a model means. */
export function absolutePath(path: string, root: string): string {
  if (path.includes('\0')) throw new ToolError('A path cannot hold a NUL character.')
  return isAbsolute(path) ? resolve(path) : resolve(root, path)
}
