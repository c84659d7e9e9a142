import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connectRpc } from '../../src/client/rpc-client.ts'
import { readServerFile } from '../../src/project/server-file.ts'
import { type Case, milliseconds } from '../harness.ts'
import { BIN, type Scene } from '../scene.ts'

const CALLS = 50

/** One read call on each surface, beside a bare HTTP server on this machine. `close` ends what was started. */
export async function roundTripCases({ project, env }: Scene): Promise<{ cases: Case[]; close(): Promise<void> }> {
  const bare = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const server = spawn(BIN, ['serve', '--json'], { cwd: project, env, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(server.stdout, 'data')
  const file = readServerFile(`${project}/.qed`)
  if (!file) throw new Error('qed serve did not start')
  const mcp = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await mcp.connect(
    new StdioClientTransport({ command: BIN, args: ['mcp', 'start', '--tools', 'full'], cwd: project, env, stderr: 'ignore' }),
  )

  const each = (call: () => Promise<unknown>) => async (): Promise<number> => {
    const took = await milliseconds(async () => {
      for (let i = 0; i < CALLS; i++) await call()
    })
    return took / CALLS
  }
  const floor = 'bare HTTP round trip'
  const headers = { authorization: `Bearer ${file.token}` }
  const get = async (url: string, init?: RequestInit): Promise<string> => (await fetch(url, init)).text()
  const cases: Case[] = [
    { name: floor, unit: 'ms', run: each(() => get(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`)) },
    {
      name: 'HTTP system.ping',
      unit: 'ms',
      floor,
      run: each(() => get(`http://127.0.0.1:${file.port}/api/system.ping`, { method: 'POST', headers })),
    },
    { name: 'RPC ping', unit: 'ms', floor, run: rpcPing(file) },
    { name: 'MCP qed_version', unit: 'ms', floor, run: each(() => mcp.callTool({ name: 'qed_version', arguments: {} })) },
    { name: 'RPC start to first ping', unit: 'ms', goal: { most: 250 }, run: () => startToPing({ project: `${project}-rpc`, env }) },
  ]
  return {
    cases,
    close: async () => {
      await mcp.close()
      bare.close()
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    },
  }
}

type Ping = { ping: { input: object; output: object } }

// A connection of its own each time: 200 requests in 10 s are all that one may send.
function rpcPing(file: { port: number; token: string }): () => Promise<number> {
  return async () => {
    const client = await connectRpc<Ping>(file)
    const took = await milliseconds(async () => {
      for (let i = 0; i < CALLS; i++) await client.call('ping')
    })
    client.close()
    return took / CALLS
  }
}

async function startToPing({ project, env }: { project: string; env: Record<string, string> }): Promise<number> {
  let server: ReturnType<typeof spawn> | undefined
  const took = await milliseconds(async () => {
    server = spawn(BIN, ['serve', '--json'], { cwd: project, env, stdio: ['ignore', 'pipe', 'ignore'] })
    if (server.stdout) await once(server.stdout, 'data')
    const file = readServerFile(`${project}/.qed`)
    if (!file) throw new Error('qed serve did not start')
    const client = await connectRpc<Ping>(file)
    await client.call('ping')
    client.close()
  })
  server?.kill('SIGTERM')
  if (server) await once(server, 'exit')
  return took
}
