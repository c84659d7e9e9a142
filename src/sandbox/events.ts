import * as z from 'zod'
import type { EventTypes } from '../kernel/event.ts'

/** Stream `sandbox`: what was removed, restored or changed where work is kept. Never a value of the vault. */
export const sandboxEvents: EventTypes = {
  'place.cleaned': () => z.strictObject({ run: z.string(), snapshot: z.string().nullable(), attic: z.string().nullable() }),
  'snapshot.restored': () => z.strictObject({ ref: z.string(), into: z.string(), changes: z.int(), before: z.string().nullable() }),
  'snapshot.dropped': () => z.strictObject({ ref: z.string(), by: z.string() }),
  'kept.expired': () => z.strictObject({ snapshots: z.array(z.string()), backups: z.array(z.string()) }),
  'backup.restored': () => z.strictObject({ backup: z.string(), into: z.string(), files: z.int() }),
  'vault.set': () => z.strictObject({ name: z.string(), scope: z.enum(['project', 'personal']) }),
  'vault.removed': () => z.strictObject({ name: z.string(), scope: z.enum(['project', 'personal']) }),
  'process.ran': () =>
    z.strictObject({ command: z.string(), reason: z.string(), exit: z.int().nullable(), level: z.string(), secrets: z.array(z.string()) }),
}
