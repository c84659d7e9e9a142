import { join } from 'node:path'
import { readFileIfThere } from '../../store/files.ts'
import type { Git } from './git.ts'
import { ownGitFolderOf } from './git-folder.ts'

/** The commit that a checkout is at; null before the first one. Read from its files where that is plain, because a run that is about
 *  to begin must not wait for a process. */
export async function headOf(git: Git, root: string): Promise<string | null> {
  const own = ownGitFolderOf(root)
  const head = readFileIfThere(join(own, 'HEAD'))?.trim() ?? ''
  if (isOid(head)) return head
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1]
  const found = ref === undefined ? null : readFileIfThere(join(git.folder, ref))?.trim()
  if (found && isOid(found)) return found
  const { text, exit } = await git.inFolder(own).call(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { answers: [0, 1, 128] })
  return exit === 0 ? text.trim() : null
}

function isOid(text: string): boolean {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text)
}
