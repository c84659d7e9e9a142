import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../src/kernel/json.ts'
import type { McpServer } from '../../src/project/mcp-servers.ts'
import { extraValues } from '../../src/sandbox/isolation/environment.ts'
import { createMcpServers, type McpServers } from '../../src/tools/mcp/servers.ts'
import { bench, isAlive, NODE } from '../sandbox/support.ts'
import { closedPort, httpServer, writeStdioServer } from '../support/mcp/start.ts'
import { writeStrangeServer } from '../support/mcp/strange-server.ts'

interface Scene {
  servers: McpServers
  stop: AbortController
  running: () => number
  call: (tool: string, input?: JsonObject, server?: string) => Promise<{ ok: boolean; text: string }>
}

function scene(settings: (folder: string) => Partial<McpServer>[], env: Record<string, string> = {}): Scene {
  const at = bench()
  const stop = new AbortController()
  const servers = createMcpServers(
    settings(at.place).map(server => ({ name: 'own', tools: ['*'], timeoutMs: 10_000, ...server }) as McpServer),
    {
      run: at.run_id,
      root: at.place,
      signal: stop.signal,
      processes: at.processes,
      walls: { profile: 'worker', writable: { place: at.place } },
      env: names => extraValues(names, env),
      key: source => ('env' in source ? Promise.resolve(env[source.env] ?? '') : Promise.reject(new Error('There is no such secret.'))),
      refusedSecret: () => Promise.resolve(null),
      redact: at.redaction.text,
      connectMs: 2_000,
    },
  )
  return {
    servers,
    stop,
    running: () => at.processes.running().length,
    call: async (tool, input = {}, server = 'own') => servers.call(await servers.tool(server, tool), input),
  }
}

const process_ = (command: string[], more: object = {}): McpServer['at'] => ({
  kind: 'process',
  command,
  cwd: null,
  env: [],
  secrets: [],
  network: false,
  ...more,
})
const stdio = (more: Partial<McpServer> = {}, at: object = {}) =>
  scene(folder => [{ at: process_([NODE, writeStdioServer(folder)], at), ...more }], { PLAIN: 'seen', MY_API_KEY: 'hidden' })

describe('an MCP server that is a process of the run', () => {
  test('starts when it is first needed and not before, answers, and is gone when the run ends', async () => {
    const { servers, call, running } = stdio()
    expect(running()).toBe(0)
    expect(await call('add', { a: 2, b: 40 })).toEqual({ ok: true, text: '42' })
    const { text: pid } = await call('pid')
    expect(isAlive(Number(pid))).toBe(true)
    await servers.close()
    expect([running(), isAlive(Number(pid))]).toEqual([0, false])
  })

  test('ends with the run that is stopped, whatever it is doing', async () => {
    const { call, stop, running } = stdio()
    const hanging = call('hang').catch((error: unknown) => error)
    await vi.waitUntil(() => running() === 1, { timeout: 10_000 })
    stop.abort()
    expect(await hanging).toMatchObject({ kind: 'aborted' })
    await vi.waitUntil(() => running() === 0, { timeout: 10_000 })
  })

  test('S-39, S-41: sees the variables that were named, no credential among them, and nothing else of the environment', async () => {
    const { call, servers } = stdio({}, { env: ['PLAIN', 'MY_API_KEY', 'NODE_OPTIONS', 'SET=here'] })
    const seen = JSON.parse((await call('environment')).text) as Record<string, string>
    expect(seen).toMatchObject({ PLAIN: 'seen', SET: 'here', CI: 'true' })
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['MY_API_KEY']))
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['NODE_OPTIONS']))
    await servers.close()
  })

  test('that ends in the middle of a call is told with its last words, and the next call meets a new one', async () => {
    const { call, servers } = stdio()
    await expect(call('crash')).rejects.toMatchObject({ kind: 'gone', message: 'it exited with 3. Its last words:\nout of cheese' })
    expect(await call('add', { a: 1, b: 1 })).toEqual({ ok: true, text: '2' })
    await servers.close()
  })

  test('that does not answer in time is called off and ended', async () => {
    const { call, servers, running } = stdio({ timeoutMs: 1_000 })
    await expect(call('hang')).rejects.toMatchObject({ kind: 'timeout', message: 'it did not answer within 1 s' })
    expect(running()).toBe(0)
    await servers.close()
  })

  test.each([
    ['is not there', ['no-such-program'], /There is no program no-such-program/],
    ['leaves at once', [NODE, '-e', 'console.error("no licence"); process.exit(1)'], /it exited with 1\. Its last words:\nno licence/],
    ['speaks another language', [NODE, '-e', 'console.log("hello"); setTimeout(() => process.exit(0), 300)'], /it exited with 0/],
  ])('that %s is not available, with the reason', async (_, command, message) => {
    const { servers } = scene(() => [{ at: process_(command) }])
    await expect(servers.tools('own')).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringMatching(message) as string })
  })

  test('that starts and says nothing is told as such, with its last words, and ended', async () => {
    const { servers, running } = scene(() => [
      { at: process_([NODE, '-e', 'console.error("waiting for a database"); process.stdin.resume(); setInterval(() => 0, 1000)']) },
    ])
    await expect(servers.tools('own')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'it did not answer within 2 s. Its last words:\nwaiting for a database',
    })
    expect([running(), servers.whyAway('own')?.kind]).toEqual([0, 'unavailable'])
  })

  test('that talks beside the protocol, asks for what QED does not give, or answers what is no answer, harms nothing', async () => {
    const { call, servers } = scene(folder => [{ at: process_([NODE, writeStrangeServer(folder)]) }])
    expect(await call('chatter')).toEqual({ ok: true, text: 'fine' })
    for (const asked of ['elicitation/create', 'sampling/createMessage', 'roots/list'])
      expect(await call(asked)).toEqual({ ok: true, text: expect.stringMatching(/"code":-32601/) as string })
    await expect(call('hologram')).rejects.toMatchObject({
      kind: 'answer',
      message: expect.stringMatching(/not valid MCP.*may have acted/) as string,
    })
    await expect(call('later')).rejects.toThrow('own has no tool later')
    await call('grow')
    expect(await call('later')).toEqual({ ok: true, text: 'here now' })
    await servers.close()
  })

  test('of an older protocol, which leaves at a question that it does not know, is greeted in its own way', async () => {
    const old = `
      const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
      const reply = {
        initialize: m => answer(m.id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }),
        'notifications/initialized': () => {},
        'tools/list': m => answer(m.id, { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] }),
        'tools/call': m => answer(m.id, { content: [{ type: 'text', text: 'good day' }] }),
      }
      require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
        const message = JSON.parse(line)
        if (!reply[message.method]) process.exit(0)
        reply[message.method](message)
      })`
    const { call, servers } = scene(folder => {
      writeFileSync(join(folder, 'old.cjs'), old)
      return [{ at: process_([NODE, join(folder, 'old.cjs')]) }]
    })
    expect(await call('greet')).toEqual({ ok: true, text: 'good day' })
    await servers.close()
  })

  test('that floods its output with one endless line is ended', async () => {
    const flood = 'const line = "x".repeat(1 << 20); const more = () => process.stdout.write(line, more); more()'
    const { servers, running } = scene(() => [{ at: process_([NODE, '-e', flood]) }])
    await expect(servers.tools('own')).rejects.toMatchObject({ kind: 'unavailable' })
    expect(running()).toBe(0)
  })
})

