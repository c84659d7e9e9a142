import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'
import { timestamp } from '../kernel/clock.ts'
import { InvalidInput, Usage } from '../kernel/errors.ts'
import { CHECK_OUTCOMES } from '../proof/check/outcomes.ts'
import { Requirements } from '../proof/check/require.ts'
import { Proof } from '../proof/proof.ts'
import { proofAsMarkdown } from '../proof/report/markdown.ts'
import { checkForPerson, proofForPerson } from '../proof/report/person.ts'
import { proofAsSarif } from '../proof/report/sarif.ts'
import type { ProofTerms } from '../proof/terms.ts'
import { fileError } from '../store/files.ts'
import { operation } from './operation.ts'
import { progressLine, type ShownProgress, shown } from './proof-progress.ts'

const pattern = () => z.string().min(1).max(1000)
const file = () => z.string().min(1)

const RunInput = z.strictObject({
  argv: z.array(z.string()).default([]).describe('The verify command, after --; one word is shell text'),
  command: z.string().min(1).max(2000).optional().describe('The verify command as shell text'),
  base: z.string().optional().describe('What was there before the work; default: where this branch left its upstream'),
  result: z.string().optional().describe('The work; default: the working tree as it is'),
  scope: z.array(pattern()).default([]).describe('Patterns that the work had to stay in'),
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
  store: z.boolean().default(true).describe('Keep bundle, ref and note; --no-store only prints the envelope'),
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

const run = operation({
  name: 'proof.run',
  summary: 'Prove the work: red before, green after, in clean checkouts, with nothing weakened',
  when: 'Use after work is done, to learn whether it really is; findings say what to mend.',
  effect: 'execute',
  mcp: 'full',
  long: true,
  streams: true,
  progress: true,
  exitCodes: [5, 6, 9],
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
    if (acceptances.length > 0 && call.caller.role === 'agent')
      throw new Usage('A review finding is accepted by a person, not by an agent.')
    const proofs = await app.proofs()
    const { proof, lines } = await proofs.run({
      base: input.base,
      result: input.result,
      terms: termsOf(input),
      acceptances,
      keep: input.keep,
      store: input.store,
      alsoTestResult: input.also.includes('test-result'),
      vary: input.vary,
      signal: call.signal,
      progress: event => void call.emit(shown(event)),
    })
    if (input.sarif !== undefined) writeReport(resolve(app.cwd, input.sarif), `${JSON.stringify(proofAsSarif(proof), null, 2)}\n`)
    if (input.markdown !== undefined) writeReport(resolve(app.cwd, input.markdown), proofAsMarkdown(proof))
    return input.store ? proof : { ...proof, envelope: lines.join('\n') }
  },
  human: ({ envelope, ...proof }, paint) =>
    envelope === undefined ? proofForPerson(proof, paint) : `${proofForPerson(proof, paint)}\n\n${envelope}`,
  humanEvent: (event, paint) => progressLine(event as ShownProgress, paint),
})

const show = operation({
  name: 'proof.show',
  summary: 'One proof: verdict, runs, findings and where the evidence is',
  when: 'Use to read the findings of an earlier proof.',
  effect: 'read',
  mcp: 'full',
  exitCodes: [3],
  positional: ['proof'],
  input: z.strictObject({
    proof: z.string().min(1).describe('Id of a proof, or a commit or tree'),
    format: z.enum(['json', 'md', 'sarif']).default('json').describe('Form of the answer'),
  }),
  output: () => z.union([Proof(), z.strictObject({ text: z.string() }), z.looseObject({ version: z.string(), runs: z.array(z.json()) })]),
  examples: ['proof show HEAD', 'proof show HEAD --format md'],
  run: async (app, { proof: name, format }) => {
    const { proof } = await (await app.proofs()).find(name)
    if (format === 'md') return { text: proofAsMarkdown(proof) }
    return format === 'sarif' ? (proofAsSarif(proof) as { version: string; runs: z.core.util.JSONType[] }) : proof
  },
  human: (output, paint) => {
    if ('text' in output && typeof output.text === 'string') return output.text
    return 'verdict' in output ? proofForPerson(output as Proof, paint) : JSON.stringify(output, null, 2)
  },
})

const list = operation({
  name: 'proof.list',
  summary: 'Proofs of this repository, newest first',
  when: 'Use to find the id of an earlier proof.',
  effect: 'read',
  mcp: 'full',
  input: z.strictObject({ limit: z.int().positive().max(1000).default(50).describe('Most that are listed') }),
  output: () =>
    z.strictObject({
      items: z.array(
        z.strictObject({
          proof_id: z.string(),
          verdict: z.string(),
          causes: z.array(z.string()),
          command: z.string(),
          commit: z.string(),
          tree: z.string(),
          ended_at: z.string(),
        }),
      ),
    }),
  examples: ['proof list'],
  run: async (app, { limit }) => ({
    items: (await app.proofs())
      .list()
      .slice(0, limit)
      .map(({ proof_id, verdict, causes, command, result, ended_at }) => ({
        proof_id,
        verdict,
        causes,
        command: command.text,
        commit: result.commit,
        tree: result.tree,
        ended_at,
      })),
  }),
})

const check = operation({
  name: 'proof.check',
  summary: 'Whether an attestation is valid for a commit, a tree or the files here',
  when: 'Use before relying on work that someone says is proven.',
  effect: 'execute',
  mcp: 'full',
  long: true,
  exitCodes: [3, 4, 6, 9],
  positional: ['target'],
  input: z.strictObject({
    target: z.string().min(1).default('.').describe('A commit, a tree, . for the files here, an envelope file or a bundle'),
    trust: z.string().optional().describe('Believe the keys of this file and no others'),
    require: Requirements().optional().describe('What must hold besides: {"isolation":"bubblewrap","gates":["secaudit"]}'),
    rerun: z.boolean().default(false).describe('Run the command once more'),
  }),
  output: () =>
    z.strictObject({
      outcome: z.enum(Object.keys(CHECK_OUTCOMES) as [keyof typeof CHECK_OUTCOMES]),
      exit: z.int(),
      step: z.string().nullable(),
      reason: z.string(),
      target: z.strictObject({ name: z.string(), commit: z.string().nullable(), tree: z.string().nullable() }),
      proven: z.strictObject({ commit: z.string(), tree: z.string() }).nullable(),
      changed: z.array(z.string()),
      signer: z.strictObject({ keyid: z.string(), name: z.string().nullable() }).nullable(),
      evidence: z.string(),
      log: z.string(),
      statement: z.record(z.string(), z.json()).nullable(),
    }),
  examples: ['proof check .', 'proof check HEAD --rerun', 'proof check HEAD --require \'{"isolation":"bubblewrap"}\''],
  exitCode: ({ exit }) => exit,
  run: async (app, { target, trust, require: required, rerun }, { signal }) => {
    const path = trust === undefined ? {} : { trust: resolve(app.cwd, trust) }
    const checked = await (await app.proofs()).check({ target, rerun, signal, ...path, ...(required && { require: required }) })
    return {
      ...checked,
      statement: checked.statement && (JSON.parse(JSON.stringify(checked.statement)) as Record<string, z.core.util.JSONType>),
    }
  },
  human: (output, paint) => checkForPerson(output as Parameters<typeof checkForPerson>[0], paint),
})

const accept = operation({
  name: 'proof.accept',
  summary: 'Accept a review finding of work of someone else, with a reason that is signed',
  effect: 'write',
  personOnly: true,
  mcp: 'never',
  exitCodes: [3, 4, 8],
  positional: ['proof', 'finding'],
  input: z.strictObject({
    proof: z.string().min(1).describe('Id of a proof, or a commit or tree'),
    finding: z.string().min(1).describe('Name of the finding, such as blob.binary'),
    path: z.string().optional().describe('Only the finding at this path'),
    reason: z.string().min(1).max(1000).describe('Why it is fine'),
  }),
  output: Proof,
  examples: ['proof accept HEAD blob.binary --reason "the logo of the new page"'],
  run: async (app, { proof, finding, path, reason }) =>
    (await app.proofs()).accept(proof, { finding, path, reason, by: callerName(app.env) }),
  human: proofForPerson,
})

const key = operation({
  name: 'proof.key',
  summary: 'The public key that proofs are signed with here',
  when: 'Use to give others the key by which they can check proofs of this machine.',
  effect: 'write',
  mcp: 'never',
  exitCodes: [9],
  input: z.strictObject({}),
  output: () => z.strictObject({ keyid: z.string(), public_key: z.string() }),
  examples: ['proof key'],
  run: async app => (await app.proofs()).key(),
  human: ({ keyid, public_key }, paint) => `${paint.dim('keyid')} ${keyid}\n${public_key.trim()}`,
})

const rotate = operation({
  name: 'proof.rotate-key',
  summary: 'Sign with a new key from now on; what the old one signed stays valid',
  effect: 'write',
  personOnly: true,
  mcp: 'never',
  exitCodes: [4, 9],
  input: z.strictObject({}),
  output: () => z.strictObject({ keyid: z.string(), public_key: z.string(), retired: z.string() }),
  examples: ['proof rotate-key'],
  confirm: () => 'Proofs will be signed with a new key. Others must be given it. Go on?',
  run: async app => (await app.proofs()).rotate(),
})

export const operations = [run, show, list, check, accept, key, rotate] as const

function termsOf(input: RunInput): ProofTerms {
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
      owned: input.scope.length > 0 ? input.scope : null,
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
  return command ?? (argv.length === 1 ? (argv[0] ?? '') : argv.map(quoted).join(' '))
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function acceptancesOf({ accept, reason }: RunInput, { by, at }: { by: string; at: string }) {
  if (accept.length === 0) return []
  if (reason === undefined) throw new InvalidInput('The proof', [{ path: '/reason', message: 'say why you accept it: --reason "…"' }])
  return accept.map(finding => ({ finding, by, role: 'person' as const, at, reason }))
}

function callerName(env: Readonly<Record<string, string | undefined>>): string {
  return `person:${env['USER'] || env['LOGNAME'] || 'unknown'}`
}

function writeReport(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw fileError(error, path)
  }
}
