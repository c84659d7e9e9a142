import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'
import { timestamp } from '../kernel/clock.ts'
import { ActorNotPerson, InvalidInput } from '../kernel/errors.ts'
import { shellWord } from '../kernel/shell-word.ts'
import { findRepository } from '../project/root.ts'
import { Proof } from '../proof/proof.ts'
import { proofAsMarkdown } from '../proof/report/markdown.ts'
import { proofForPerson } from '../proof/report/person.ts'
import { proofAsSarif } from '../proof/report/sarif.ts'
import type { ProofTerms } from '../proof/terms.ts'
import { fileError } from '../store/files.ts'
import { callerName } from './caller-name.ts'
import { operation } from './operation.ts'
import { ownedPatterns } from './owned-patterns.ts'
import { proofShown, type ShownProgress, shown, Tails } from './proof-progress.ts'

const pattern = () => z.string().min(1).max(1000)
const file = () => z.string().min(1)

const RunInput = z.strictObject({
  argv: z.array(z.string()).default([]).describe('The verify command, after --; one word is shell text'),
  command: z.string().min(1).max(2000).optional().describe('The verify command as shell text'),
  base: z.string().optional().describe('The commit before the work; else where this branch left its upstream, else HEAD'),
  result: z.string().optional().describe('The commit with the work; else the working tree as it is'),
  scope: z.array(pattern()).default([]).describe('Patterns or folders that the work had to stay in'),
  guard: z.boolean().default(false).describe('The command was green before and must stay green'),
  allow_test_change: z.boolean().default(false).describe('Existing tests may change'),
  allow_judge_change: z.boolean().default(false).describe('Test config, scripts and CI may change'),
  allow_dependency_change: z.boolean().default(false).describe('Dependencies and lock files may change'),
  allow_tests: z.array(pattern()).default([]).describe('Existing tests that may change'),
  allow_judges: z.array(pattern()).default([]).describe('Other protected files that may change'),
  sabotage: z.array(pattern()).default([]).describe('Files that are emptied to see whether the command notices'),
  gate: z.array(z.string().min(1)).default([]).describe('Gates that must pass: codeaudit, secaudit, or of proof.gates'),
  timeout: z.int().min(1).max(3600).default(600).describe('Most seconds of one run'),
  network: z.boolean().default(false).describe('Let the command use the network'),
  repeat: z.int().min(1).max(5).default(1).describe('Times that it must be green on the result'),
  hang_is_red: z.boolean().default(false).describe('A time-out before the work counts as red'),
  vary: z.boolean().default(false).describe('Run also in another time zone, locale and year'),
  accept: z.array(z.string().min(1)).default([]).describe('Review findings that you accept'),
  reason: z.string().min(1).max(1000).optional().describe('Why you accept them'),
  keep: z.boolean().default(false).describe('Leave the clean checkouts for a look'),
  store: z.boolean().default(true).describe('Keep bundle, ref and note; without it nothing is written and the envelope is printed'),
  also: z
    .array(z.enum(['test-result']))
    .default([])
    .describe('Further attestations beside the proof'),
  sarif: file().optional().describe('Also write a SARIF file'),
  markdown: file().optional().describe('Also write a Markdown report'),
})
type RunInput = z.output<typeof RunInput>

/** What a proof is worth as an exit code: only review findings stand in the way, nothing could be measured, or not proven. */
function exitOf({ verdict, causes }: Proof): number {
  if (verdict === 'proven') return 0
  if (causes.includes('environment') || causes.includes('interrupted')) return 9
  return causes.every(cause => cause === 'review') ? 5 : 6
}

/** `qed prove` */
export const run = operation({
  name: 'proof.run',
  summary: 'Prove the work: red before, green after, in clean checkouts, with nothing weakened',
  when: 'Use after work is done, to learn whether it really is; findings say what to mend.',
  effect: 'execute',
  mcp: 'full',
  long: true,
  streams: true,
  progress: true,
  exitCodes: [4, 5, 6, 9],
  positional: ['argv'],
  input: RunInput,
  output: () => Proof().extend({ envelope: z.string().optional() }),
  examples: [
    'prove -- npm test',
    "prove --base main --scope 'src/**' -- make check",
    'prove --guard -- pytest -q',
    'prove --json --sarif findings.sarif -- npm test',
  ],
  exitCode: exitOf,
  run: async (app, input, call) => {
    const acceptances = acceptancesOf(input, { by: callerName(app.env), at: timestamp(app.clock) })
    if (acceptances.length > 0 && call.caller.role !== 'person') throw new ActorNotPerson('--accept', 'qed proof accept')
    const tails = new Tails()
    const proofs = await app.proofs()
    const { proof, lines } = await proofs.run({
      base: input.base,
      result: input.result,
      terms: termsOf(input, findRepository(app.cwd) ?? app.cwd),
      acceptances,
      keep: input.keep,
      store: input.store,
      alsoTestResult: input.also.includes('test-result'),
      vary: input.vary,
      signal: call.signal,
      progress: event => {
        tails.take(event)
        void call.emit?.(shown(event))
      },
    })
    const tail = tails.worst(proof)
    if (tail) await call.emit?.(tail)
    if (input.sarif !== undefined) writeReport(resolve(app.cwd, input.sarif), `${JSON.stringify(proofAsSarif(proof), null, 2)}\n`)
    if (input.markdown !== undefined) writeReport(resolve(app.cwd, input.markdown), proofAsMarkdown(proof))
    return input.store ? proof : { ...proof, envelope: lines.join('\n') }
  },
  human: ({ envelope, ...proof }, paint) =>
    envelope === undefined ? proofForPerson(proof, paint) : `${proofForPerson(proof, paint)}\n\n${envelope}`,
  view: paint => ({ take: event => proofShown(event as ShownProgress, paint) }),
})

function termsOf(input: RunInput, root: string): ProofTerms {
  return {
    brief: null,
    command: {
      text: commandText(input),
      kind: input.guard ? 'guard' : 'red-green',
      timeout_s: input.timeout,
      network: input.network,
      repeat: input.repeat,
      hang_is_red: input.hang_is_red,
      sabotage: input.sabotage.length > 0 ? input.sabotage : null,
    },
    scope: {
      owned: input.scope.length > 0 ? ownedPatterns(root, input.scope) : null,
      allow_tests: input.allow_test_change ? EVERYTHING : input.allow_tests,
      allow_judges: input.allow_judge_change ? EVERYTHING : input.allow_judges,
      allow_dependencies: input.allow_dependency_change,
      destructive: [],
    },
    gates: input.gate,
  }
}

const EVERYTHING = ['**']

/** One word is shell text; several are the words of one command. */
function commandText({ argv, command }: RunInput): string {
  if ((command === undefined) === (argv.length === 0)) {
    throw new InvalidInput('The proof', [{ path: '/command', message: 'give one verify command: qed prove -- npm test' }])
  }
  return command ?? (argv.length === 1 ? (argv[0] ?? '') : argv.map(shellWord).join(' '))
}

function acceptancesOf({ accept, reason }: RunInput, { by, at }: { by: string; at: string }) {
  if (accept.length === 0) return []
  if (reason === undefined) throw new InvalidInput('The proof', [{ path: '/reason', message: 'say why you accept it: --reason "…"' }])
  return accept.map(finding => ({ finding, by, role: 'person' as const, at, reason }))
}

function writeReport(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw fileError(error, path)
  }
}
