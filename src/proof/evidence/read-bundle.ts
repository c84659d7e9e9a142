import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256 } from '../../kernel/sha256.ts'
import { isErrno } from '../../store/files.ts'
import { Proof } from '../proof.ts'
import { strictJson } from '../strict-json.ts'
import { ATTESTATION, MANIFEST, type Manifest } from './bundle.ts'

export type EvidenceCheck = { kind: 'sound'; files: number } | { kind: 'absent' } | { kind: 'different'; path: string; reason: string }

const MOST_MANIFEST_BYTES = 16 << 20
const ManifestFile = () => z.record(z.string(), z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().nonnegative() }))

/** Whether every file of a bundle is what was signed, and no other file is there. Never throws; names the first difference. */
export function checkBundle(folder: string, digest: string): EvidenceCheck {
  try {
    if (!isFolder(folder)) return { kind: 'absent' }
    const manifest = readManifest(folder)
    if ('reason' in manifest) return { kind: 'different', path: MANIFEST, reason: manifest.reason }
    if (manifest.digest !== digest)
      return { kind: 'different', path: MANIFEST, reason: `it has the digest ${manifest.digest}, not ${digest}` }
    return firstDifference(folder, manifest.files) ?? { kind: 'sound', files: Object.keys(manifest.files).length }
  } catch (error) {
    return { kind: 'different', path: '', reason: `it cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function firstDifference(folder: string, files: Manifest): EvidenceCheck | null {
  const present = listFiles(folder, '')
  const odd = present.find(({ path, isFile }) => !isFile || !(Object.hasOwn(files, path) || path === MANIFEST || path === ATTESTATION))
  if (odd) return { kind: 'different', path: odd.path, reason: odd.isFile ? 'it is not in the manifest' : 'it is not an ordinary file' }
  const names = new Set(present.map(({ path }) => path))
  for (const [path, wanted] of Object.entries(files)) {
    if (!names.has(path)) return { kind: 'different', path, reason: 'it is missing' }
    const bytes = readFileSync(join(folder, path))
    if (bytes.length !== wanted.size) return { kind: 'different', path, reason: `it has ${bytes.length} bytes, not ${wanted.size}` }
    if (sha256(bytes) !== wanted.sha256) return { kind: 'different', path, reason: 'its content has another digest' }
  }
  return null
}

function readManifest(folder: string): { files: Manifest; digest: string } | { reason: string } {
  const file = join(folder, MANIFEST)
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat?.isFile()) return { reason: 'it is missing' }
  if (stat.size > MOST_MANIFEST_BYTES) return { reason: 'it is too large' }
  const bytes = readFileSync(file)
  const json = strictJson(bytes.toString('utf8'))
  const parsed = ManifestFile().safeParse(json.kind === 'json' ? json.value : undefined)
  return parsed.success ? { files: parsed.data, digest: sha256(bytes) } : { reason: 'it is not a manifest' }
}

// Only what is found here is ever opened, so a manifest cannot point out of its folder, nor a link.
function listFiles(folder: string, below: string): { path: string; isFile: boolean }[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap(entry => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    return entry.isDirectory() ? listFiles(folder, path) : [{ path, isFile: entry.isFile() }]
  })
}

/** Every file of a bundle but manifest and attestation. */
export function readFiles(folder: string): Map<string, string> {
  const named = listFiles(folder, '').filter(({ path, isFile }) => isFile && path !== MANIFEST && path !== ATTESTATION)
  return new Map(named.map(({ path }) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** What a bundle says was proven; null where there is none or it cannot be read. Says nothing about whether it was changed. */
export function readProof(folder: string): Proof | null {
  try {
    const json = strictJson(readFileSync(join(folder, 'proof.json'), 'utf8'))
    const parsed = Proof().safeParse(json.kind === 'json' ? json.value : undefined)
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** The attestation of a bundle as text; null where there is none. */
export function readAttestation(folder: string): string | null {
  try {
    return readFileSync(join(folder, ATTESTATION), 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** The bundle among these that holds this line, or else whose manifest has this digest: only one of both may have been changed. */
export function findBundle(proofs: string, wanted: { line: string; manifest: string }): string | null {
  if (!isFolder(proofs)) return null
  const folders = readdirSync(proofs, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !entry.name.endsWith('.tmp'))
    .map(entry => join(proofs, entry.name))
  const holds = (folder: string): boolean => readAttestation(folder)?.split('\n').includes(wanted.line) ?? false
  const matches = (folder: string): boolean => {
    const manifest = readManifest(folder)
    return 'digest' in manifest && manifest.digest === wanted.manifest
  }
  return folders.find(holds) ?? folders.find(matches) ?? null
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
