import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../../kernel/json.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { ProbeAnswer } from './probe.ts'

/** A probe holds for one boot of the machine, one version of bubblewrap and one user. */
export interface ProbeKey {
  boot: string
  version: string
  user: number
}

const Kept = () =>
  z.strictObject({
    key: z.strictObject({ boot: z.string(), version: z.string(), user: z.int() }),
    at: z.string(),
    answer: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('checked'), checks: z.record(z.string(), z.enum(['pass', 'fail', 'skipped'])) }),
      z.strictObject({ kind: z.literal('failed'), message: z.string() }),
    ]),
  })

export interface KeptProbe {
  at: string
  answer: ProbeAnswer
}

export function probeKey(version: string): ProbeKey {
  const boot = readFileIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown'
  return { boot, version, user: process.getuid?.() ?? -1 }
}

export function readProbe(state: string, key: ProbeKey): KeptProbe | null {
  const parsed = Kept().safeParse(parseJson(readFileIfThere(fileIn(state)) ?? ''))
  if (!parsed.success) return null
  const kept = parsed.data.key
  return kept.boot === key.boot && kept.version === key.version && kept.user === key.user ? parsed.data : null
}

export function writeProbe(state: string, key: ProbeKey, probe: KeptProbe): void {
  writeFileAtomically(fileIn(state), `${JSON.stringify({ key, at: probe.at, answer: probe.answer })}\n`, { private: true })
}

function fileIn(state: string): string {
  return join(state, 'sandbox', 'probe.json')
}
