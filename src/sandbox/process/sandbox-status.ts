import type { Readable } from 'node:stream'
import type { Captured } from './types.ts'

/** How far bubblewrap came, by its own report. */
export interface SandboxStatus {
  /** Whether the program itself was started, as opposed to the sandbox failing before it. */
  reached(): boolean
}

export function readStatus(pipe: Readable | null, onInit: (pid: number) => void): SandboxStatus {
  let text = ''
  let init: number | undefined
  pipe?.on('error', () => undefined)
  pipe?.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
    if (pid === undefined || init !== undefined) return
    init = Number(pid)
    onInit(init)
  })
  return { reached: () => pipe === null || text.includes('"exit-code"') }
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
