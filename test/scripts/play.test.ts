import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openPlayer } from '../../scripts/build/play.ts'
import { temporaryFolder } from '../support/folders.ts'

test('a program that the machine does not have ends no build: it has loaded nothing', async () => {
  const folder = temporaryFolder()
  const { play, close } = await openPlayer(join(folder, 'qed'), folder)
  try {
    expect(await play(['status'])).toEqual([])
  } finally {
    close()
  }
})
