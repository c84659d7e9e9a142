import { rmSync, statSync } from 'node:fs'
import type { PathEffect } from '../runs/attempt.ts'
import { writeFileAtomically } from '../store/files.ts'
import { digestOf, readBytes, refuseLink } from './files.ts'
import { absolutePath } from './paths.ts'
import { ToolError, type ToolScene } from './tool.ts'

/** One file as it shall be; null: gone. */
export interface FileChange {
  path: string
  content: string | null
}

/** What a set of changes does to each path, and doing it: all files are checked first, so that none is written where one
 *  cannot be. */
export function prepareChanges(
  changes: readonly FileChange[],
  { root, onChange }: Pick<ToolScene, 'root' | 'onChange'>,
): { paths: PathEffect[]; write: () => void } {
  const planned = changes.map(({ path, content }) => {
    const absolute = absolutePath(path, root)
    refuseLink(absolute, path)
    const bytes = readBytes(absolute, path)
    return { path, absolute, content, before: digestOf(bytes), text: onChange ? (bytes?.toString('utf8') ?? null) : null }
  })
  return {
    paths: planned.map(({ absolute, content, before }) => ({ path: absolute, before, after: digestOf(content) })),
    write: () => {
      for (const { path, absolute, before } of planned) {
        // Looked at once more: what is replaced must be what was read.
        if (digestOf(readBytes(absolute, path)) !== before) throw new ToolError(`${path} changed meanwhile. Read it again.`)
      }
      for (const { path, absolute, content, text } of planned) {
        writeOne(absolute, content)
        onChange?.({ path, before: text, after: content })
      }
    },
  }
}

function writeOne(path: string, content: string | null): void {
  if (content === null) return rmSync(path)
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  writeFileAtomically(path, content, { quick: true, mode: mode === undefined ? undefined : mode & 0o7777 })
}
