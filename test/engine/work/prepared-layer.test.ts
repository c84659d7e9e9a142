import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/kernel/sha256.ts'
import { trust } from '../../../src/project/trust.ts'
import { done, goOn, working } from '../../support/working.ts'

const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }, goOn] })

/** A project whose settings name what prepares it, trusted by the person. */
async function isolated(prepare: string, ...commands: string[]) {
  const at = working({
    files: {
      '.gitignore': 'node_modules/\nvendor/\n.venv/\n.qed/*\n!.qed/config.json\n!.qed/project.json\n',
      '.qed/config.json': JSON.stringify({ proof: { prepare } }),
      'package.json': '{}',
      'src/a': 'a\n',
      // What policy sees in a command it decides itself; with a program the walls are to hold.
      'go.sh': '#!/bin/sh\necho c > node_modules/.cache/c && echo cached; echo bad > vendor/lib/x; echo b > src/b\n',
    },
    scripts: { m: { turns: [...commands.map(bash), { calls: [done] }] } },
  })
  const { app } = at
  const digest = sha256(readFileSync(join(at.root, '.qed/config.json'), 'utf8'))
  trust(await app.personalStore(), { project: app.project().id, file: 'config.json', digest }, app.clock)
  const ran = (await at.work({ prompt: 'Look.', model: 'm', isolated: true, scope: ['src/**'] })) as unknown as {
    run: { id: string; outcome: string }
    changed: string[]
    place: string
  }
  const all = await at.events(ran.run.id)
  const results = all.filter(({ type }) => type === 'call.settled').map(({ data }) => data['result'] as string)
  return { ...at, ran, all, results }
}

describe('S-13, F-8: a run in a place of its own', () => {
  test('has the prepared layer there, cannot spoil it, and it is no part of its work', async () => {
    const prepare = [
      'mkdir -p node_modules/left vendor/lib',
      'echo 42 > node_modules/left/index.js',
      'install -m 755 go.sh node_modules/left/go',
      'echo lib > vendor/lib/x',
      'echo stray > made-too',
    ].join('; ')
    const { ran, results, told } = await isolated(
      prepare,
      'cat node_modules/left/index.js vendor/lib/x; ls made-too',
      'node_modules/left/go',
      'cat vendor/lib/x',
    )
    expect(ran).toMatchObject({ run: { outcome: 'unproven' }, changed: ['src/b'] })
    expect(results[0]).toMatch(/42\nlib\n[^]*made-too/)
    expect(results[2]).toMatch(/cached\n[^]*[Rr]ead-only file system/)
    expect(results[4]).toContain('\nlib\n')
    const steps = told.filter(({ type }) => type === 'proof.progress').map(({ data }) => [data['step'], data['command']])
    expect(steps).toEqual([
      ['proof.preparing', prepare],
      ['proof.prepared', prepare],
    ])
  })

  test('has programs of a Python environment that know where they are', async () => {
    const prepare = 'mkdir -p .venv/bin; printf "#!/bin/sh\\necho from $PWD/.venv\\n" > .venv/bin/tool; chmod +x .venv/bin/tool'
    const { ran, results } = await isolated(prepare, '.venv/bin/tool')
    expect(results[0]).toContain(`from ${ran.place}/.venv`)
  })

  test('works without dependencies that could not be made, and the record says why', async () => {
    const { ran, all } = await isolated('echo no such package >&2; exit 3', 'ls')
    expect(ran.run.outcome).toBe('unproven')
    const errors = all.filter(({ type }) => type === 'error.recorded').map(({ data }) => data)
    expect(errors).toEqual([{ where: 'prepare', message: expect.stringContaining('no such package') as string }])
  })
})
