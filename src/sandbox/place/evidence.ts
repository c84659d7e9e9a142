import { closeSync, fstatSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../kernel/sha256.ts'
import type { IsSensitive } from '../isolation/sensitive.ts'
import { isPlainFolder } from '../paths.ts'
import { openPlain } from '../snapshot/inside.ts'

/** One file that a worker left as evidence, with every secret taken out. */
export interface Artefact {
  /** From the evidence folder on. */
  path: string
  content: Buffer
  /** Of the redacted content. */
  sha256: string
  /** Whether something had to be taken out. */
  redacted: boolean
}

export interface EvidenceOptions {
  /** Takes out what looks like a secret and the values that were handed out. */
  redact: (text: string) => string
  isSensitive: IsSensitive
  limits?: EvidenceLimits
}

interface EvidenceLimits {
  files: number
  fileBytes: number
  totalBytes: number
}

export type NotTaken = 'too-big' | 'over-total' | 'too-many' | 'sensitive' | 'not-a-file' | 'unreadable'

const LIMITS: EvidenceLimits = { files: 1000, fileBytes: 8 << 20, totalBytes: 64 << 20 }
const FOLDER = 'evidence'

/** Hands the files in the scratch folder's `evidence` to a caller, one after the other, redacted. Never goes through a link: the
 *  worker wrote the folder, and it may still be at it. Says what it did not take. */
export async function takeEvidence(
  scratch: string,
  { redact, isSensitive, limits = LIMITS }: EvidenceOptions,
  take: (artefact: Artefact) => Promise<void> | void,
): Promise<{ path: string; reason: NotTaken }[]> {
  const left: { path: string; reason: NotTaken }[] = []
  let [taken, total] = [0, 0]
  for (const path of filesBelow(scratch, left, limits.files * 10)) {
    const name = path.slice(FOLDER.length + 1)
    const found = isSensitive(join(scratch, path)) ? 'sensitive' : read(scratch, path, limits.fileBytes)
    const reason =
      typeof found === 'string'
        ? found
        : taken >= limits.files
          ? 'too-many'
          : total + found.length > limits.totalBytes
            ? 'over-total'
            : null
    if (typeof found === 'string' || reason !== null) {
      left.push({ path: name, reason: reason ?? 'unreadable' })
      continue
    }
    taken++
    total += found.length
    const content = redactBytes(found, redact)
    await take({ path: redact(name), content, sha256: sha256(content), redacted: !content.equals(found) })
  }
  return left
}

function read(root: string, path: string, most: number): Buffer | NotTaken {
  try {
    if (!lstatSync(join(root, path)).isFile()) return 'not-a-file'
    const file = openPlain(root, path)
    try {
      return fstatSync(file).size > most ? 'too-big' : readFileSync(file)
    } finally {
      closeSync(file)
    }
  } catch {
    return 'unreadable'
  }
}

// What is no text is read byte by character, which loses nothing on the way back.
function redactBytes(content: Buffer, redact: (text: string) => string): Buffer {
  const text = content.toString('utf8')
  return Buffer.from(text, 'utf8').equals(content)
    ? Buffer.from(redact(text), 'utf8')
    : Buffer.from(redact(content.toString('latin1')), 'latin1')
}

function filesBelow(scratch: string, left: { path: string; reason: NotTaken }[], most: number): string[] {
  const files: string[] = []
  const open = isPlainFolder(scratch, FOLDER) ? [FOLDER] : []
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    try {
      for (const entry of readdirSync(join(scratch, folder), { withFileTypes: true })) {
        const path = `${folder}/${entry.name}`
        if (entry.isDirectory()) open.push(path)
        else files.push(path)
      }
    } catch {
      left.push({ path: folder.slice(FOLDER.length + 1), reason: 'unreadable' })
    }
    if (files.length > most) break
  }
  return files.sort()
}
