import { QedError } from '../../kernel/errors.ts'

export class ModelNotChosen extends QedError {
  readonly code = 'no_model'
  constructor() {
    super('No model is chosen.', {
      next: {
        operation: 'models.list',
        command: 'qed models list',
        why: 'Give one of them as --model, or keep it: qed config set model <name>.',
      },
    })
  }
}

export class ModelUnknown extends QedError {
  readonly code = 'not_found'
  readonly near: string[]
  constructor(name: string, near: string[]) {
    const meant = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
    super(`There is no model ${name}: it is no alias of the settings, no <provider>/<model> and no script:<file>.${meant}`, {
      details: { name, near },
      next: { operation: 'models.list', command: 'qed models list', why: 'It lists the models that can be used here.' },
    })
    this.near = near
  }
}

/** An alias lacks a setting without which it cannot be used. */
export class ModelIncomplete extends QedError {
  readonly code = 'unavailable'
  constructor(alias: string, field: 'protocol' | 'model' | 'base_url', example: string) {
    const scope = field === 'base_url' ? ' --scope personal' : ''
    super(`The model ${alias} has no ${field}.`, {
      details: { alias, field },
      next: {
        operation: 'config.set',
        command: `qed config set models.${alias}.${field} ${example}${scope}`,
        why: `Say ${WHAT[field]}.`,
      },
    })
  }
}

const WHAT = { protocol: 'how it is spoken to', model: 'what its provider calls it', base_url: 'where its server is' }

export class ModelKeyMissing extends QedError {
  readonly code = 'auth_missing'
  /** The environment variable, or the name in the vault. */
  readonly key: string
  constructor(model: string, from: { env: string } | { vault: string }, options: ErrorOptions = {}) {
    const key = 'env' in from ? from.env : from.vault
    super(
      'env' in from
        ? `The key for ${model} is missing: the environment variable ${key} is not set.`
        : `The key for ${model} is missing: the vault has no secret ${key}.`,
      {
        ...options,
        details: { model, key },
        next:
          'env' in from
            ? {
                command: `export ${key}=…`,
                why: 'Set it in the shell that starts QED, or keep it in the vault and name it in models.<alias>.key.',
              }
            : { command: `qed vault set ${key} --scope personal`, why: 'It asks for the value and does not show it.' },
      },
    )
    this.key = key
  }
}