describe('the tools of a server', () => {
  test('are those that the patterns of the settings name', async () => {
    const { servers } = stdio({ tools: ['add', 'filler_1?'] })
    expect((await servers.tools('own')).map(({ name }) => name)).toEqual(['add', ...Array.from({ length: 10 }, (_, n) => `filler_1${n}`)])
    await expect(servers.tool('own', 'crash')).rejects.toThrow(/own has no tool crash/)
    await servers.close()
  })

  test('take no arguments that do not fit, and the server hears nothing of those', async () => {
    const { servers } = stdio()
    const add = await servers.tool('own', 'add')
    await expect(servers.check(add, { a: 'two' })).rejects.toMatchObject({ kind: 'arguments' })
    await expect(servers.check(add, { a: 1, b: 2 })).resolves.toBeUndefined()
    await servers.close()
  })

  test('say when they failed, and names that are not there are answered with those that are', async () => {
    const { call, servers } = stdio()
    expect(await call('refuse')).toEqual({ ok: false, text: 'the database is locked' })
    await expect(servers.tool('own', 'save_notes')).rejects.toThrow('own has no tool save_notes. Did you mean save_note?')
    await expect(async () => servers.tools('other')).rejects.toThrow('There is no MCP server other. There are: own.')
    await servers.close()
  })
})

describe('an MCP server over HTTP', () => {
  const key = `k-${randomBytes(12).toString('hex')}`
  const at = (url: string): McpServer['at'] => ({ kind: 'http', url, key: { env: 'THE_KEY' } })

  test('gets the key in a header, and what it gives back does not show it', async () => {
    const http = await httpServer(key)
    const { call, servers } = scene(() => [{ at: at(http.url) }], { THE_KEY: key })
    expect(await call('add', { a: 20, b: 22 })).toEqual({ ok: true, text: '42' })
    expect(await call('echo', { text: `it was ${key}` })).toEqual({ ok: true, text: 'it was ***REDACTED***' })
    expect(new Set(http.keys)).toEqual(new Set([`Bearer ${key}`]))
    await servers.close()
  })

  test('that gives too much is broken off', async () => {
    const http = await httpServer(key)
    const { call, servers } = scene(() => [{ at: at(http.url), timeoutMs: 5_000 }], { THE_KEY: key })
    expect((await call('much', { size: 1_000_000 })).text).toHaveLength(1_000_010)
    await expect(call('much', { size: 20_000_000 })).rejects.toMatchObject({ name: 'McpFailure' })
    await servers.close()
  })

  test('whose key cannot be had is not available, and nothing is sent', async () => {
    const http = await httpServer(key)
    const { servers } = scene(() => [{ at: { kind: 'http', url: http.url, key: { vault: 'GONE' } } }])
    await expect(servers.tools('own')).rejects.toMatchObject({ kind: 'unavailable', message: 'There is no such secret.' })
    expect(http.keys).toEqual([])
  })

  test('that refuses the key is not available, and says which setting to look at', async () => {
    const http = await httpServer('another')
    const { servers } = scene(() => [{ at: at(http.url) }], { THE_KEY: key })
    await expect(servers.tools('own')).rejects.toMatchObject({ kind: 'unavailable', message: 'it wants a key that fits (mcp.own.key)' })
  })

  test('that nobody answers for is not available', async () => {
    const port = await closedPort()
    const { servers } = scene(() => [{ at: { kind: 'http', url: `http://127.0.0.1:${port}/mcp`, key: null } }])
    await expect(servers.tools('own')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED') as string,
    })
  })
})
