import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import type { ProofId } from '../../src/kernel/ids.ts'
import { newId } from '../../src/kernel/new-id.ts'
import { openRepository, type Repository } from '../../src/proof/capture/repository.ts'
import { type Asked, type Subject, subjectOfCheckout } from '../../src/proof/capture/subject.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { type Bench, bench, repository } from '../sandbox/support.ts'

export interface House extends Bench {
  root: string
  repository: Repository
  subject: (asked?: Asked) => Promise<Subject>
}

export function newProof(): ProofId {
  return newId('prf', systemClock)
}

/** A repository with one commit and real walls around what is proven in it. */
export function house(files: Record<string, string | Buffer> | string = { 'a.txt': 'a\n' }, options: Partial<SandboxOptions> = {}): House {
  const root = typeof files === 'string' ? files : repository(files)
  const b = bench({ program: 'bwrap', require: 'bubblewrap', project: { root, gitFolder: join(root, '.git') }, ...options })
  const opened = openRepository(root, b.processes)
  return {
    ...b,
    root,
    repository: opened,
    subject: (asked = {}) => subjectOfCheckout(opened, asked, { clock: systemClock, state: b.state, proof: newProof() }),
  }
}
