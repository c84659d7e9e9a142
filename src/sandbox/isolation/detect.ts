import { type Clock, timestamp } from '../../kernel/clock.ts'
import { findProgram, isFolder } from '../process/launch.ts'
import type { ProcessOutcome, ProcessSpec } from '../process/types.ts'
import { homeIn } from './plan.ts'
import { tryWalls } from './probe.ts'
import { type KeptProbe, probeKey, readProbe, writeProbe } from './probe-cache.ts'
import { judgeProbe, type SandboxState } from './state.ts'

export interface DetectOptions {
  /** The sandbox program, absolute; null where there is none. */
  program: string | null
  state: string
  home: string
  clock: Clock
  run: (spec: ProcessSpec) => Promise<ProcessOutcome>
}

/** What bubblewrap can do on this machine, from the kept probe or, where asked for or missing, from a new one. */
export async function detectSandbox({ program, state, home, clock, run }: DetectOptions, anew: boolean): Promise<SandboxState> {
  if (program === null) return { kind: 'absent', reason: 'bubblewrap (bwrap) is not installed' }
  const key = probeKey(program)
  const kept = anew ? null : readProbe(state, key)
  const probe = kept ?? (await tryAnew(program, { home, clock, run }))
  if ('absent' in probe) return { kind: 'absent', reason: probe.absent }
  if (!kept) writeProbe(state, key, probe)
  const { answer, at, version } = probe
  return answer.kind === 'failed'
    ? { kind: 'broken', version, facet: 'start', message: answer.message, probe: null }
    : judgeProbe(version, { at, tool: `bubblewrap ${version}`, checks: answer.checks })
}

async function tryAnew(
  program: string,
  { home, clock, run }: Pick<DetectOptions, 'home' | 'clock' | 'run'>,
): Promise<KeptProbe | { absent: string }> {
  const asked = await run(ownTool([program, '--version'], '/'))
  if (asked.reason !== 'exited') return { absent: asked.error?.message ?? `${program} does not run` }
  const version = /(\d+\.\d+(\.\d+)?)/.exec(asked.stdout.text)?.[1] ?? 'unknown'
  const at = timestamp(clock)
  const answer = await tryWalls(
    async ({ args, cwd }) => {
      const { reason, stdout, stderr } = await run(ownTool([program, ...args], cwd))
      return { reached: reason === 'exited', stdout: stdout.text, stderr: stderr.text }
    },
    { disableUserns: canDisableUserns(version), home: homeIn({ home }) },
  )
  return { version, at, answer }
}

/** Looked for in the system's folders first: a program of that name elsewhere is not trusted to build walls. */
export function findSandboxProgram(name: string, path: string): string | null {
  const found = findProgram(name, { cwd: '/', path: `/usr/local/bin:/usr/bin:/bin:${path}` })
  return found.kind === 'found' ? found.path : null
}

/** `--disable-userns` came with 0.8. */
export function canDisableUserns(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 0 || minor >= 8
}

/** A call of QED's own tools, outside any run. */
function ownTool(argv: string[], cwd: string): ProcessSpec {
  return {
    argv,
    cwd: isFolder(cwd) ? cwd : '/',
    profile: 'own',
    writable: {},
    env: {},
    timeout_ms: 20_000,
    keep: { head: 65_536, tail: 0 },
    run_id: OUTSIDE_RUNS,
  }
}

/** Stands for the run where there is none. */
export const OUTSIDE_RUNS = 'run_00000000000000000000000000' as ProcessSpec['run_id']
