import { describe, expect, test } from 'vitest'
import { taskFolder } from '../../../src/engine/work/task-folder.ts'
import { done, working } from '../../support/working.ts'

describe('C-74: the folder that a task is about', () => {
  test.each([
    [['packages/a/**'], '', 'packages/a'],
    [['packages/a/src/x.js'], '', 'packages/a/src'],
    [['packages/a/**', 'packages/a/test/*.js'], '', 'packages/a'],
    [['packages/{a,ab}/**'], 'docs', 'packages'],
    [['packages/a/**'], 'docs', 'packages/a'],
    // A scope that names no folder leaves it to where the person stands.
    [['**'], 'docs', 'docs'],
    [['packages/**', 'docs/**'], 'docs', 'docs'],
    [null, 'packages/b', 'packages/b'],
    [null, '', ''],
  ])('of scope %j ordered in "%s" is "%s"', (scope, standing, folder) => {
    expect(taskFolder(scope, standing)).toBe(folder)
  })
})

describe('C-74: a run is told the instructions from the root down to the folder of its task', () => {
  const files = {
    'AGENTS.md': 'Rules of all.\n',
    'packages/CLAUDE.md': 'Rules of packages.\n',
    'packages/a/AGENTS.md': 'Rules of a.\n',
    'packages/b/AGENTS.md': 'Rules of b.\n',
  }
  const told = async (standing: string, terms: object) => {
    const { work, events, call } = working({ files, scripts: { m: { turns: [{ calls: [done] }] } }, standing })
    const { run } = await work({ prompt: 'Look.', model: 'm', ...terms })
    const system = (await events(run.id)).find(({ type }) => type === 'loop.started')?.data['system'] as string
    const sent = await call<{ files: { path: string }[] }>('run.egress', { run: run.id })
    return { system: [...system.matchAll(/Rules of (\w+)/g)].map(([, of]) => of), sent: sent.files.map(({ path }) => path) }
  }
  const OF_A = { system: ['all', 'packages', 'a'], sent: ['AGENTS.md', 'packages/CLAUDE.md', 'packages/a/AGENTS.md'] }

  test('by its scope, in the checkout and in a place of its own', async () => {
    expect(await told('', { scope: ['packages/a/**'] })).toEqual(OF_A)
    expect(await told('packages/b', { scope: ['packages/a/**'], isolated: true })).toEqual(OF_A)
  })

  test('by where it was ordered, where no scope tells', async () => {
    expect(await told('packages/a', { kind: 'explain', scope: [] })).toEqual(OF_A)
    expect(await told('', { scope: ['**'] })).toEqual({ system: ['all'], sent: ['AGENTS.md'] })
  })
})

test('C-74: whoever goes on with a run that had not begun reads the instructions of the folder it was ordered in', async () => {
  const files = { 'AGENTS.md': 'Rules of all.\n', 'packages/a/AGENTS.md': 'Rules of a.\n' }
  const { app, call, events } = working({ files, scripts: { m: { turns: [{ calls: [done] }] } } })
  const { createRuns } = await import('../../../src/runs/runs.ts')
  const runs = createRuns({ ...(await app.projectStore()), clock: app.clock, project: app.project().id })
  const given = {
    prompt: 'Look.',
    scope: null,
    folder: 'packages/a',
    allow_commands: [],
    budget: {},
    verify: null,
    isolated: false,
    waits: false,
  }
  const { id } = runs.create({ intent: 'Look.', kind: 'explain', mode: 'plan', model: 'm' }, { given, actor: 'agent:test' })
  await call('run.resume', { run: id })
  expect((await events(id)).find(({ type }) => type === 'loop.started')?.data['system']).toMatch(/Rules of all\.[^]*Rules of a\./)
})
