import { join, relative } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'

export interface EvidencePlace {
  /** The root of the checkout, or null where the bundle lies in the personal state (F-38). */
  root: string | null
  /** The folder with one bundle for each proof. */
  proofs: string
}

/** `.qed/proofs`, or, in a repository without `.qed/`, a folder of its own in the personal state. */
export function evidencePlace(repository: { root: string; gitFolder: string; hasQed: boolean }, state: string): EvidencePlace {
  const { root, gitFolder, hasQed } = repository
  if (hasQed) return { root, proofs: join(root, '.qed', 'proofs') }
  return { root: null, proofs: join(state, 'proofs', sha256(gitFolder)) }
}

/** Where a bundle is, as a report says it: inside the checkout relative to its root, so that it names no one's home. */
export function bundleName({ root, proofs }: EvidencePlace, proofId: string): string {
  const folder = join(proofs, proofId)
  return root === null ? folder : relative(root, folder)
}
