import type { Readable } from 'node:stream'
import type { NamedProcess } from './endings.ts'
import type { ProcTable } from './proc-table.ts'
import type { Captured } from './types.ts'

/** How far bubblewrap came, by its own report. */
export interface SandboxStatus {
  /** Whether the program itself was started, as opposed to the sandbox failing before it. */
  reached(): boolean
  /** The first process of its namespace, as soon as it is told. */
  init(): NamedProcess | null
}

export function readStatus(pipe: Readable | null, table: ProcTable): SandboxStatus {
  let text = ''
  let init: NamedProcess | null = null
  pipe?.on('error', () => undefined)
  pipe?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
    if (init === null && pid !== undefined) init = table.facts(Number(pid))
  })
  return { reached: () => pipe === null || text.includes('"exit-code"'), init: () => init }
}

const REASONS: [pattern: RegExp, code: string][] = [
  [/^bwrap: execvp .*: No such file or directory$/m, 'ENOENT'],
  [/^bwrap: execvp .*: Permission denied$/m, 'EACCES'],
  [/^bwrap: Can't chdir to /m, 'ENOENT'],
]

/** Why bubblewrap ended without starting the program. */
export function whyNotReached({ text }: Captured): { code: string; message: string } {
  const code = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'sandbox_failed'
  const said = text.trim().split('\n').at(-1) || 'bubblewrap ended without a word'
  const advice = code === 'sandbox_failed' ? ' Nothing was run. See: qed sandbox status' : ''
  return { code, message: `${said}.${advice}` }
}
