import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { done, working } from '../../support/working.ts'

const SECRET = 'a-value-only-the-vault-has'

async function house(calls: object[]) {
  const at = working({ files: { 'src/a.txt': 'a\n' }, scripts: { main: { turns: [{ calls }, { calls: [done] }] } } })
  const vault = await at.app.vault()
  await vault.set({ name: 'DEPLOY_TOKEN', scope: 'project', value: SECRET })
  const [bait = ''] = await vault.canaries()
  return { ...at, vault, bait }
}

/** Everything that QED keeps of the project, as one text. */
function kept(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
  return files.map(file => (statSync(file).isFile() ? readFileSync(file, 'latin1') : '')).join('\n')
}

const read = { name: 'read', arguments: { path: 'src/a.txt' } }

describe('S-46 the bait of the vault', () => {
  test.each([
    ['in a file that the model reads', read],
    ['in what a command prints', { name: 'bash', arguments: { command: 'cat src/a.txt' } }],
  ])('%s ends the run, is recorded, and marks the vault as leaked', async (_where, call) => {
    const { root, work, events, vault, bait } = await house([call])
    writeFileSync(join(root, 'src/a.txt'), `x ${Buffer.from(bait).toString('base64')} y\n`)
    const { run } = await work({ prompt: 'look', model: 'main' })
    expect(run).toMatchObject({ status: 'failed', outcome: 'refused', outcome_reason: expect.stringContaining('secret.canary') })
    const found = (await events(run.id)).filter(({ type }) => type === 'finding.recorded')
    expect(found.map(({ data }) => data['finding'])).toEqual([expect.objectContaining({ id: 'secret.canary', severity: 'error' })])
    expect((await events(run.id)).filter(({ type }) => type === 'turn.requested')).toHaveLength(1)
    expect(vault.leaked()).toMatchObject({ where: expect.any(String) })
    expect(kept(join(root, '.qed'))).not.toContain(Buffer.from(bait).toString('base64'))
  })

  test('in a prompt stops the run before a model sees anything of it', async () => {
    const { work, events, bait, vault, root } = await house([read])
    const { run } = await work({ prompt: `use ${bait}`, model: 'main' })
    expect(run).toMatchObject({ status: 'failed', outcome: 'refused' })
    expect((await events(run.id)).filter(({ type }) => type === 'turn.received')).toEqual([])
    expect(vault.leaked()).not.toBeNull()
    expect(kept(join(root, '.qed'))).not.toContain(bait)
  })

  test('that is nowhere to be seen lets the run work', async () => {
    const { work, vault } = await house([read])
    expect((await work({ prompt: 'look', model: 'main' })).run).toMatchObject({ status: 'completed' })
    expect(vault.leaked()).toBeNull()
  })
})

test('P-61 a value of the vault that a file holds reaches neither the model nor the record', async () => {
  const { root, work, events, blobs } = await house([read])
  writeFileSync(join(root, 'src/a.txt'), `x ${SECRET} y\n`)
  const { run } = await work({ prompt: `the file holds ${SECRET}`, model: 'main' })
  expect(run).toMatchObject({ status: 'completed' })
  const settled = (await events(run.id)).find(({ type }) => type === 'call.settled')
  expect(blobs().read(settled?.data['result'] as never)).toContain('x ***REDACTED*** y')
  expect(kept(join(root, '.qed'))).not.toContain(SECRET)
})
