import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTranscript } from '../../src/context/transcript/strategy.ts'
import { type DrivePorts, drive } from '../../src/engine/drive.ts'
import { LeaseUnrenewed } from '../../src/runs/errors.ts'
import { createRecorder } from '../../src/runs/recorder.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { temporaryFolder } from '../support/folders.ts'
import { drivenRun, runRecords } from '../support/runs.ts'

test('R-6: a run that is no longer ours is left as it is, so that it can be gone on with', async () => {
  const records = runRecords()
  const claim = drivenRun(records)
  const { store, runs } = records
  const blobs = createBlobs(join(temporaryFolder(), 'blobs'))
  const lost = new AbortController()
  const ports: DrivePorts = {
    recorder: (loop, turn) => createRecorder({ ...store, blobs, runs, claim, loop, turn, estimate: () => 1 }),
    client: recorder =>
      recorder.client({
        send: () => {
          lost.abort(new LeaseUnrenewed(claim.run, {}))
          return new Promise(() => undefined)
        },
      }),
    executor: () => () => Promise.resolve(''),
    transcript: createTranscript({
      ceiling: () => 1000,
      count: () => 1,
      known: () => '',
      summarise: () => Promise.resolve(null),
      redact: text => text,
    }),
    tools: [],
    judge: () => ({ verdict: 'continue' }),
    verify: null,
    stopReason: () => null,
    keep: text => text,
    signal: lost.signal,
    lost: lost.signal,
  }
  const budget = { maxToolCalls: 1, maxTokens: 100 }
  await expect(drive({ system: 'S', prompt: 'P', budget, answers: false, known: null }, ports)).rejects.toThrow(LeaseUnrenewed)
  expect(records.types(claim.run)).toEqual(['run.queued', 'run.claimed', 'loop.started', 'turn.requested'])
})
