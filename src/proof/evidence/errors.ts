import { QedError } from '../../kernel/errors.ts'

/** Evidence is written once. */
export class BundleExists extends QedError {
  readonly code = 'conflict'
  constructor(folder: string) {
    super(`${folder} is there already, and evidence is never overwritten.`, {
      details: { folder },
      next: { operation: 'proof.run', command: 'qed prove -- <command>', why: 'Each proof has an id and a bundle of its own.' },
    })
  }
}
