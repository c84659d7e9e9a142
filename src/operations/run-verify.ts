import type { App } from '../app.ts'
import { asData } from '../context/foreign-text.ts'
import type { Verified } from '../engine/drive.ts'
import type { Tell } from '../engine/work/types.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Proof } from '../proof/proof.ts'
import type { ProofTerms } from '../proof/terms.ts'
import type { ShownProgress } from './proof-progress.ts'
import { shown } from './proof-progress.ts'

export interface VerifyRequest {
  command: string
  scope: string[] | null
  /** What was there before the work. */
  base: string
  /** Where the work is; null: in the checkout. */
  place: string | null
  signal: AbortSignal
  tell: Tell
}

/** Proves what a run has made of the checkout, as `qed prove` does, and says it in words for the model. */
export async function verifyWork(app: App, { command, scope, base, place, signal, tell }: VerifyRequest): Promise<Verified> {
  const proofs = await app.proofs()
  const { proof } = await proofs.run({
    base,
    ...(place !== null && { place }),
    terms: termsOf(command, scope),
    acceptances: [],
    keep: false,
    store: true,
    alsoTestResult: false,
    vary: false,
    signal,
    progress: event => {
      if (tell) tell('proof.progress', stepOf(shown(event)))
    },
  })
  tell?.('proof.judged', proof as unknown as JsonObject)
  return { proven: proof.verdict === 'proven', findings: findingsText(proof), proof: proof as unknown as JsonObject }
}

// Under one name: `run.started` of a proof is not the `run.started` of the run.
export function stepOf({ type, data }: ShownProgress): JsonObject {
  return { step: type, ...(data as unknown as JsonObject) }
}

function termsOf(text: string, owned: string[] | null): ProofTerms {
  return {
    brief: null,
    command: { text, kind: 'red-green', timeout_s: 600, network: false, repeat: 1, hang_is_red: false, sabotage: null },
    scope: { owned, allow_tests: [], allow_judges: [], allow_dependencies: false, destructive: [] },
    gates: [],
  }
}

/** F-27: findings as data, never what stands in protected files. */
function findingsText({ verdict, causes, findings, runs }: Proof): string {
  const open = findings.filter(({ severity, accepted }) => severity !== 'info' && accepted === undefined)
  const lines = [
    ...runs.map(({ name, n, exit, reason }) => `- run ${name} ${n}: ${exit === null ? (reason ?? 'no exit code') : `exit ${exit}`}`),
    ...open.map(({ id, path, line, hint, measured }) => {
      const place = path === undefined ? '' : ` ${path}${line === undefined ? '' : `:${line}`}`
      return `- ${id}${place}: ${hint}${measured === undefined ? '' : ` (measured: ${measured})`}`
    }),
  ]
  return [
    `Your work was judged in a clean checkout: ${verdict === 'proven' ? 'proven' : `not proven (${causes.join(', ')})`}.`,
    ...(lines.length > 0 ? [asData(lines.join('\n'), 'proof')] : []),
    'Mend this and say done again.',
  ].join('\n')
}
