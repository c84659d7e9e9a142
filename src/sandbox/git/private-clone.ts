import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from './git.ts'

const SHA1_LENGTH = 40

/** Fills a new folder with the files of a commit and gives it git data of its own. Built by hand instead of cloned: nothing of
 *  the project's config, remotes or hooks comes along, and the objects are shared. */
export async function privateClone(git: Git, { path, base }: { path: string; base: string }): Promise<void> {
  const own = join(path, '.git')
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) mkdirSync(join(own, name), { recursive: true })
  const version = base.length === SHA1_LENGTH ? '0' : '1\n[extensions]\n\tobjectFormat = sha256\n[core]'
  writeFileSync(join(own, 'config'), `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n[gc]\n\tauto = 0\n`)
  writeFileSync(join(own, 'objects/info/alternates'), `${join(git.folder, 'objects')}\n`)
  writeFileSync(join(own, 'HEAD'), `${base}\n`)
  await layOut(git, base, { folder: path, index: join(own, 'index') })
}

/** Writes the files of a commit or tree into an empty folder, and an index that knows them. All of them: neither the checkout's
 *  sparse patterns nor its submodules have a say. */
export async function layOut(git: Git, tree: string, at: { folder: string; index: string }): Promise<void> {
  await git.call(['read-tree', '--reset', '-u', '--no-sparse-checkout', '--no-recurse-submodules', tree], {
    index: at.index,
    workTree: at.folder,
  })
}
