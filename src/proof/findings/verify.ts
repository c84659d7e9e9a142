import type { RunFact } from '../facts.ts'
import { namedScripts } from '../judges/named-scripts.ts'
import { colourOf, runsOf } from '../judges/run-colour.ts'
import { scriptFault, verifyCommandFault } from '../judges/verify-command.ts'
import { type FindingRule, finding } from './rule.ts'

/** F-21 once more: what was refused when it was planned is refused when it is proven. */
const command: FindingRule = facts => {
  const { text } = facts.terms.command
  const fault = verifyCommandFault(text)
  const texts = new Map(facts.changes.flatMap(({ path, after }) => (typeof after?.text === 'string' ? [[path, after.text]] : [])))
  const scripts = facts.verify_scripts ?? namedScripts(text, path => texts.get(path) ?? null)
  return [
    ...(fault ? [finding(fault.id, { measured: fault.why })] : []),
    ...scripts.flatMap(script => {
      const hidden = scriptFault(script)
      return hidden ? [finding(hidden.id, { path: script.path, measured: `${script.name}: ${hidden.why}` })] : []
    }),
  ]
}

/** What must be red or green before the work, and is not. */
const before: FindingRule = ({ terms, runs }) => {
  const { kind, hang_is_red } = terms.command
  const isColour = (name: RunFact['name'], colour: string): boolean =>
    runsOf(runs, name).some(run => colourOf(run, { hang_is_red }) === colour)
  return [
    ...(kind === 'red-green' && isColour('base', 'green') ? [finding('verify.green-on-base')] : []),
    ...(kind === 'guard' && isColour('base', 'red') ? [finding('verify.guard-red')] : []),
    ...(isColour('half', 'green') ? [finding('verify.half-green')] : []),
    ...(isColour('broken', 'green') ? [finding('verify.insensitive', kind === 'guard' ? {} : { severity: 'review' })] : []),
  ]
}

const result: FindingRule = ({ terms, runs }) => {
  const results = runsOf(runs, 'result')
  const colours = new Set(results.map(run => colourOf(run, terms.command)))
  const red = results.filter(run => colourOf(run, terms.command) === 'red')
  return [
    ...red.map(redFinding),
    ...(colours.has('red') && colours.has('green')
      ? [finding('verify.flaky', { measured: `${red.length} of ${results.length} runs red` })]
      : []),
    ...(results.some(run => run.tests?.ran === 0) ? [finding('verify.no-tests')] : []),
  ]
}

function redFinding(run: RunFact): ReturnType<FindingRule>[number] {
  if (run.reason === 'timeout' || run.reason === 'silent')
    return finding('verify.timeout', { measured: `${Math.round(run.duration_ms)} ms` })
  if (run.reason === 'output-limit') return finding('verify.output-flood', { measured: `${run.stdout.bytes + run.stderr.bytes} bytes` })
  return finding('verify.red', { measured: run.signal === null ? `exit ${run.exit}` : `signal ${run.signal}` })
}

/** F-12, F-14, F-15: what was not measured, and why. */
const notMeasured: FindingRule = ({ terms, runs, plan }) => [
  ...runs
    .filter(run => colourOf(run, terms.command) === 'not-run')
    .map(run => finding('verify.not-run', { measured: `${run.name}: ${run.reason === 'exited' ? `exit ${run.exit}` : run.reason}` })),
  ...plan.skipped.flatMap(({ name, why }) => {
    if (name === 'half' && why === 'tests-inside-code') return [finding('verify.half-skipped')]
    return why === 'tests-inside-code'
      ? []
      : [
          finding('verify.insensitive', {
            severity: 'review',
            measured: why,
            hint: 'Nothing could be emptied to see whether the command looks at it. Name sabotage files, or look at it yourself.',
          }),
        ]
  }),
]

/** Known counts on a green base and on the result. */
const countFell: FindingRule = ({ terms, runs }) => {
  const counts = runsOf(runs, 'base').flatMap(run => (colourOf(run, terms.command) === 'green' && run.tests ? [run.tests.ran] : []))
  const now = runsOf(runs, 'result').flatMap(run => (run.tests ? [run.tests.ran] : []))
  const [before, after] = [Math.max(0, ...counts), Math.min(...now)]
  return counts.length > 0 && now.length > 0 && after < before ? [finding('test.count-fell', { measured: `${before} → ${after}` })] : []
}

export const VERIFY_RULES: readonly FindingRule[] = [command, before, result, notMeasured, countFell]
