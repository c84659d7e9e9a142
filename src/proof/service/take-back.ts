import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProofId } from '../../kernel/ids.ts'
import { dropFromNotes } from '../attest/notes.ts'
import type { Repository } from '../capture/repository.ts'
import { forgetProduced } from '../capture/subject.ts'
import { readAttestation, readProof } from '../evidence/read-bundle.ts'
import { removeFolder } from '../places/remove-folder.ts'
import type { ProofPorts } from './ports.ts'
import { placeOf } from './seal.ts'

/** F-41: whatever a proof that came to no verdict has kept: what was signed too early, and the ref of its commit. Notes go first,
 *  because only the bundle tells which they are. */
export async function takeBack(proof: ProofId, { ports, repository }: { ports: ProofPorts; repository: Repository }): Promise<void> {
  const { git } = repository
  const { proofs } = placeOf(ports, repository)
  const folder = join(proofs, proof)
  const lines = (readAttestation(folder) ?? '').split('\n').filter(line => line !== '')
  const { result } = readProof(folder) ?? {}
  if (result && lines.length > 0)
    await dropFromNotes(git, { oids: [result.commit, result.tree], lines }, { clock: ports.clock, state: ports.sandbox.state })
  removeFolder(folder)
  const begun = existsSync(proofs) ? readdirSync(proofs).filter(name => name.startsWith(`${proof}.`) && name.endsWith('.tmp')) : []
  for (const name of begun) removeFolder(join(proofs, name))
  await forgetProduced(git, proof)
}
