import * as z from 'zod'
import type { EventTypes } from '../kernel/event.ts'
import { idSchema } from '../kernel/ids.ts'

/** Stream `project`: what happened to the project as a whole. */
export const projectEvents: EventTypes = {
  'project.initialised': () => z.strictObject({ project: idSchema('prj'), name: z.string(), files: z.array(z.string()) }),
  'config.set': () => z.strictObject({ key: z.string(), scope: z.enum(['project', 'personal']), removed: z.boolean() }),
  'store.compacted': () => z.strictObject({ before: z.int(), after: z.int() }),
  'store.restored': () => z.strictObject({ from: z.string(), events: z.int(), kept: z.string().nullable() }),
  'policy.remembered': () => z.strictObject({ file: z.string(), rules: z.array(z.string()), digest: z.string() }),
  'server.started': () => z.strictObject({ pid: z.int(), port: z.int() }),
  'server.stopped': () => z.strictObject({ pid: z.int() }),
}

/** Stream `person`, in the personal store. */
export const personEvents: EventTypes = {
  'store.made': () => z.strictObject({ path: z.string() }),
  'project.seen': () => z.strictObject({ project: idSchema('prj'), root: z.string() }),
  'config.set': () => z.strictObject({ key: z.string(), scope: z.enum(['project', 'personal']), removed: z.boolean() }),
  'isolation.accepted': () => z.strictObject({ project: idSchema('prj'), missing: z.array(z.string()) }),
  'project.trusted': () => z.strictObject({ project: idSchema('prj'), file: z.string(), digest: z.string() }),
}
