import { QedError } from '../kernel/errors.ts'

export class ProjectUnknown extends QedError {
  readonly code = 'project_unknown'
  constructor(folder: string) {
    super(`${folder} is not in a QED project.`, {
      details: { folder },
      next: { operation: 'init', command: 'qed init', why: 'It makes .qed/ in the root of this git repository.' },
    })
  }
}

export class NotARepository extends QedError {
  readonly code = 'not_found'
  constructor(folder: string) {
    super(`${folder} is not in a git repository, and QED works on git repositories only.`, {
      details: { folder },
      next: { command: 'git init', why: 'It makes one here; then do this again.' },
    })
  }
}

// Of all commands about settings this one works whatever the files hold.
const SCHEMA = {
  operation: 'config.schema',
  command: 'qed config schema',
  why: 'It tells every key and what it takes; correct the value by hand.',
}

/** A file that QED reads holds something it cannot use. */
export class ConfigBroken extends QedError {
  readonly code = 'invalid_input'
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}.`, {
      details: { file, reason },
      next: SCHEMA,
    })
  }
}

/** `.qed/project.json` does not say which project this is. */
export class ProjectBroken extends QedError {
  readonly code = 'invalid_input'
  constructor(file: string) {
    super(`${file}: it does not hold a project id and name.`, {
      details: { file },
      next: { command: 'git checkout -- .qed/project.json', why: 'Take it back from git; or move it away and run qed init.' },
    })
  }
}

export class ConfigKeyUnknown extends QedError {
  readonly code = 'invalid_input'
  constructor({ key, near, file, reserved }: { key: string; near: string[]; file: string | undefined; reserved: string | undefined }) {
    const hint = reserved ? ` ${reserved} cannot be a name.` : near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
    super(`${file ? `${file}: t` : 'T'}here is no config key ${key}.${hint}`, {
      details: { key, near, ...(file && { file }) },
      next: file ? SCHEMA : { operation: 'config.list', command: 'qed config list', why: 'It lists every key with its value and source.' },
    })
  }
}

/** A key that the project's own file may not set, because the file is someone else's text. */
export class ConfigPersonalOnly extends QedError {
  readonly code = 'denied'
  constructor(key: string, personalFile: string) {
    super(`A project may not set ${key}; it can be set in ${personalFile} only.`, {
      details: { key, file: personalFile },
      next: { operation: 'config.set', command: `qed config set ${key} <value> --scope personal`, why: 'It writes the personal file.' },
    })
  }
}

export class ConfigHoldsSecret extends QedError {
  readonly code = 'denied'
  constructor(key: string, rule: string) {
    super(`The value for ${key} looks like a secret (${rule}). Config files are not a place for secrets; nothing was written.`, {
      details: { key, rule },
      next: {
        command: `qed config set models.<alias>.key '{"env":"NAME"}' --scope personal`,
        why: 'Name the environment variable that holds it instead.',
      },
    })
  }
}

/** A policy file that was changed by someone whom nobody trusts here. */
export class PolicyUntrusted extends QedError {
  readonly code = 'digest_mismatch'
  constructor(file: string, digest: string) {
    super(`${file} (sha256 ${digest}) is not trusted on this machine. Nothing was written.`, {
      details: { file, digest },
      next: { operation: 'project.trust', command: 'qed project trust', why: 'It shows the text; trust it by its digest.' },
    })
  }
}

/** The digest that was named belongs to no policy file as it is now. */
export class PolicyDigestUnknown extends QedError {
  readonly code = 'digest_mismatch'
  constructor(digest: string, present: { file: string; digest: string }[]) {
    super(`No policy file of this project has the digest ${digest}; it may have changed since it was shown.`, {
      details: { digest, present },
      next: { operation: 'project.trust', command: 'qed project trust', why: 'It shows each file with its present digest.' },
    })
  }
}
