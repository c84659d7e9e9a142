import { colourOf, runsOf } from '../judges/run-colour.ts'
import { type FindingRule, finding } from './rule.ts'

const leftRunning: FindingRule = ({ runs, surroundings }) =>
  [...runs.flatMap(run => run.ended), ...(surroundings?.ended ?? [])].map(measured => finding('proc.left-running', { measured }))

const escaped: FindingRule = ({ runs, surroundings }) =>
  [...runs.flatMap(run => run.escaped), ...(surroundings?.escaped ?? [])].map(measured => finding('proc.escaped', { measured }))

const networkUsed: FindingRule = ({ terms }) => (terms.command.network ? [finding('env.network-used')] : [])

const clockDependence: FindingRule = ({ terms, runs }) => {
  const isColour = (name: 'vary' | 'result', colour: string): boolean =>
    runsOf(runs, name).some(run => colourOf(run, terms.command) === colour)
  return isColour('vary', 'red') && isColour('result', 'green') ? [finding('env.clock-dependence')] : []
}

const isolationWeak: FindingRule = ({ runs }) =>
  [...new Set(runs.flatMap(run => run.isolation.degraded ?? []))].map(measured => finding('env.isolation-weak', { measured }))

export const PROCESS_RULES: readonly FindingRule[] = [leftRunning, escaped, networkUsed, clockDependence, isolationWeak]
