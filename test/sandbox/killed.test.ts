import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { carriers, until } from './support.ts'

const TIMES = Number(process.env['QED_CRASH_RUNS'] ?? 12)

test('S-11 killed with -9 at any moment, also while walls are made, it leaves no process', async () => {
  const folder = temporaryFolder()
  for (const name of ['home', 'place']) mkdirSync(join(folder, name))
  const token = randomUUID()
  for (let i = 0; i < TIMES; i++) {
    const child = fork(join(import.meta.dirname, '../support/busy-sandbox.ts'), [folder, token], { stdio: 'ignore' })
    await once(child, 'message')
    await sleep(Math.random() * 25)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await until(() => carriers(`TOKEN=${token}`).length === 0)
  }
  expect(carriers(`TOKEN=${token}`)).toEqual([])
})
