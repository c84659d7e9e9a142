import { join } from 'node:path'
import type { IsSensitive } from '../isolation/sensitive.ts'
import type { LeftOutReason } from './manifest.ts'
import type { PlaceFile } from './walk.ts'

export interface SnapshotLimits {
  fileBytes: number
  totalBytes: number
}

const SNAPSHOT_LIMITS: SnapshotLimits = { fileBytes: 50 << 20, totalBytes: 200 << 20 }

export interface LeftOut {
  path: string
  reason: LeftOutReason
  size: number
}

export interface Selection {
  /** What goes into git. */
  taken: PlaceFile[]
  leftOut: LeftOut[]
}

/** Which files go into git. What the base holds already may stay there: only a change would bring something new into git. */
export function selectFiles(
  files: readonly PlaceFile[],
  at: { root: string; isSensitive: IsSensitive; unchanged: (file: PlaceFile) => boolean; spent?: number; limits?: SnapshotLimits },
): Selection {
  const limits = at.limits ?? SNAPSHOT_LIMITS
  const out = new Map<string, LeftOutReason>()
  let total = at.spent ?? 0
  // Small ones first: so the fewest files fall to the total.
  for (const file of [...files].sort((a, b) => a.size - b.size || (a.path < b.path ? -1 : 1))) {
    const reason = ownReason(file, at, limits)
    if (reason !== null) out.set(file.path, reason)
    else if (!at.unchanged(file) && (total += file.size) > limits.totalBytes) out.set(file.path, 'over-total')
  }
  return {
    taken: files.filter(file => !out.has(file.path)),
    leftOut: files.flatMap(({ path, size }) => {
      const reason = out.get(path)
      return reason ? [{ path, reason, size }] : []
    }),
  }
}

function ownReason(
  file: PlaceFile,
  at: { root: string; isSensitive: IsSensitive; unchanged: (file: PlaceFile) => boolean },
  limits: { fileBytes: number },
): LeftOutReason | null {
  if (file.kind === 'other') return 'not-a-file'
  if (file.path.split('/').some(part => part.toLowerCase() === '.git')) return 'git-data'
  if (at.unchanged(file)) return null
  if (file.size > limits.fileBytes) return 'too-big'
  return at.isSensitive(join(at.root, file.path)) ? 'sensitive' : null
}

/** The mode that git can hold. */
export function gitMode({ kind, mode }: PlaceFile): string {
  return kind === 'link' ? '120000' : mode & 0o100 ? '100755' : '100644'
}

/** Permissions that git cannot hold, in octal; null where it can. */
export function oddMode({ kind, mode }: PlaceFile): string | null {
  return kind === 'file' && mode !== 0o644 && mode !== 0o755 ? mode.toString(8) : null
}
