import type { GateFact } from '../facts.ts'

/** F-22: a score within its range, at or above the threshold, nothing critical. Anything else has not passed. */
export function gatePassed({ outcome, score, definition, critical }: GateFact): boolean {
  return outcome === 'scored' && score >= 0 && score <= 100 && score >= definition.threshold && critical.length === 0
}
