import { QedError } from '../../kernel/errors.ts'

/** A vault that cannot be read is used for nothing, and never written over. */
export class VaultUnreadable extends QedError {
  readonly code = 'vault-unreadable'
  constructor(file: string, reason: string, options: ErrorOptions = {}) {
    super(`The vault ${file} cannot be read: ${reason}. It was left as it is.`, {
      ...options,
      details: { file, reason },
      next: { command: `age -d -i <identity> ${file}`, why: 'Any age tool can look at it; put back a copy that opens.' },
    })
  }
}

export class SecretUnknown extends QedError {
  readonly code = 'not_found'
  constructor(name: string, known: readonly string[]) {
    super(`There is no secret ${name} in the vault. It holds: ${known.join(', ') || 'none'}.`, {
      details: { name, known: [...known] },
      next: { operation: 'vault.set', command: `qed vault set ${name}`, why: 'A person puts it there, from a terminal.' },
    })
  }
}

export class SecretRefused extends QedError {
  readonly code = 'invalid_input'
  constructor(name: string, reason: string) {
    super(`${name} cannot be kept: ${reason}. Nothing was written.`, { details: { name, reason } })
  }
}
