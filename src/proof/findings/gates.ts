import { gatePassed } from '../judges/gate-passed.ts'
import { type FindingRule, finding } from './rule.ts'

/** Only required gates stand in the way; `said` is the gate, because a finding has no other place for it. */
const required: FindingRule = ({ terms, gates }) =>
  [...new Set(terms.gates)].flatMap(name => {
    const gate = gates.find(one => one.definition.name === name)
    if (gate === undefined || gate.outcome === 'missing') return [finding('gate.missing', { said: name })]
    const changed = gate.changed ? [finding('gate.changed', { said: name })] : []
    if (gatePassed(gate)) return changed
    const why = gate.outcome === 'failed' ? 'no score' : (gate.critical[0] ?? `${gate.score} of ${gate.definition.threshold}`)
    return [...changed, finding('gate.failed', { said: name, measured: why })]
  })

export const GATE_RULES: readonly FindingRule[] = [required]
