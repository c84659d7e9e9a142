import { connect as connectTcp } from 'node:net'
import { performance } from 'node:perf_hooks'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import * as z from 'zod'
import { createApp } from '../../src/app.ts'
import { connectRpc as connect } from '../../src/client/rpc-client.ts'
import { Busy, Cancelled, Conflict, InvalidInput, NotFound, TimedOut, TooLarge, Unavailable } from '../../src/kernel/errors.ts'
import { createCatalogue } from '../../src/operations/catalogue.ts'
import { operation } from '../../src/operations/operation.ts'
import { RpcConnection } from '../../src/surfaces/rpc/connection.ts'
import { methodTable } from '../../src/surfaces/rpc/methods.ts'
import { readFrame, toRpcError } from '../../src/surfaces/rpc/protocol.ts'
import { exampleInput } from '../support/example-input.ts'
import { type TestServer, testProject, testServer } from '../support/qed.ts'

describe('RPC-9 frames', () => {
  test.each([
    ['{', -32700, null],
    ['[]', -32600, null],
    [JSON.stringify(Array.from({ length: 101 }, () => ({}))), -32600, null],
    ['1', -32600, null],
    ['{"id":1,"method":"ping"}', -32600, 1],
    ['{"jsonrpc":"2.0","id":"a"}', -32600, 'a'],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602, 1],
  ])('%s is %i', (text, code, id) => {
    expect(readFrame(text)).toMatchObject({ kind: 'single', member: { kind: 'wrong', id, error: { code } } })
  })

  test('a request without id is a notification, absent params are an object', () => {
    expect(readFrame('{"jsonrpc":"2.0","method":"ping"}')).toEqual({
      kind: 'single',
      member: { kind: 'request', request: { method: 'ping', params: {} } },
    })
  })
})

test.each([
  [new InvalidInput('x', [{ path: '/a', message: 'm' }]), -32602, { code: 'invalid_params', issues: [{ path: '/a', message: 'm' }] }],
  [new NotFound('x'), -32002, { code: 'not_found', status: 404 }],
  [new Conflict('x'), -32003, { code: 'conflict', status: 409 }],
  [new TooLarge('x', { bytes: 2, most: 1 }), -32005, { code: 'too_large', status: 413, bytes: 2 }],
  [new TimedOut('x', 5), -32006, { code: 'timeout', status: 504 }],
  [new Busy('x'), -32007, { code: 'busy', status: 429 }],
  [new Cancelled('x'), -32008, { code: 'cancelled', status: 499 }],
  [new Unavailable('x'), -32000, { code: 'unavailable' }],
])('RPC-11 %s is %i', (error, code, data) => {
  expect(toRpcError(error)).toMatchObject({ code, data })
})

