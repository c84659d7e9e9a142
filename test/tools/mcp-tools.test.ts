import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/kernel/sha256.ts'
import { createBlobs } from '../../src/store/blobs.ts'
import { offered } from '../../src/tools/index.ts'
import { listText, matching, toolText } from '../../src/tools/mcp/find.ts'
import { createLongResults } from '../../src/tools/mcp/long-results.ts'
import { resultText } from '../../src/tools/mcp/result-text.ts'
import type { McpServers } from '../../src/tools/mcp/servers.ts'
import { mcpTools } from '../../src/tools/mcp/tools.ts'
import { McpFailure, type McpTool } from '../../src/tools/mcp/types.ts'
import { temporaryFolder } from '../support/folders.ts'

const tool = (name: string, description = '', server = 'github'): McpTool => ({
  server,
  name,
  description,
  schema: { type: 'object' },
  readOnly: false,
})

describe('mcp_find', () => {
  const tools = [
    tool('search_repositories', 'Search code hosts'),
    tool('createIssue', 'Opens an issue'),
    tool('read', 'Read a page about an issue', 'wiki'),
    tool('unrelated', 'Something else'),
  ]

  test.each([
    ['issue', ['createIssue', 'read']],
    ['create an issue', ['createIssue', 'read']],
    ['wiki', ['read']],
    ['REPOSITOR', ['search_repositories']],
    ['nothing like it', []],
    ['', ['search_repositories', 'createIssue', 'read', 'unrelated']],
  ])('finds by %j what fits best first', (query, names) => {
    expect(matching(tools, query).map(({ name }) => name)).toEqual(names)
  })

  test('lists names with one bounded line each, and at most thirty', () => {
    const many = Array.from({ length: 35 }, (_, n) => tool(`t${n}`, `${'long '.repeat(100)}\nsecond line`))
    const lines = listText(many).split('\n')
    expect(lines).toHaveLength(31)
    expect(lines.at(-1)).toBe('[5 more; narrow the query]')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(220)
  })

  test('shows the schema of the tool that was asked for, bounded', () => {
    const shown = toolText({ ...tool('t', 'What it does'), schema: { type: 'object', description: 'x'.repeat(50_000) } })
    expect(shown).toContain('github t\nWhat it does\nArguments: {"type":"object"')
    expect(shown.length).toBeLessThan(15_000)
  })
})

test('two tools stand for all servers, in few bytes whatever the servers have', () => {
  const servers = { names: ['github', 'wiki'] } as unknown as McpServers
  const schemas = offered(mcpTools(servers, { readingOnly: false, results: createLongResults(createBlobs(temporaryFolder())) }))
  expect(schemas.map(({ name }) => name)).toEqual(['mcp_find', 'mcp_call'])
  expect(Buffer.byteLength(JSON.stringify(schemas))).toBeLessThan(900)
  expect(schemas[0]?.description).toContain('(github, wiki)')
})

test('a server that could not be started is tried again only by its name, and keeps no other from answering', async () => {
  const asked: string[] = []
  const away = new McpFailure('unavailable', 'it did not answer within 30 s')
  const servers = {
    names: ['wiki', 'slow'],
    whyAway: name => (name === 'slow' && asked.includes('slow') ? away : null),
    tools: name => {
      asked.push(name)
      return name === 'slow' ? Promise.reject(away) : Promise.resolve([tool('read', 'Reads', 'wiki')])
    },
  } as Partial<McpServers> as McpServers
  const [find] = mcpTools(servers, { readingOnly: false, results: createLongResults(createBlobs(temporaryFolder())) })
  const found = async (input: Record<string, unknown>) => {
    const prepared = await find?.prepare(input, { root: '/', signal: new AbortController().signal, onOutput: () => undefined })
    return prepared?.act()
  }
  const text = 'wiki read: Reads\n[slow is not available: it did not answer within 30 s\nAsk with server slow to try again.]'
  expect(await found({})).toEqual({ ok: true, text })
  expect(await found({})).toEqual({ ok: true, text })
  expect(asked).toEqual(['wiki', 'slow', 'wiki'])
  await expect(found({ server: 'slow' })).rejects.toThrow('[slow is not available: it did not answer within 30 s]')
  expect(asked).toEqual(['wiki', 'slow', 'wiki', 'slow'])
})

describe('a result', () => {
  test.each([
    [
      {
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      'one\ntwo',
    ],
    [{ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }, '[image image/png, 3 bytes, left out]'],
    [{ content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }] }, '[file:///a]\ninside'],
    [
      { content: [{ type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA', mimeType: 'x/y' } }] },
      '[file:///a]\n[file x/y, 3 bytes, left out]',
    ],
    [{ content: [{ type: 'resource_link', name: 'a', uri: 'file:///a' }] }, '[a: file:///a]'],
    [{ content: [{ type: 'hologram' }, null, 'x'] }, '[hologram left out]'],
    [{ content: [], structuredContent: { sum: 3 } }, '{"sum":3}'],
    [{}, 'It gave nothing back.'],
  ])('%j is told as %j', (given, text) => {
    expect(resultText(given)).toBe(text)
  })

  test('that is too long is shown from its beginning, and every character of the rest can be read', () => {
    const folder = temporaryFolder()
    const results = createLongResults(createBlobs(folder))
    const text = Array.from({ length: 20_000 }, (_, n) => `${n};`).join('')
    let shown = results.first(text)
    let read = ''
    for (let next = /\n\[\d+ more characters; go on with mcp_find (\{.*\})\]$/.exec(shown); next; ) {
      read += shown.slice(0, next.index)
      const { result, offset } = JSON.parse(next[1] ?? '') as { result: string; offset: number }
      // Each part by another process, as after a resume.
      shown = createLongResults(createBlobs(folder)).more(result, offset) ?? 'gone'
      next = /\n\[\d+ more characters; go on with mcp_find (\{.*\})\]$/.exec(shown)
    }
    expect(read + shown).toBe(text)
    expect(results.more(sha256(text), text.length)).toBe('')
  })

  test('that is not kept, and what is no name of one, is nothing', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'other'), 'not a result')
    const results = createLongResults(createBlobs(join(folder, 'blobs')))
    expect(['r1', sha256('x'), '../other', '', '../../other'].map(id => results.more(id, 0))).toEqual([null, null, null, null, null])
  })

  test('that fits is shown as it is, and not kept', () => {
    const folder = temporaryFolder()
    expect(createLongResults(createBlobs(folder)).first('short')).toBe('short')
    expect(readdirSync(folder)).toEqual([])
  })
})
