import { spawn } from 'node:child_process'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Conflict, Internal, NotFound } from '../../src/kernel/errors.ts'
import { createCatalogue } from '../../src/operations/catalogue.ts'
import { errorAnswer, resultAnswer, toolName } from '../../src/surfaces/mcp/tools.ts'
import { exampleInput } from '../support/example-input.ts'
import { BIN, type TestProject, testProject, testServer } from '../support/qed.ts'

async function connected(
  transport: ConstructorParameters<typeof StdioClientTransport>[0] | URL,
  token = '',
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    transport instanceof URL
      ? new StreamableHTTPClientTransport(transport, { requestInit: { headers: { authorization: `Bearer ${token}` } } })
      : new StdioClientTransport(transport),
  )
  onTestFinished(() => client.close())
  return client
}

const overStdio = (project: TestProject, tools = 'full', mode?: 'auto' | 'legacy'): Promise<Client> =>
  connected({ command: BIN, args: ['mcp', 'start', '--tools', tools], cwd: project.root, env: project.env, stderr: 'ignore' }, '', mode)

describe('U-18 the official client', () => {
  test.each(['auto', 'legacy'] as const)('lists and calls the tools over stdio (%s protocol)', async mode => {
    const client = await overStdio(await testProject(), 'full', mode)
    const { tools } = await client.listTools()
    expect(tools.map(tool => tool.name)).toEqual(expect.arrayContaining(['qed_doctor', 'qed_events_list', 'qed_status']))
    expect((await client.callTool({ name: 'qed_events_verify', arguments: {} })).structuredContent).toMatchObject({
      result: { ok: true, count: 1 },
    })
  })

  test.each(['auto', 'legacy'] as const)('lists and calls the tools over HTTP (%s protocol)', async mode => {
    const server = await testServer(await testProject(), ['--tools', 'full'])
    const client = await connected(new URL(`${server.url}/mcp`), server.token, mode)
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    expect((await client.callTool({ name: 'qed_status', arguments: {} })).structuredContent).toMatchObject({
      result: { initialised: true },
    })
  })

  test('qed mcp start --http serves the same', async () => {
    const project = await testProject()
    const child = spawn(BIN, ['mcp', 'start', '--http', '--json'], {
      cwd: project.root,
      env: project.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill())
    const line = await new Promise<string>(resolve => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())))
    const { readServerFile } = await import('../../src/project/server-file.ts')
    const client = await connected(
      new URL(`${(JSON.parse(line) as { url: string }).url}/mcp`),
      readServerFile(`${project.root}/.qed`)?.token,
    )
    expect((await client.listTools()).tools.map(tool => tool.name)).toEqual([
      'qed_run_list',
      'qed_run_get',
      'qed_approval_list',
      'qed_policy_explain',
      'qed_doctor',
    ])
  })
})

