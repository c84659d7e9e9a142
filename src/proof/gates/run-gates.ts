import { canonicalJson } from '../../kernel/json.ts'
import type { GateFact } from '../facts.ts'
import type { GateDefinition } from '../terms.ts'
import type { Audit } from './audit.ts'
import { type BuiltinGate, isBuiltinGate } from './builtin.ts'
import { type GateRun, scoreGate } from './score-gate.ts'

export interface GateParts {
  /** Names of the gates that must pass. */
  required: readonly string[]
  /** Definitions of the base; only these are run. */
  base: readonly GateDefinition[]
  /** Definitions of the result, to see whether the work changed one; null where its settings cannot be read. */
  result: readonly GateDefinition[] | null
  /** Runs a command in a proof place of its own on the produced tree. */
  runGate: (definition: GateDefinition & { command: string }) => Promise<GateRun>
  audit: (gate: BuiltinGate) => Audit
}

/** F-22: measures every required gate, each by its definition in the base. One that the base does not define is `missing`. */
export async function runGates(parts: GateParts): Promise<GateFact[]> {
  const facts: GateFact[] = []
  for (const name of new Set(parts.required)) facts.push(await runOne(name, parts))
  return facts
}

async function runOne(name: string, { base, result, runGate, audit }: GateParts): Promise<GateFact> {
  const [before, now] = [base, result ?? []].map(definitions => definitions.find(gate => gate.name === name))
  const changed = canonicalJson(before ?? null) !== canonicalJson(now ?? null)
  if (!before) return { definition: now ?? unknown(name), changed, ...NOTHING, outcome: 'missing' }
  if (before.command === undefined) {
    if (!isBuiltinGate(name)) return { definition: before, changed, ...NOTHING, outcome: 'missing' }
    return { definition: before, changed, outcome: 'scored', ...audit(name), output: null }
  }
  const run = await runGate({ ...before, command: before.command })
  return { definition: before, changed, ...scoreGate(before, run), output: run.stdout }
}

const NOTHING = { score: 0, critical: [], findings: [], output: null }

function unknown(name: string): GateDefinition {
  return { name, score: 'exit', threshold: 100, timeout_s: 600, network: false }
}
