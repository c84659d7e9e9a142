import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { createCatalogue } from '../../src/operations/catalogue.ts'
import { mcpSetOf } from '../../src/operations/describe.ts'
import { connect } from '../../src/sdk/client.ts'
import { toolName } from '../../src/surfaces/mcp/tools.ts'
import { exampleInput } from '../support/example-input.ts'
import { DONE, TEST, UNDONE, workIn } from '../support/proving.ts'
import { BIN, type TestProject, testProject, testServer } from '../support/qed.ts'

/** Operations that change something at each call, end only by a signal, or differ on purpose. */
const LEFT_OUT = new Set([
  'demo',
  'events.tail',
  'events.redact',
  'store.backup',
  'store.restore',
  'store.compact',
  'discover',
  'call.list',
  'store.stats',
  'config.set',
  'project.trust',
  'place.clean',
  'snapshot.show',
  'snapshot.restore',
  'snapshot.drop',
  'backup.restore',
  'run.work',
  'models.test',
  'models.refresh',
  'run.resume',
  'run.undo',
  'run.get',
  'run.egress',
  'approval.get',
  'approval.resolve',
  'run.abort',
  'run.retry-check',
  'attempt.abandon',
  'sandbox.probe',
  'sandbox.exec',
  'vault.set',
  'vault.remove',
  'vault.exec',
  'vault.run',
  'vault.reveal',
  'proof.run',
  'proof.accept',
  'proof.rotate-key',
])

async function mcpClient(project: TestProject): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(
    new StdioClientTransport({
      command: BIN,
      args: ['mcp', 'start', '--tools', 'full'],
      cwd: project.root,
      env: project.env,
      stderr: 'ignore',
    }),
  )
  onTestFinished(() => client.close())
  return client
}

/** A project whose HEAD is proven, so that there is something to read. */
async function provenProject(): Promise<TestProject> {
  const project = await testProject()
  const work = workIn(UNDONE, project.root)
  work.write(DONE)
  work.commit('done')
  expect(await project.run(['prove', '--result', 'HEAD', '--base', 'HEAD~1', '--', ...TEST], { timeout: 60_000 })).toMatchObject({
    exit: 0,
  })
  return project
}

test('the same input gives the same output over --json, --jsonl, HTTP, RPC and MCP', { timeout: 60_000 }, async () => {
  const project = await provenProject()
  const server = await testServer(project)
  const rpc = await connect({ port: server.port, token: server.token })
  const mcp = await mcpClient(project)
  const compared: string[] = []
  for (const operation of await createCatalogue().all()) {
    if (LEFT_OUT.has(operation.name)) continue
    const input = exampleInput(operation)
    const words = operation.name.split('.')
    const answers: Record<string, unknown> = {
      json: await project.json([...words, '--input', JSON.stringify(input)]),
      jsonl: JSON.parse((await project.run([...words, '--jsonl'], { stdin: JSON.stringify(input) })).stdout) as unknown,
      http: await (
        await fetch(`${server.url}/api/${operation.name}`, {
          method: 'POST',
          body: JSON.stringify(input),
          headers: { authorization: `Bearer ${server.token}` },
        })
      ).json(),
    }
    // `init` over RPC binds the connection and answers in its own form.
    if (operation.name !== 'init') answers['rpc'] = await rpc.call(operation.name as never, input as never)
    if (mcpSetOf(operation) !== 'never') {
      const { structuredContent } = await mcp.callTool({ name: toolName(operation), arguments: input })
      answers['mcp'] = (structuredContent as { result: unknown }).result
    }
    const { json, ...others } = answers
    for (const [surface, answer] of Object.entries(others))
      expect([operation.name, surface, answer]).toEqual([operation.name, surface, json])
    compared.push(operation.name)
  }
  rpc.close()
  expect(compared).toEqual(
    expect.arrayContaining(['status', 'doctor', 'proof.show', 'proof.check', 'events.list', 'events.verify', 'config.list', 'version']),
  )
})

test('the lists of all surfaces are the catalogue', async () => {
  const project = await testProject()
  const server = await testServer(project)
  const { operations } = (await project.json(['discover'])) as { operations: { name: string; surfaces: string[] }[] }
  const names = operations.map(({ name }) => name)
  const rpc = await connect({ port: server.port, token: server.token })
  const { methods } = (await rpc.call('discover')) as never as { methods: Record<string, { operation: string }> }
  rpc.close()
  expect([...new Set(Object.values(methods).map(({ operation }) => operation))].sort()).toEqual([...names].sort())
  const { tools } = await (await mcpClient(project)).listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual(
    operations
      .filter(({ surfaces }) => surfaces.includes('mcp'))
      .map(toolName)
      .sort(),
  )
})

test('the official MCP inspector lists and calls the tools, over stdio and over HTTP', { timeout: 60_000 }, async () => {
  const project = await testProject()
  const server = await testServer(project, ['--tools', 'full'])
  const inspector = join(import.meta.dirname, '../../node_modules/.bin/mcp-inspector')
  const inspect = (target: string[], ...args: string[]): { status: number | null; stdout: string } =>
    spawnSync(inspector, ['--cli', ...target, ...args], {
      cwd: project.root,
      env: { ...process.env, ...project.env, PATH: process.env['PATH'] ?? '' },
      encoding: 'utf8',
    })
  const overStdio = [BIN, 'mcp', 'start', '--tools', 'full']
  const overHttp = [`${server.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${server.token}`]
  for (const target of [overStdio, overHttp]) {
    const listed = JSON.parse(inspect(target, '--method', 'tools/list').stdout) as { tools: { name: string }[] }
    expect(listed.tools.map(({ name }) => name)).toContain('qed_events_list')
    const called = JSON.parse(inspect(target, '--method', 'tools/call', '--tool-name', 'qed_status').stdout) as {
      structuredContent: object
    }
    expect(called.structuredContent).toMatchObject({ result: { initialised: true } })
  }
})
