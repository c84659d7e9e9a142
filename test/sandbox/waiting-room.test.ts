import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RunId } from '../../src/kernel/ids.ts'
import { createWaitingRoom } from '../../src/sandbox/process/waiting.ts'

test('walls that were ordered for a run which ends at the same moment are not made: nobody would end them', async () => {
  const marks = new Map()
  const room = createWaitingRoom(marks)
  const run = 'run_1' as RunId
  const argv = ['/bin/true', '--', '/bin/bash']
  const launch = { argv, cwd: '/', env: {}, files: [], namespaced: true } as unknown as Parameters<typeof room.prepare>[1]
  room.prepare({ run_id: run } as Parameters<typeof room.prepare>[0], launch)
  await room.end(run)
  await nextTick()
  expect(marks.size).toBe(0)
})
