import { readFileSync, realpathSync, statSync } from 'node:fs'
import { extname, relative } from 'node:path'
import { isErrno } from '../../store/files.ts'

const MOST_BYTES = 1 << 20

/** Reads instructions of a project. They are sent without being asked about, so a link must not make another file of them: not one
 *  outside the project, not one that is no Markdown, such as `.env`, and nothing that would never end. Null: as if none were there. */
export function instructionReader(root: string): (path: string) => string | null {
  return path => {
    try {
      const real = realpathSync(path)
      const found = statSync(real)
      const isOwn = !relative(realpathSync(root), real).startsWith('..') && extname(real).toLowerCase() === '.md'
      return isOwn && found.isFile() && found.size <= MOST_BYTES ? readFileSync(real, 'utf8') : null
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM')) return null
      throw error
    }
  }
}