function open(server: TestServer, options: { headers?: Record<string, string>; protocols?: string[]; path?: string } = {}): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${server.port}${options.path ?? '/rpc'}`, options.protocols ?? ['qed.v1'], {
    headers: { authorization: `Bearer ${server.token}`, ...options.headers },
  })
}

function statusOf(socket: WebSocket): Promise<number> {
  return new Promise(resolve => {
    socket
      .on('open', () => resolve(101))
      .on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
      .on('error', () => undefined)
  })
}

async function talk(socket: WebSocket, ...frames: unknown[]): Promise<unknown[]> {
  await new Promise(resolve => socket.on('open', resolve))
  const answers: unknown[] = []
  const done = new Promise<void>(resolve => {
    socket.on('message', (data: Buffer) => {
      answers.push(JSON.parse(data.toString()))
      if (answers.length === frames.length) resolve()
    })
    socket.on('close', () => resolve())
  })
  for (const frame of frames) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  await done
  return answers
}

const request = (id: number, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, ...(params && { params }) })

describe('RPC-5 who may connect', () => {
  test.each([
    ['the token as a header', {}, 101],
    ['no token', { headers: { authorization: '' } }, 401],
    ['a wrong token', { headers: { authorization: 'Bearer wrong' } }, 401],
    ['another origin', { headers: { origin: 'http://evil.test' } }, 403],
    ['another host', { headers: { host: 'evil.test' } }, 421],
    ['another path', { path: '/other' }, 404],
  ])('%s: %o → %i', async (_, options, status) => {
    const server = await testServer(await testProject())
    expect(await statusOf(open(server, options))).toBe(status)
  })

  test('RPC-4 the token as a second subprotocol, answered with qed.v1 alone', async () => {
    const server = await testServer(await testProject())
    const socket = open(server, { headers: { authorization: '' }, protocols: ['qed.v1', `qed.token.${server.token}`] })
    expect(await statusOf(socket)).toBe(101)
    expect(socket.protocol).toBe('qed.v1')
  })

  test('after ten wrong tokens a right one has to wait', async () => {
    const server = await testServer(await testProject())
    for (let i = 0; i < 10; i++) await statusOf(open(server, { headers: { authorization: 'Bearer wrong' } }))
    expect(await statusOf(open(server))).toBe(429)
  })
})

describe('a connection', () => {
  test('answers each vector of the protocol', async () => {
    const server = await testServer(await testProject())
    const answers = await talk(
      open(server),
      '{',
      request(1, 'ping'),
      request(2, 'events.lst'),
      request(3, 'events.list', { limit: 0 }),
      request(4, 'events.list', { limit: 1, unheardOf: true }),
      [request(5, 'ping'), { jsonrpc: '2.0', method: 'ping' }, request(6, 'ping')],
      request(7, 'events.redact', { seq: 99, reason: 'x' }),
    )
    const byId = new Map(answers.map(answer => [Array.isArray(answer) ? 'batch' : (answer as { id: unknown }).id, answer]))
    expect(byId.get(null)).toMatchObject({ error: { code: -32700 } })
    expect(byId.get(1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    expect(byId.get(2)).toMatchObject({ error: { code: -32601, data: { code: 'unknown_method', near: ['events.list'] } } })
    expect(byId.get(3)).toMatchObject({ error: { code: -32602, data: { code: 'invalid_params', issues: [{ path: '/limit' }] } } })
    expect(byId.get(4)).toMatchObject({ result: { items: [{ seq: 1 }] } })
    expect(byId.get('batch')).toEqual([5, 6].map(id => ({ jsonrpc: '2.0', id, result: {} })))
    expect(byId.get(7)).toMatchObject({ error: { code: -32002 } })
  })

  test('RPC-30 discover lists every method, and every read method answers as its schema says', async () => {
    const server = await testServer(await testProject())
    const [discovered] = (await talk(open(server), request(1, 'rpc/discover'))) as [
      { result: { methods: Record<string, { effect: string; operation: string; long: boolean; result: object }> } },
    ]
    const inputs = new Map((await createCatalogue().all()).map(operation => [operation.name, exampleInput(operation)]))
    const reads = Object.entries(discovered.result.methods).filter(
      ([name, method]) => method.effect === 'read' && !['subscribe', 'unsubscribe', 'events.tail'].includes(name),
    )
    expect(reads.map(([name]) => name)).toEqual(
      expect.arrayContaining(['ping', 'status', 'system.status', 'events.list', 'doctor', 'discover', 'version', 'config.list']),
    )
    const answers = (await talk(open(server), ...reads.map(([name, { operation }], i) => request(i, name, inputs.get(operation))))) as {
      id: number
      result: unknown
    }[]
    const ajv = new Ajv2020({ strict: false })
    for (const { id, result } of answers)
      expect([reads[id]?.[0], ajv.validate(reads[id]?.[1].result ?? {}, result)]).toEqual([reads[id]?.[0], true])
  })

  test('RPC-18 init binds to one project', async () => {
    const [project, other] = [await testProject(), await testProject()]
    const server = await testServer(project)
    const client = await connectRpc(server)
    const bound = await client.call('init', { projectRoot: other.root, client: { name: 'test', version: '1' } })
    expect(bound).toMatchObject({ protocol: 1, project_id: expect.stringMatching(/^prj_/) })
    expect(await client.call('init', { project_root: other.root })).toEqual(bound)
    expect(await client.call('status')).toMatchObject({ project: { root: other.root } })
    await expect(client.call('init', { projectRoot: project.root })).rejects.toMatchObject({ rpcCode: -32003 })
    await expect(client.call('init', { projectRoot: '/nowhere/at/all' })).rejects.toMatchObject({ rpcCode: -32002 })
    client.close()
  })

  test('RPC-26 a subscription sends what came after, once and in order, across a reconnect', async () => {
    const project = await testProject()
    const server = await testServer(project)
    const seen: number[] = []
    const first = await connectRpc(server, seen)
    await first.call('subscribe', { after: 0 })
    for (const value of ['1', '2', '3']) await project.run(['config', 'set', 'shell.timeout_ms', value])
    await until(() => seen.length >= 5)
    first.close()
    await project.run(['config', 'set', 'shell.timeout_ms', '4'])
    const second = await connectRpc(server, seen)
    const { subscription } = (await second.call('subscribe', { after: seen.at(-1) })) as { subscription: string }
    await project.run(['config', 'set', 'shell.timeout_ms', '5'])
    await until(() => seen.length >= 7)
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await second.call('unsubscribe', { subscription })).toEqual({})
    await expect(second.call('unsubscribe', { subscription })).rejects.toMatchObject({ code: 'not_found' })
    second.close()
  })

  test('RPC-33 a cancelled request is -32008', async () => {
    const server = await testServer(await testProject())
    const client = await connectRpc(server)
    const stop = new AbortController()
    const waiting = client.call('events.tail', { wait_ms: 20_000 }, { signal: stop.signal })
    setTimeout(() => stop.abort(), 100)
    await expect(waiting).rejects.toMatchObject({ rpcCode: -32008, code: 'cancelled' })
    client.close()
  })

  test('RPC-31 a method that is not long has its time, then -32006, and its work is told to stop', async () => {
    const project = await testProject()
    let stopped = false
    const slow = operation({
      name: 'test.slow',
      summary: 'Never ends by itself',
      effect: 'read',
      input: z.strictObject({}),
      output: () => z.strictObject({}),
      examples: [],
      run: (_app, _input, call) => new Promise(() => call.signal.addEventListener('abort', () => (stopped = true))),
    })
    const app = createApp({ cwd: project.root, env: { ...project.env, QED_RPC_TIMEOUT: '50' }, self: [] })
    const sent: string[] = []
    const parts = { app, catalogue: createCatalogue(), methods: methodTable([slow]), openApp: () => app }
    const connection = new RpcConnection({ ...parts, peer: { send: async text => void sent.push(text) } })
    await connection.receive(JSON.stringify(request(1, 'test.slow')))
    expect(JSON.parse(sent[0] ?? '')).toMatchObject({ id: 1, error: { code: -32006, data: { code: 'timeout', after_ms: 50 } } })
    expect(stopped).toBe(true)
    await app.close()
  })

  test('RPC-8 a binary frame closes with 1003, a frame over 16 MiB with 1009', async () => {
    const server = await testServer(await testProject())
    const closedWith = async (frame: Buffer | string): Promise<number> => {
      const socket = open(server)
      socket.on('error', () => undefined)
      await new Promise(resolve => socket.on('open', resolve))
      const closed = new Promise<number>(resolve => socket.on('close', resolve))
      socket.send(frame)
      return closed
    }
    expect([await closedWith(Buffer.from('x')), await closedWith('x'.repeat((16 << 20) + 1))]).toEqual([1003, 1009])
  })

  test('RPC-34 more than 200 requests in 10 s are refused with the time to wait', async () => {
    const server = await testServer(await testProject())
    const answers = (await talk(open(server), ...Array.from({ length: 210 }, (_, i) => request(i, 'ping')))) as {
      error?: { code: number; data: { retry_after_ms: number } }
    }[]
    const refused = answers.filter(answer => answer.error)
    expect(refused.length).toBeGreaterThanOrEqual(10)
    expect(refused[0]?.error).toMatchObject({ code: -32007, data: { code: 'busy', retry_after_ms: expect.any(Number) } })
  })

  test('RPC-36 calls are recorded, cut and redacted', async () => {
    const project = await testProject()
    const server = await testServer(project)
    const secret = ['ghp_', 'z'.repeat(36)].join('')
    await talk(open(server), request(1, 'events.list', { stream: `${secret}${'x'.repeat(100)}` }), request(2, 'discover'))
    const { items } = (await project.json(['call', 'list'])) as {
      items: { method: string; input: string; output: string; request: string }[]
    }
    expect(new Map(items.map(item => [item.method, item.request]))).toEqual(
      new Map([
        ['discover', '2'],
        ['events.list', '1'],
      ]),
    )
    expect(JSON.stringify(items)).not.toContain(secret)
    expect(Math.max(...items.map(item => item.output?.length ?? 0))).toBe(4096)
    expect(JSON.stringify(items)).not.toContain(server.token)
  })

  test('a client that vanishes in the middle leaves the server well', async () => {
    const server = await testServer(await testProject())
    const socket = open(server)
    await new Promise(resolve => socket.on('open', resolve))
    socket.send(JSON.stringify(request(1, 'events.tail', { wait_ms: 60_000 })))
    socket.terminate()
    expect(await talk(open(server), request(1, 'ping'))).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })

  test('RPC-37 SIGTERM closes with 1001 and takes the server file away', async () => {
    const project = await testProject()
    const server = await testServer(project)
    const socket = open(server)
    await new Promise(resolve => socket.on('open', resolve))
    const closed = new Promise<number>(resolve => socket.on('close', resolve))
    await server.stop()
    expect(await closed).toBe(1001)
    expect(await project.json(['status'])).toMatchObject({ server: null })
  })
})

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !condition(); i++) await new Promise(resolve => setTimeout(resolve, 25))
}

type Anything = Record<string, { input: object; output: object }>

function connectRpc(server: TestServer, seen: number[] = []) {
  return connect<Anything>({ port: server.port, token: server.token, onNotification: (_, params) => seen.push(params['seq'] as number) })
}

describe('what must not end the server', () => {
  test('a 257th client that resets its connection', { timeout: 60_000 }, async () => {
    const server = await testServer(await testProject())
    const sockets = Array.from({ length: 256 }, () => open(server))
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.on('open', resolve))))
    expect(await statusOf(open(server))).toBe(503)
    for (let i = 0; i < 50; i++) {
      const raw = connectTcp(server.port, '127.0.0.1', () => {
        raw.write(
          `GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
        )
        raw.resetAndDestroy()
      })
      raw.on('error', () => undefined)
    }
    await new Promise(resolve => setTimeout(resolve, 300))
    for (const socket of sockets) socket.terminate()
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })

  test('RPC-37 a request in flight is answered -32008 before the connection closes with 1001', { timeout: 60_000 }, async () => {
    const server = await testServer(await testProject())
    const client = await connectRpc(server)
    const waiting = client.call('events.tail', { wait_ms: 600_000 }).catch((error: unknown) => error)
    await client.call('ping')
    const stopped = server.stop()
    expect(await waiting).toMatchObject({ rpcCode: -32008, code: 'cancelled' })
    await stopped
  })

  test('a number that is still in flight cannot be used again', async () => {
    const server = await testServer(await testProject())
    const socket = open(server)
    const answers = await talk(socket, request(1, 'events.tail', { wait_ms: 300 }), request(1, 'ping'))
    expect(answers).toMatchObject([{ error: { code: -32600 } }, { result: { count: 0 } }])
  })

  test('a store that another process keeps locked holds nobody up', async () => {
    const project = await testProject()
    const server = await testServer(project)
    const { DatabaseSync } = await import('node:sqlite')
    const other = new DatabaseSync(`${project.root}/.qed/qed.db`)
    other.exec('BEGIN IMMEDIATE')
    const started = performance.now()
    await talk(open(server), ...[1, 2, 3].map(id => request(id, 'ping')))
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    expect(performance.now() - started).toBeLessThan(3000)
    other.exec('ROLLBACK')
    other.close()
  })
})
