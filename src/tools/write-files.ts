import { rmSync, statSync } from 'node:fs'
import type { PathEffect } from '../runs/attempt.ts'
import { writeFileAtomically } from '../store/files.ts'
import { digestOf, readBytes, refuseLink, refuseUnwritable } from './files.ts'
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
    refuseUnwritable(absolute, path)
    const bytes = readBytes(absolute, path)
    return { path, absolute, content, before: digestOf(bytes), text: onChange ? (bytes?.toString('utf8') ?? null) : null }
  })
  refuseNested(planned)
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

/** A path cannot become a file and, by another of the changes, the folder of one. */
function refuseNested(planned: readonly { path: string; absolute: string; content: string | null }[]): void {
  const files = planned.filter(({ content }) => content !== null)
  for (const { path, absolute } of files) {
    const inside = files.find(other => other.absolute.startsWith(`${absolute}/`))
    if (inside) throw new ToolError(`${path} cannot be a file: ${inside.path} would be inside it.`)
  }
}

function writeOne(path: string, content: string | null): void {
  if (content === null) return rmSync(path)
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  writeFileAtomically(path, content, { quick: true, mode: mode === undefined ? undefined : mode & 0o7777 })
}
