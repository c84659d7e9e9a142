import { canonicalJson, type Json } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { redactJson } from '../../policy/secrets/redact.ts'
import type { GateFact, ProofFacts, RunFact } from '../facts.ts'
import type { Proof } from '../proof.ts'

// §8: the files of a bundle, and nothing else. The manifest lists all but itself and the attestation, which names its digest.

export const MANIFEST = 'manifest.json'
export const ATTESTATION = 'attestation.intoto.jsonl'

export type Manifest = Record<string, { sha256: string; size: number }>

export interface BundleInput {
  proof: Proof
  facts: ProofFacts
  /** The brief as it was handed out; null standalone, where the terms take its place. */
  brief: Json
  /** From base to result. */
  diff: string
  /** Null where nobody looked before the work. */
  scope: { before: Json; after: Json } | null
  policy: Json
}

export interface Bundle {
  /** By path inside the bundle, redacted. */
  files: ReadonlyMap<string, string>
  manifest: string
  /** SHA-256 of the manifest, which is what gets signed. */
  digest: string
}

/** Takes secrets out of a text: by shape, and by the values that were in use. The same text again gives the same text. */
export type Redact = (text: string) => string

/** Everything a bundle holds, ready to be written. Pure. */
export function makeBundle(input: BundleInput, redact: Redact): Bundle {
  const { proof, facts, brief, diff, scope, policy } = input
  const json = (value: unknown): string => `${JSON.stringify(redactAll(value, redact), null, 2)}\n`
  const files = new Map<string, string>([
    ['brief.json', json(brief ?? facts.terms)],
    ['proof.json', json(proof)],
    ['findings.json', json({ items: proof.findings })],
    ['diff.patch', redact(diff)],
    ['scope-before.json', json(scope === null ? NOT_MEASURED : scope.before)],
    ['scope-after.json', json(scope === null ? NOT_MEASURED : scope.after)],
    ['environment.json', json(proof.environment)],
    ['policy.json', json(policy)],
    ...facts.runs.flatMap(run => runFiles(run, json, redact)),
    ...facts.gates.flatMap(gate => gateFiles(gate, json, redact)),
  ])
  return bundleOf(files)
}

/** Files with the manifest that names them. */
export function bundleOf(files: ReadonlyMap<string, string>): Bundle {
  const entries = [...files].map(([path, text]) => [path, { sha256: sha256(text), size: Buffer.byteLength(text) }] as const)
  const manifest = `${canonicalJson(Object.fromEntries(entries))}\n`
  return { files, manifest, digest: sha256(manifest) }
}

const NOT_MEASURED = { measured: false, why: 'There was nobody to look before the work.' }

function runFiles(run: RunFact, json: (value: unknown) => string, redact: Redact): [string, string][] {
  const { stdout, stderr, ...facts } = run
  const name = `runs/${fileName(run.name)}-${run.n}`
  const { text: out, ...outFacts } = stdout
  const { text: err, ...errFacts } = stderr
  return [
    [`${name}.json`, json({ ...facts, stdout: outFacts, stderr: errFacts })],
    [`${name}.stdout`, redact(out)],
    [`${name}.stderr`, redact(err)],
  ]
}

function gateFiles({ output, ...gate }: GateFact, json: (value: unknown) => string, redact: Redact): [string, string][] {
  const name = `gates/${fileName(gate.definition.name)}`
  const { text = '', ...facts } = output ?? {}
  return [
    [`${name}.json`, json({ ...gate, output: output && facts })],
    [`${name}.out`, redact(text)],
  ]
}

const MOST_NAME = 100

/** A project chooses the names of its gates; whatever they are, the file stays inside its folder and has a name of its own. */
function fileName(name: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name) && name.length <= MOST_NAME) return name
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MOST_NAME - 17)}-${sha256(name).slice(0, 16)}`
}

/** Every string of a value, keys included. */
export function redactAll<T>(value: T, redact: Redact): T {
  return everyString(redactJson(value), redact) as T
}

function everyString(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map(one => everyString(one, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [redact(key), everyString(member, redact)]))
}
