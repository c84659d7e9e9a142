import type { GateFact } from '../facts.ts'

/** F-22: a score within its range, at or above the threshold, nothing critical. Anything else has not passed. */
export function gatePassed({ outcome, score, definition, critical }: GateFact): boolean {
  return outcome === 'scored' && score >= 0 && score <= 100 && score >= definition.threshold && critical.length === 0
}

/** Passed, and by the measure of the base: a gate that the work has changed says nothing. */
export function gateHolds(gate: GateFact): boolean {
  return !gate.changed && gatePassed(gate)
}
