import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { qed } from '../support/qed.ts'

test('the demo plays every step with real processes and leaves nothing behind', { timeout: 60_000 }, async () => {
  const left = (): string[] => readdirSync(tmpdir()).filter(name => name.startsWith('qed-demo-'))
  const before = left()
  const { exit, stdout } = await qed(['demo', '--json'])
  const { ok, steps } = JSON.parse(stdout) as { ok: boolean; steps: { name: string; ok: boolean; shown: string }[] }
  expect(steps.filter(step => !step.ok)).toEqual([])
  expect([exit, ok, steps.length]).toEqual([0, true, 8])
  expect(left()).toEqual(before)
})

test('on a screen it tells each step as it ends', { timeout: 60_000 }, async () => {
  const { stdout } = await qed(['demo'])
  expect(stdout.match(/^✓ /gm)).toHaveLength(9)
  expect(stdout).toContain('all 8 steps held')
})
