import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changedSince } from '../../src/sandbox/changed-since.ts'
import { pathFact } from '../../src/sandbox/facts.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { edit } from '../../src/tools/edit.ts'
import { createExecutor, type Leave } from '../../src/tools/executor.ts'
import { read } from '../../src/tools/read.ts'
import { write } from '../../src/tools/write.ts'
import { temporaryFolder } from '../support/folders.ts'
import { drivenRun, runRecords } from '../support/runs.ts'

// What stands at a path is swapped between the decision and the act, on a real disk.

function scene(swap: (paths: { root: string; outside: string }) => void) {
  const [root, outside] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src/a.txt'), 'inside\n')
  writeFileSync(join(outside, 'a.txt'), 'outside\n')
  const records = runRecords()
  const claim = drivenRun(records)
  const record = {
    at: () => ({ loop: 1, turn: 0 }),
    write: (type: string, data: object) => records.store.log.append(`run:${claim.run}`, type, { ...data }).seq,
    together: <T>(work: () => T): T => records.store.db.transaction(work),
    breakOff: (error: Error) => error,
    soon: (work: () => void) => work(),
    broken: () => undefined,
    positionOf: () => 0,
  }
  const execute = createExecutor({
    tools: [read(''), write, edit],
    scene: { root, signal: new AbortController().signal, onOutput: () => undefined },
    decide: ({ paths = [] }): Promise<Leave> => {
      const bindings = paths.map(({ path }) => {
        const { real = path, device = 0, inode = 0, type = null } = pathFact(path) ?? {}
        return { path, real, device, inode, type }
      })
      swap({ root, outside })
      return Promise.resolve({
        verdict: 'allow',
        rule: 'test',
        reason: '',
        approval: null,
        readOnly: false,
        changed: () => changedSince(bindings),
      })
    },
    takeCall: () => true,
    readingOnly: false,
    attempts: records.attempts,
    claim,
    blobs: createBlobs(join(root, '.blobs')),
    redact: text => text,
    now: () => 0,
    record,
  })
  const call = (name: string, args: object): Promise<string> => execute({ name, arguments: JSON.stringify(args), callId: 'a' })
  return { root, outside, call, records, claim }
}

const folderToLink = ({ root, outside }: { root: string; outside: string }): void => {
  rmSync(join(root, 'src'), { recursive: true })
  symlinkSync(outside, join(root, 'src'))
}
const fileToLink = ({ root, outside }: { root: string; outside: string }): void => {
  rmSync(join(root, 'src/a.txt'))
  symlinkSync(join(outside, 'a.txt'), join(root, 'src/a.txt'))
}

describe('P-42, R-15: what is not what was judged is not touched', () => {
  const calls = {
    write: { path: 'src/a.txt', content: 'x' },
    edit: { path: 'src/a.txt', search: 'outside', replace: 'x' },
    read: { path: 'src/a.txt' },
  }
  const swaps = { folder: folderToLink, file: fileToLink }
  const cases = Object.entries(swaps).flatMap(([what, swap]) => Object.entries(calls).map(([tool, args]) => ({ what, swap, tool, args })))
  test.each(cases)('$tool does not go through a $what that became a link', async ({ swap, tool, args }) => {
    const { call, outside } = scene(swap)
    await expect(call(tool, args)).rejects.toThrow(/^facts-changed: /)
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('outside\n')
  })

  test('a file that came to be where nothing was is not replaced', async () => {
    const { call, root } = scene(paths => writeFileSync(join(paths.root, 'src/new.txt'), 'theirs\n'))
    await expect(call('write', { path: 'src/new.txt', content: 'x' })).rejects.toThrow(/^facts-changed: /)
    expect(readFileSync(join(root, 'src/new.txt'), 'utf8')).toBe('theirs\n')
  })

  test('the refusal is settled as a failed call with its code', async () => {
    const { call, records, claim } = scene(folderToLink)
    await expect(call('write', { path: 'src/a.txt', content: 'x' })).rejects.toThrow('facts-changed')
    const settled = records.store.log.list({ streams: [`run:${claim.run}`], types: ['call.settled'] }, 10)
    expect(settled.map(({ data }) => data)).toMatchObject([
      { ok: false, result: expect.stringMatching(/^Error: facts-changed: /) as string },
    ])
  })

  test('what stayed as it was is written', async () => {
    const { call, root } = scene(() => undefined)
    await call('write', { path: 'src/a.txt', content: 'changed\n' })
    expect(readFileSync(join(root, 'src/a.txt'), 'utf8')).toBe('changed\n')
  })
})
