import { statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../../kernel/json.ts'
import { readFileIfThere, writeFileAtomically } from '../../store/files.ts'
import type { ProbeAnswer } from './probe.ts'

/** A probe holds for one boot of the machine, one bubblewrap and one user. */
export interface ProbeKey {
  boot: string
  /** The program file itself: its version is asked only where another one lies there. */
  program: string
  user: number
}

const Kept = () =>
  z.strictObject({
    key: z.strictObject({ boot: z.string(), program: z.string(), user: z.int() }),
    version: z.string(),
    at: z.string(),
    answer: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('checked'), checks: z.record(z.string(), z.enum(['pass', 'fail', 'skipped'])) }),
      z.strictObject({ kind: z.literal('failed'), message: z.string() }),
    ]),
  })

export interface KeptProbe {
  version: string
  at: string
  answer: ProbeAnswer
}

export function probeKey(program: string): ProbeKey {
  const boot = readFileIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown'
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(program)
  return { boot, program: [program, dev, ino, size, mtimeMs, ctimeMs].join(':'), user: process.getuid?.() ?? -1 }
}

export function readProbe(state: string, key: ProbeKey): KeptProbe | null {
  const parsed = Kept().safeParse(parseJson(readFileIfThere(fileIn(state)) ?? ''))
  if (!parsed.success) return null
  const kept = parsed.data.key
  return kept.boot === key.boot && kept.program === key.program && kept.user === key.user ? parsed.data : null
}

export function writeProbe(state: string, key: ProbeKey, probe: KeptProbe): void {
  writeFileAtomically(fileIn(state), `${JSON.stringify({ key, ...probe })}\n`, { private: true })
}

function fileIn(state: string): string {
  return join(state, 'sandbox', 'probe.json')
}
