import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/kernel/clock.ts'
import { redactJson } from '../../src/policy/secrets/redact.ts'
import { createApprovals } from '../../src/runs/approvals.ts'
import { createAttempts } from '../../src/runs/attempts.ts'
import { runEvents } from '../../src/runs/events.ts'
import type { Owner } from '../../src/runs/run.ts'
import { createRuns } from '../../src/runs/runs.ts'
import { projectStore } from '../../src/store/kinds.ts'
import { openStore } from '../../src/store/store.ts'
import { handClock } from './clock.ts'
import { temporaryFolder } from './folders.ts'

/** A process on a machine that cannot be looked at: whether it is gone is told by its lease alone. */
export const owner = (pid: number): Owner => ({ machine: 'elsewhere', boot: 'b', pid, pid_started_at: '1', surface: 'cli' })

/** The records of runs as one process has them open. Several on one path are several processes. */
export function runRecords({
  path = join(temporaryFolder(), 'qed.db'),
  clock = handClock(),
  ttl = null,
}: {
  path?: string
  clock?: Clock
  ttl?: number | null
} = {}) {
  const store = openStore(path, projectStore, { clock, redact: redactJson, catalogue: { run: runEvents }, mayCreate: true })
  onTestFinished(() => store.close())
  const runs = createRuns({ ...store, clock, project: 'prj' })
  return {
    path,
    store,
    runs,
    attempts: createAttempts({ ...store, clock, runs }),
    approvals: createApprovals({ ...store, clock, runs, ttl }),
    types: (run: string): string[] => store.log.list({ streams: [`run:${run}`] }, 1000).map(({ type }) => type),
    head: () => store.log.head()?.hash,
  }
}
export type RunRecords = ReturnType<typeof runRecords>

/** A run that a process drives. */
export function drivenRun({ runs }: RunRecords, pid = 1) {
  const run = runs.create({ intent: 'mend it', kind: 'fix', mode: 'act', model: 'script:x' })
  return runs.claim(run.id, owner(pid))
}
