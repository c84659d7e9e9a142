import * as z from 'zod'
import { parseJson } from '../../kernel/json.ts'

const LEFT_OUT_REASONS = ['too-big', 'over-total', 'sensitive', 'secret', 'git-data', 'not-a-file', 'unreadable'] as const
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number]

/** What a tree cannot hold, or must not: it stands in the message of the snapshot's commit. */
export const Manifest = () =>
  z.strictObject({
    version: z.literal(1),
    run: z.string(),
    base: z.string().nullable(),
    reason: z.string(),
    at: z.string(),
    left_out: z.array(z.strictObject({ path: z.string(), reason: z.enum(LEFT_OUT_REASONS), size: z.int() })),
    /** Permissions other than 644 and 755, in octal. */
    modes: z.record(z.string(), z.string()),
    empty_folders: z.array(z.string()),
    scratch: z.string().nullable(),
    /** The prepared layer of the place: not part of the work. */
    layer: z.array(z.string()).default([]),
  })
export type Manifest = z.infer<ReturnType<typeof Manifest>>

export function snapshotMessage(n: number, manifest: Manifest): string {
  return `QED snapshot ${n} of ${manifest.run}: ${manifest.reason}\n\n${JSON.stringify(manifest)}\n`
}

/** The manifest in a commit's message; null where it is no snapshot of ours. */
export function readManifest(message: string): Manifest | null {
  const json = message.slice(message.indexOf('\n\n') + 2)
  const parsed = Manifest().safeParse(parseJson(json))
  return parsed.success ? parsed.data : null
}
