import { QedError } from '../../kernel/errors.ts'

/** Others could have read or replaced the key, so a signature by it says nothing. */
export class ProofKeyUnsafe extends QedError {
  readonly code = 'denied'
  constructor(file: string, reason: string) {
    super(`The key ${file} is not used: ${reason}.`, {
      details: { file, reason },
      next: { command: `chmod 600 ${file}`, why: 'If others may have read it, make a new one: qed proof key --rotate' },
    })
  }
}

export class ProofKeyUnreadable extends QedError {
  readonly code = 'integrity'
  constructor(file: string, options: ErrorOptions = {}) {
    super(`${file} does not hold an ed25519 private key. It was left as it is.`, {
      ...options,
      details: { file },
      next: { why: 'Put back a copy that opens, or move it away: the next proof makes a new one, which others do not trust yet.' },
    })
  }
}

/** The checker's own list of keys says something that cannot be used; guessing would trust the wrong one. */
export class TrustUnreadable extends QedError {
  readonly code = 'invalid_input'
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}.`, {
      details: { file, reason },
      next: { operation: 'proof.key', command: 'qed proof key', why: 'It prints an entry as this file takes it.' },
    })
  }
}

export class NotesBusy extends QedError {
  readonly code = 'busy'
  constructor(ref: string, attempts: number, options: ErrorOptions = {}) {
    super(`${ref} was moved by others ${attempts} times in a row, or is locked. The attestation is in the bundle, not in the notes.`, {
      ...options,
      details: { ref, attempts },
      next: { why: 'If no other git works here, remove the .lock file beside the ref, then prove again.' },
    })
  }
}

/** What git holds is not what its ids say, so nothing can be said about it. */
export class TreeUnsound extends QedError {
  readonly code = 'integrity'
  constructor(tree: string, oid: string) {
    super(`The object ${oid} of tree ${tree} is missing or does not have the content that its id says. Nothing was attested.`, {
      details: { tree, oid },
      next: { command: 'git fsck', why: 'It shows what is broken in this repository.' },
    })
  }
}
