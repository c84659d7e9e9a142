import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formsOf } from '../../../src/policy/secrets/value-forms.ts'
import { rebuildLoop } from '../../../src/runs/rebuild.ts'
import { done, goOn, working } from '../../support/working.ts'

const call = (name: string, args: object) => ({ name, arguments: args })
const step = (n: number, ...calls: object[]) => ({ calls: [...calls, { ...goOn, arguments: { status: 102, body: `step ${n}` } }] })

// Without a shape that would give it away.
const secret = (): string => `plum ${randomBytes(9).toString('base64').replace(/[+/]/g, 'x')} tree/ü`

test('S-47, P-61: a value of the vault that stands in the project reaches neither a model nor a record, whoever prints it', async () => {
  const value = secret()
  const { app, root, work, events, blobs, told } = working({
    scripts: {
      m: {
        turns: [
          step(0, call('read', { path: 'notes.txt' })),
          step(1, call('grep', { pattern: 'plum', path: '.' })),
          step(2, call('bash', { command: 'cat notes.txt; base64 notes.txt; base64 -w 20 notes.txt; od -An -tx1 notes.txt' })),
          step(3, call('write', { path: 'copy.txt', content: `it is ${value}` })),
          { text: `The value is ${value}.`, calls: [done] },
        ],
      },
    },
  })
  await (await app.vault()).set({ name: 'PLUM', scope: 'personal', value })
  writeFileSync(join(root, 'notes.txt'), value)
  const ran = await work({ prompt: `Look for ${value}.`, model: 'm' })
  const all = await events(ran.run.id)
  expect(ran.run.outcome).toBe('unproven')
  const sent = rebuildLoop(all, blobs())?.messages ?? []
  const shown = JSON.stringify([all, sent, told.filter(({ type }) => type !== 'model.delta'), ran]).replaceAll('\\n', '')
  expect(formsOf(value).filter(form => shown.includes(JSON.stringify(form).slice(1, -1)))).toEqual([])
  expect(sent.filter(({ role, content }) => role === 'tool' && content.includes('***REDACTED***')).length).toBeGreaterThanOrEqual(3)
})

test('a vault that cannot be opened keeps no run from working', async () => {
  const { root, work, app } = working({ scripts: { m: { turns: [{ calls: [done] }] } } })
  await (await app.vault()).set({ name: 'PLUM', scope: 'personal', value: secret() })
  mkdirSync(join(root, '.qed/vault'), { recursive: true })
  writeFileSync(join(root, '.qed/vault/secrets.age'), 'broken')
  expect(await work({ prompt: 'Look.', model: 'm' })).toMatchObject({ run: { outcome: 'unproven' } })
})
