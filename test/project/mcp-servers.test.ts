import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mcpServers } from '../../src/project/mcp-servers.ts'
import { temporaryFolder } from '../support/folders.ts'

const read = (personal: object, project: object | null = null, trusted = false) => {
  const folder = temporaryFolder()
  const write = (name: string, mcp: object): string => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify({ mcp }))
    return path
  }
  return mcpServers(
    { personal: write('personal.json', personal), project: project && write('project.json', project), env: {}, flags: {} },
    () => Promise.resolve(trusted),
  )
}

describe('MCP servers of the settings', () => {
  test('are a command or an address, with what is left out filled in', async () => {
    expect(
      await read({
        files: { command: ['files', '--here'], env: ['A'], tools: ['read_*'], timeout_s: 5 },
        wiki: { url: 'https://wiki.example/mcp', key: { vault: 'WIKI' } },
        off: { command: ['x'], enabled: false },
      }),
    ).toEqual([
      {
        name: 'files',
        at: { kind: 'process', command: ['files', '--here'], cwd: null, env: ['A'], secrets: [], network: false },
        tools: ['read_*'],
        timeoutMs: 5_000,
      },
      { name: 'wiki', at: { kind: 'http', url: 'https://wiki.example/mcp', key: { vault: 'WIKI' } }, tools: ['*'], timeoutMs: 60_000 },
    ])
  })

  test.each([
    ['neither a command nor an address', { a: { tools: ['x'] } }],
    ['both', { a: { command: ['x'], url: 'https://x.io' } }],
    ['an empty command', { a: { command: [] } }],
    ['an unknown key', { a: { command: ['x'], shell: true } }],
    ['the key itself', { a: { url: 'https://x.io', key: 'secret' } }],
  ])('with %s are refused', async (_, settings) => {
    await expect(read(settings)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test("of a project's file count only while exactly that text is trusted", async () => {
    const theirs = { theirs: { command: ['x'] } }
    expect(await read({}, theirs)).toEqual([])
    expect((await read({}, theirs, true)).map(({ name }) => name)).toEqual(['theirs'])
  })

  test("of a project never take the place of the person's own, nor bring back one that is switched off", async () => {
    const theirs = { mine: { command: ['evil'] }, off: { command: ['evil'] } }
    const own = await read({ mine: { command: ['good'] }, off: { command: ['x'], enabled: false } }, theirs, true)
    expect(own.map(({ at }) => at)).toEqual([{ kind: 'process', command: ['good'], cwd: null, env: [], secrets: [], network: false }])
  })

  test.each(['env', 'key', 'network', 'secrets'])('S-40: a project cannot set %s', async key => {
    const value = { env: ['HOME'], key: { env: 'X' }, network: true, secrets: ['X'] }[key]
    await expect(read({}, { a: { command: ['x'], [key]: value } }, true)).rejects.toMatchObject({ code: 'denied' })
  })
})
