import { Buffer } from 'node:buffer'
import type { Git } from '../../sandbox/git/git.ts'

const MOST_BYTES = 16 << 20

/** The change from one tree to another as a patch. Binary files are only named: their content is in git. A very long one is cut
 *  and says so. */
export async function patchOf(git: Git, base: string, result: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const onBytes = (chunk: Buffer): void => {
    if (bytes < MOST_BYTES) chunks.push(chunk.subarray(0, MOST_BYTES - bytes))
    bytes += chunk.length
  }
  await git.call(['diff-tree', '-r', '-p', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', base, result], {
    onBytes,
  })
  const text = Buffer.concat(chunks).toString('utf8')
  return bytes <= MOST_BYTES ? text : `${text}\n[${bytes - MOST_BYTES} bytes more: git diff ${base} ${result}]\n`
}
