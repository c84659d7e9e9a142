import { createHash } from 'node:crypto'
import { canonicalJson } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import type { Git } from '../../sandbox/git/git.ts'
import { readBlobs, type TreeEntry } from '../../sandbox/git/tree.ts'
import { matchesAny } from '../judges/matching.ts'
import { MANIFESTS, PREPARE_ROWS } from './commands.ts'

/** What preparation depends on. */
export interface PrepareInputs {
  /** Lock and manifest files by path → SHA-256. */
  digests: Record<string, string>
  /** Lock files at the root by name → text; a huge one is not empty, and that is all that is asked of its text. */
  locks: Map<string, string>
}

const isManifest = matchesAny(MANIFESTS, { nameAnywhere: true })
const MOST_LOCK_BYTES = 1 << 20

export async function readInputs(git: Git, entries: ReadonlyMap<string, TreeEntry>): Promise<PrepareInputs> {
  const files = [...entries.values()].filter(
    ({ path, mode }) => mode.startsWith('100') && isManifest(path) && !/(^|\/)node_modules\//.test(path),
  )
  const locks = files.filter(({ path }) => PREPARE_ROWS.some(({ lock }) => lock === path))
  const blobs = await digestBlobs(git, [...new Set(files.map(({ oid }) => oid))])
  return {
    digests: Object.fromEntries(
      files.map(({ path, oid }) => [path, blobs.get(oid)?.sha256 ?? '']).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
    locks: new Map(locks.map(({ path, oid }) => [path, blobs.get(oid)?.text ?? ''])),
  }
}

export interface LayerKey {
  command: string
  inputs: Record<string, string>
  tools: { name: string; version: string }[]
}

/** F-8: equal keys are equal layers. */
export function layerKey({ command, inputs, tools }: LayerKey): string {
  return sha256(canonicalJson({ command, inputs, tools, os: process.platform, arch: process.arch }))
}

async function digestBlobs(git: Git, oids: string[]): Promise<Map<string, { sha256: string; text: string }>> {
  const found = new Map<string, { sha256: string; text: string }>()
  let current = { oid: '', hash: createHash('sha256'), head: [] as Buffer[], size: 0 }
  await readBlobs(git, oids, {
    begin: oid => {
      current = { oid, hash: createHash('sha256'), head: [], size: 0 }
    },
    data: chunk => {
      current.hash.update(chunk)
      if (current.size < MOST_LOCK_BYTES) current.head.push(chunk)
      current.size += chunk.length
    },
    end: () => void found.set(current.oid, { sha256: current.hash.digest('hex'), text: Buffer.concat(current.head).toString('utf8') }),
  })
  return found
}
