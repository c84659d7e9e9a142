import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTranscript } from '../../src/context/transcript/strategy.ts'
import { type DrivePorts, type DriveRequest, drive } from '../../src/engine/drive.ts'
import type { EngineLoopClient, EngineLoopResponse } from '../../src/kernel/frames.ts'
import { LeaseUnrenewed } from '../../src/runs/errors.ts'
import { createRecorder } from '../../src/runs/recorder.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { temporaryFolder } from '../support/folders.ts'
import { drivenRun, runRecords } from '../support/runs.ts'

const REQUEST: DriveRequest = {
  system: 'S',
  prompt: 'P',
  budget: { maxToolCalls: 1, maxTokens: 100 },
  answers: false,
  inBrief: false,
  known: null,
}

function driven(
  send: EngineLoopClient['send'],
  { lost = new AbortController(), judge }: { lost?: AbortController; judge?: DrivePorts['judge'] } = {},
) {
  const records = runRecords()
  const claim = drivenRun(records)
  const { store, runs } = records
  const blobs = createBlobs(join(temporaryFolder(), 'blobs'))
  const ports: DrivePorts = {
    recorder: loop => createRecorder({ ...store, blobs, runs, claim, loop, estimate: () => 1 }),
    client: recorder => recorder.client({ send }),
    executor: () => () => Promise.resolve(''),
    transcript: createTranscript({
      ceiling: () => 1000,
      count: () => 1,
      known: () => '',
      summarise: () => Promise.resolve(null),
      redact: text => text,
    }),
    tools: [],
    judge: judge ?? (() => ({ verdict: 'continue' })),
    verify: null,
    stopReason: () => null,
    keep: text => text,
    signal: lost.signal,
    lost: lost.signal,
  }
  return { ports, types: () => records.types(claim.run) }
}

test('R-6: a run that is no longer ours is left as it is, so that it can be gone on with', async () => {
  const lost = new AbortController()
  const { ports, types } = driven(
    () => {
      lost.abort(new LeaseUnrenewed('run', {}))
      return new Promise(() => undefined)
    },
    { lost },
  )
  await expect(drive(REQUEST, ports)).rejects.toThrow(LeaseUnrenewed)
  expect(types()).toEqual(['run.queued', 'run.claimed', 'loop.started', 'turn.requested'])
})

test('L-19: a run inside a scope asks once for the rest of an answer that was cut; one without a scope takes it as it is', async () => {
  const said = (content: string, truncated: boolean): EngineLoopResponse => ({
    stop: 'text',
    content,
    truncated,
    tokensUsed: 1,
    assistantMessage: { role: 'assistant', content },
  })
  const ending = async (inBrief: boolean) => {
    const replies = [said('half', true), said('whole', false)]
    const { ports } = driven(() => Promise.resolve(replies.shift() as EngineLoopResponse), { judge: () => ({ verdict: 'claim' }) })
    return (await drive({ ...REQUEST, inBrief }, ports)).loop
  }
  expect(await ending(true)).toMatchObject({ status: 'completed', finalText: 'whole', turnsUsed: 2 })
  expect(await ending(false)).toMatchObject({ status: 'completed', finalText: 'half', truncated: true, turnsUsed: 1 })
})
