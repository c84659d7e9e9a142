import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DOUBLE_PROTOCOLS } from '../support/model-double/protocols.ts'
import { modelDouble } from '../support/model-double/server.ts'
import { type TestProject, testProject } from '../support/qed.ts'

const usage = { prompt: 10, cached: 0, cacheWrite: 0, completion: 5, reasoning: 0 }
const anthropic = DOUBLE_PROTOCOLS.find(({ name }) => name === 'anthropic')
const SECRET = 'very-secret-key-0123456789'

async function projectWith(models: object): Promise<TestProject> {
  const project = await testProject()
  const folder = join(project.env['HOME'] ?? '', '.config', 'qed')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ models }))
  return project
}

describe('models.list', () => {
  test('names aliases with what each lacks, and scripts as what they are', async () => {
    const project = await projectWith({
      play: { protocol: 'script', model: 'demo.json' },
      smart: { protocol: 'anthropic', model: 'claude-opus-4-5' },
      half: { protocol: 'openai-compatible', model: 'x' },
    })
    writeFileSync(join(project.root, 'demo.json'), '{ "scripts": { "main": { "turns": [] } } }')
    expect(await project.json(['models', 'list'])).toMatchObject({
      items: expect.arrayContaining([
        { alias: 'play', protocol: 'script', model: 'main', context: 200_000, local: true, ready: true, scripted: true },
        {
          alias: 'smart',
          protocol: 'anthropic',
          model: 'claude-opus-4-5',
          context: 200_000,
          local: false,
          ready: false,
          why: expect.stringContaining('ANTHROPIC_API_KEY') as string,
        },
        expect.objectContaining({ alias: 'half', ready: false, why: expect.stringContaining('models.half.base_url') as string }),
      ]) as unknown,
    })
    const shown = await project.run(['models', 'list'])
    expect(shown.stdout).toMatch(/play.*scripted, no model/)
  })

  test('lists the catalogue’s models of a provider whose key is set, and shows no key', async () => {
    const project = await testProject()
    project.env['GROQ_API_KEY'] = SECRET
    const { stdout } = await project.run(['models', 'list', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ alias: 'groq/openai/gpt-oss-20b', ready: true, local: false })]) as unknown,
    })
    expect(stdout).not.toContain(SECRET)
    expect(stdout).not.toContain('"anthropic/')
    const all = await project.run(['models', 'list', '--all', '--json'])
    expect(all.stdout).toContain('"anthropic/claude-sonnet-4-5"')
  })

  test('figures of a refreshed list count', async () => {
    const project = await projectWith({ smart: { protocol: 'anthropic', model: 'claude-opus-4-5' } })
    const models = [{ provider: 'anthropic', model: 'claude-opus-4-5', context: 777_000 }]
    writeFileSync(join(project.root, 'list.json'), JSON.stringify({ at: '2027-01-01', models }))
    expect(await project.json(['models', 'refresh', 'list.json'])).toMatchObject({ at: '2027-01-01' })
    expect(await project.json(['models', 'list'])).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ alias: 'smart', context: 777_000 })]) as unknown,
    })
  })
})

describe('models.test', () => {
  test('asks one tiny question with one tool and tells what came of it', async () => {
    const frames = anthropic?.frames({ usage, calls: [{ id: 'a', name: 'echo', arguments: ['{"word":"ok"}'] }] }) ?? []
    const double = await modelDouble([{ kind: 'stream', frames }])
    const project = await projectWith({ mine: { protocol: 'anthropic', model: 'm', base_url: `${double.url}/v1`, key: { env: 'MINE' } } })
    project.env['MINE'] = SECRET
    expect(await project.json(['models', 'test', 'mine'])).toEqual({
      ok: true,
      alias: 'mine',
      model: 'm',
      first_token_ms: expect.any(Number) as number,
      tools: true,
    })
    expect(double.requests).toHaveLength(1)
    expect(double.requests[0]?.body.length).toBeLessThan(1000)
  })

  test('a refusal is told with its status, is not tried again, exits 1 and shows no key', async () => {
    const double = await modelDouble([
      { kind: 'status', status: 429, body: anthropic?.error(429, `slow down ${SECRET}`), headers: { 'retry-after': '7' } },
    ])
    const project = await projectWith({ mine: { protocol: 'anthropic', model: 'm', base_url: `${double.url}/v1`, key: { env: 'MINE' } } })
    project.env['MINE'] = SECRET
    const ran = await project.run(['models', 'test', 'mine', '--json'])
    expect([ran.exit, JSON.parse(ran.stdout)]).toEqual([
      1,
      {
        ok: false,
        alias: 'mine',
        model: 'm',
        first_token_ms: null,
        tools: false,
        error: { code: 'rate', message: 'slow down [key]', status: 429, retry_after_ms: 7000 },
      },
    ])
    expect(double.requests).toHaveLength(1)
  })

  test('a script says that it is one', async () => {
    const project = await testProject()
    writeFileSync(join(project.root, 's.json'), '{ "scripts": { "main": { "turns": [{ "text": "hi" }] } } }')
    expect(await project.json(['models', 'test', 'script:s.json'])).toMatchObject({ ok: true, tools: false, scripted: true })
  })

  test.each([
    [['models', 'test'], 9, 'no_model'],
    [['models', 'test', 'nobody'], 3, 'not_found'],
    [['models', 'test', 'openai/gpt-5'], 9, 'auth_missing'],
  ])('%o exits %i with %s and the next step', async (args, exit, code) => {
    const ran = await (await testProject()).run([...args, '--json'])
    expect(ran.exit).toBe(exit)
    expect(JSON.parse(ran.stdout || ran.stderr)).toMatchObject({ error: { code, next: { why: expect.any(String) as string } } })
  })
})