describe('U-20 tools', () => {
  test('have titles, short descriptions, schemas and hints, and answer as their output schema says', async () => {
    const client = await overStdio(await testProject())
    const { tools } = await client.listTools()
    const ajv = new Ajv2020({ strict: false })
    const inputs = new Map((await createCatalogue().all()).map(operation => [toolName(operation), exampleInput(operation)]))
    for (const tool of tools) {
      expect(tool).toMatchObject({ title: expect.any(String), inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
      expect(tool.description?.length).toBeLessThanOrEqual(300)
      const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
      expect([tool.name, readOnlyHint === true && idempotentHint !== true]).toEqual([tool.name, false])
      if (!readOnlyHint) continue
      const { structuredContent } = await client.callTool({ name: tool.name, arguments: inputs.get(tool.name) ?? {} })
      expect([tool.name, ajv.validate(tool.outputSchema as object, structuredContent)]).toEqual([tool.name, true])
    }
  })

  test('the core set stays below 32 KiB and instructions below 2 KiB', async () => {
    const client = await overStdio(await testProject(), 'core')
    expect(JSON.stringify(await client.listTools()).length).toBeLessThan(32_768)
    expect(client.getInstructions()?.length).toBeLessThanOrEqual(2048)
  })

  test('U-19 what is for persons, or never for agents, is in no set', async () => {
    const client = await overStdio(await testProject())
    const offered = (await client.listTools()).tools.map(tool => tool.name)
    const withheld = (await createCatalogue().all()).filter(operation => operation.personOnly || operation.mcp === 'never').map(toolName)
    expect(offered.filter(name => withheld.includes(name))).toEqual([])
    expect(withheld).toEqual(expect.arrayContaining(['qed_events_redact', 'qed_store_restore']))
  })

  test('a set can be named tool by tool; a wrong name says which is right', async () => {
    const project = await testProject()
    const client = await overStdio(project, 'qed_status,qed_doctor')
    expect((await client.listTools()).tools.map(tool => tool.name)).toEqual(['qed_status', 'qed_doctor'])
    expect(await project.run(['mcp', 'start', '--tools', 'qed_statsu'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('qed_status'),
    })
  })
})

describe('U-21 answers', () => {
  test('wrong input is an error the model can read', async () => {
    const client = await overStdio(await testProject())
    const answer = await client.callTool({ name: 'qed_events_list', arguments: { limit: 0 } })
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_input', details: { issues: [{ path: '/limit' }] } } },
    })
  })

  test('an unknown tool is an error of the protocol', async () => {
    const client = await overStdio(await testProject())
    await expect(client.callTool({ name: 'qed_nothing', arguments: {} })).rejects.toThrow(/no tool qed_nothing/)
  })

  test.each([
    [
      new Conflict('taken', { next: { operation: 'store.stats', command: 'qed store stats', why: 'look' } }),
      false,
      { blocked: { code: 'conflict', reason: 'taken', next: { tool: 'qed_store_stats', command: 'qed store stats', why: 'look' } } },
    ],
    [new NotFound('gone'), true, { error: { code: 'not_found', message: 'gone' } }],
    [new Internal(new Error('oops')), true, { error: { code: 'internal' } }],
  ])('%s', (error, isError, structuredContent) => {
    expect(errorAnswer(error)).toMatchObject({ isError, structuredContent })
  })

  test('a long answer is cut in the text, said so, and whole in the structure', () => {
    const { content, structuredContent } = resultAnswer({ text: 'x'.repeat(20_000) })
    expect(content[0].text.length).toBeLessThanOrEqual(8192)
    expect(content[0].text).toMatch(/cut: \d+ of 2\d{4} bytes/)
    expect(JSON.stringify(structuredContent).length).toBeGreaterThan(20_000)
  })
})

describe('U-24 the end of a connection', () => {
  test('closing stdin ends the server with exit 0', async () => {
    const project = await testProject()
    const child = spawn(BIN, ['mcp', 'start'], { cwd: project.root, env: project.env, stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>(resolve => child.on('exit', resolve))
    child.stdin.write('this is not a message\n')
    child.stdin.end()
    expect(await ended).toBe(0)
  })

  test('calls that were sent before stdin closed are answered', async () => {
    const project = await testProject()
    const call = (id: number, method: string, params: object) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    const stdin = `${call(1, 'initialize', hello)}{"jsonrpc":"2.0","method":"notifications/initialized"}\n${call(2, 'tools/call', { name: 'qed_doctor', arguments: {} })}`
    const { stdout, exit } = await project.run(['mcp', 'start'], { stdin })
    expect(exit).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map(line => (JSON.parse(line) as { id: number }).id),
    ).toEqual([1, 2])
  })

  test('a message over the limit ends the connection, not the machine', async () => {
    const project = await testProject()
    const child = spawn(BIN, ['mcp', 'start'], { cwd: project.root, env: project.env, stdio: ['pipe', 'ignore', 'ignore'] })
    const ended = new Promise<number | null>(resolve => child.on('exit', resolve))
    child.stdin.on('error', () => undefined)
    child.stdin.write('x'.repeat(12 << 20))
    child.stdin.end()
    expect(await ended).toBe(0)
  })

  test('a cancelled call is given up', async () => {
    const project = await testProject()
    const client = await overStdio(project)
    const stop = new AbortController()
    const call = client.callTool({ name: 'qed_doctor', arguments: {} }, { signal: stop.signal })
    stop.abort()
    await expect(call).rejects.toThrow(/abort/i)
    expect((await client.callTool({ name: 'qed_version', arguments: {} })).isError).toBe(false)
  })
})
