import type { JsonObject } from '../../kernel/json.ts'
import { redactText } from '../../policy/secrets/redact.ts'
import { finding } from '../../proof/findings/rule.ts'
import type { Outcome } from '../../runs/lifecycle.ts'
import type { CanaryWatch } from '../../sandbox/vault/canary.ts'

/** What a run must never hold: values of the vault, which are taken out, and its bait, which ends the run wherever it shows. */
export interface Leaks {
  /** Every text that a run sends, shows or keeps goes through here. */
  redact: (text: string) => string
  /** Aborted when the bait was seen, by this run or in the output of any process of this house. */
  signal: AbortSignal
  stopReason: () => { outcome: Outcome; reason: string } | null
  /** Where it was seen first; null: nowhere. */
  seen: () => string | null
  end: () => void
}

export type LeakWatch = Pick<CanaryWatch, 'load' | 'takeOut' | 'follow'>

/** Resolves when the values are known, so that nothing is sent before. */
export async function watchLeaks(watch: LeakWatch): Promise<Leaks> {
  const stop = new AbortController()
  let first: string | null = null
  const end = watch.follow(where => {
    first ??= where
    stop.abort()
  })
  await watch.load()
  return {
    redact: text => redactText(watch.takeOut(text, 'a text of a run')),
    signal: stop.signal,
    seen: () => first,
    stopReason: () =>
      first === null
        ? null
        : {
            outcome: 'refused',
            reason: `secret.canary: the vault's own bait was seen in ${first}. Take its secrets for known: qed doctor.`,
          },
    end,
  }
}

/** What the record says about a vault that leaked while the run worked; null where none did. */
export function leakFinding(leaks: Leaks): JsonObject | null {
  const where = leaks.seen()
  return where === null ? null : (JSON.parse(JSON.stringify(finding('secret.canary', { measured: where }))) as JsonObject)
}
