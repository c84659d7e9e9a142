import { QedError } from '../../kernel/errors.ts'
import type { ModelSpec } from './spec.ts'

class NoPrice extends QedError {
  readonly code = 'no_price'
  constructor({ name, model }: ModelSpec) {
    super(`The price of ${name} is not known, so a limit in money cannot be kept.`, {
      details: { name, model },
      next: {
        operation: 'models.refresh',
        command: 'qed models refresh <file>',
        why: 'Or set models.<alias>.prices, or limit the tokens instead of the money.',
      },
    })
  }
}

/** L-55: a run under a limit in money needs a model whose price is known. */
export function requirePrice(spec: ModelSpec, costCapUsd: number | null): void {
  if (costCapUsd !== null && spec.prices === undefined) throw new NoPrice(spec)
}
