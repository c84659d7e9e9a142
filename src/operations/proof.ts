import { resolve } from 'node:path'
import * as z from 'zod'
import { CHECK_OUTCOMES } from '../proof/check/outcomes.ts'
import { Requirements } from '../proof/check/require.ts'
import { Proof } from '../proof/proof.ts'
import { proofAsMarkdown } from '../proof/report/markdown.ts'
import { checkForPerson, proofForPerson, proofList } from '../proof/report/person.ts'
import { proofAsSarif } from '../proof/report/sarif.ts'
import { callerName } from './caller-name.ts'
import { operation } from './operation.ts'
import { run } from './proof-run.ts'

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
          verdict: Proof().shape.verdict,
          causes: Proof().shape.causes,
          command: z.string(),
          commit: z.string(),
          tree: z.string(),
          ended_at: z.string(),
        }),
      ),
    }),
  examples: ['proof list'],
  human: ({ items }, paint) => proofList(items, paint),
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
