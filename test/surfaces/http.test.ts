import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { type TestServer, testProject, testServer } from '../support/qed.ts'

interface Sent {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
}

/** A request with any header, which fetch would not send. */
function send(
  server: TestServer,
  { method = 'POST', path = '/api/status', headers = {}, body }: Sent,
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { host: '127.0.0.1', port: server.port, path, method, headers: { authorization: `Bearer ${server.token}`, ...headers } },
      response => {
        let text = ''
        response
          .on('data', (chunk: Buffer) => (text += chunk.toString()))
          .on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
      },
    )
    outgoing.on('error', reject).end(body)
  })
}

describe('U-35 who is let in', () => {
  test.each([
    ['the token', {}, 200],
    ['no token', { headers: { authorization: '' } }, 401],
    ['another host', { headers: { host: 'evil.test' } }, 421],
    ['another port of this host', { headers: { host: 'localhost:1' } }, 421],
    ['another site’s form', { headers: { origin: 'http://evil.test', 'content-type': 'application/x-www-form-urlencoded' } }, 403],
    ['no token, but only asking for health', { method: 'GET', path: '/health', headers: { authorization: '' } }, 200],
    ['another host asking for health', { method: 'GET', path: '/health', headers: { host: 'evil.test' } }, 421],
    ['no token for the MCP endpoint', { path: '/mcp', headers: { authorization: '' } }, 401],
    ['no token for the events', { method: 'GET', path: '/api/events', headers: { authorization: '' } }, 401],
  ])('%s: %o → %i', async (_, sent, status) => {
    const server = await testServer(await testProject())
    expect((await send(server, sent as Sent)).status).toBe(status)
  })

  test('the server’s own origin, on every name of this machine', async () => {
    const server = await testServer(await testProject())
    for (const host of [`localhost:${server.port}`, `127.0.0.1:${server.port}`, `[::1]:${server.port}`]) {
      expect((await send(server, { headers: { host, origin: `http://${host}` } })).status).toBe(200)
    }
  })
})

describe('U-38 operations', () => {
  test.each([
    ['an operation', { path: '/api/events.list', body: '{"limit":1}' }, 200, undefined],
    ['no body', { path: '/api/status' }, 200, undefined],
    ['an unknown operation', { path: '/api/statuss' }, 404, 'not_found'],
    ['an unknown path', { path: '/nothing' }, 404, 'not_found'],
    ['a body that is no JSON', { body: '{' }, 400, 'invalid_input'],
    ['wrong input', { path: '/api/events.list', body: '{"limit":0}' }, 400, 'invalid_input'],
    ['an unknown key', { path: '/api/events.list', body: '{"limits":1}' }, 400, 'invalid_input'],
    ['a body over 5 MiB', { body: `"${'x'.repeat(5 << 20)}"` }, 413, 'too_large'],
    ['a state that does not allow it', { path: '/api/store.backup', body: '{"to":".qed/config.json"}' }, 409, 'conflict'],
  ])('%s: %i', async (_, sent, status, code) => {
    const server = await testServer(await testProject())
    const answer = await send(server, sent)
    expect([answer.status, (JSON.parse(answer.body) as { error?: { code: string } }).error?.code]).toEqual([status, code])
  })

  test('U-37 every answer carries the headers that keep browsers out, and none that lets them in', async () => {
    const server = await testServer(await testProject())
    for (const sent of [{}, { headers: { host: 'evil.test' } }, { path: '/nothing' }] as Sent[]) {
      const { headers } = await send(server, sent)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      })
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('the catalogue and OpenAPI are there to read', async () => {
    const server = await testServer(await testProject())
    const discovered = JSON.parse((await send(server, { method: 'GET', path: '/api/discover?prefix=events.' })).body) as {
      operations: { name: string }[]
    }
    expect(discovered.operations.map(({ name }) => name)).toEqual(['events.list', 'events.tail', 'events.verify', 'events.redact'])
    const openapi = JSON.parse((await send(server, { method: 'GET', path: '/api/openapi.json' })).body) as { paths: object }
    expect(Object.keys(openapi.paths)).toContain('/api/events.list')
  })
})

test('requests without any token lock nobody out', async () => {
  const server = await testServer(await testProject())
  for (let i = 0; i < 12; i++)
    expect((await send(server, { method: 'GET', path: '/favicon.ico', headers: { authorization: '' } })).status).toBe(401)
  expect((await send(server, {})).status).toBe(200)
})

test('a client that offers another upgrade is answered all the same', async () => {
  const server = await testServer(await testProject())
  expect(
    (await send(server, { headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' } })).status,
  ).toBe(200)
})

test('a path with a NUL is wrong input', async () => {
  const server = await testServer(await testProject())
  expect((await send(server, { path: '/api/store.backup', body: '{"to":"a\\u0000b"}' })).status).toBe(400)
})

test('U-39 events arrive live with their seq as id, and a reconnect has no gap and no repetition', async () => {
  const project = await testProject()
  const server = await testServer(project)
  const ids: string[] = []
  const listen = async (headers: Record<string, string>, most: number): Promise<void> => {
    const stop = new AbortController()
    const response = await fetch(`${server.url}/api/events?after=0`, {
      headers: { authorization: `Bearer ${server.token}`, ...headers },
      signal: stop.signal,
    })
    for await (const chunk of response.body ?? []) {
      for (const [, id] of Buffer.from(chunk)
        .toString()
        .matchAll(/^id: (\d+)$/gm))
        ids.push(id ?? '')
      if (ids.length >= most) return stop.abort()
    }
  }
  const first = listen({}, 4).catch(() => undefined)
  for (const value of ['1', '2']) await project.run(['config', 'set', 'shell.timeout_ms', value])
  await first
  await project.run(['config', 'set', 'shell.timeout_ms', '3'])
  await listen({ 'last-event-id': ids.at(-1) ?? '' }, 5).catch(() => undefined)
  expect(ids).toEqual(['1', '2', '3', '4', '5'])
})

test('RPC-2 a second serve prints the address of the first and exits 0', async () => {
  const project = await testProject()
  const server = await testServer(project)
  expect(await project.json(['serve'])).toMatchObject({ port: server.port, started: false })
})

test('of two that start at once, one serves and the other finds it', async () => {
  const project = await testProject()
  const servers = await Promise.all([testServer(project), testServer(project)])
  expect(new Set(servers.map(server => server.port)).size).toBe(1)
})

test('RPC-7 another address needs a certificate, and with one it is served over TLS', async () => {
  const project = await testProject()
  expect(await project.run(['serve', '--listen', '0.0.0.0'])).toMatchObject({ exit: 2, stderr: expect.stringContaining('--tls-cert') })
  const folder = temporaryFolder()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=localhost'],
    { stdio: 'ignore' },
  )
  const server = await testServer(project, ['--listen', '127.0.0.1', '--tls-cert', cert, '--tls-key', key])
  expect(server.url).toBe(`https://127.0.0.1:${server.port}`)
  const answer = execFileSync('curl', ['--silent', '--insecure', `${server.url}/health`], { encoding: 'utf8' })
  expect(JSON.parse(answer)).toEqual({ ok: true })
})

test('TLS files without --listen are refused, and so are files that are no certificate', async () => {
  const project = await testProject()
  expect(await project.run(['serve', '--tls-cert', 'x', '--tls-key', 'y'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--listen'),
  })
  writeFileSync(join(project.root, 'x.pem'), 'no certificate')
  expect(await project.run(['serve', '--listen', '127.0.0.2', '--tls-cert', 'x.pem', '--tls-key', 'x.pem'])).toMatchObject({ exit: 2 })
})

test('a stranger on the other loopback address is not left to answer for us', async ({ skip }) => {
  const stranger = createServer((_, response) => response.end('stranger'))
  const listening = await new Promise<boolean>(resolve => stranger.on('error', () => resolve(false)).listen(0, '::1', () => resolve(true)))
  if (!listening) skip('this machine has no ::1')
  const { port } = stranger.address() as AddressInfo
  const project = await testProject()
  expect(await project.run(['serve', '--port', String(port)])).toMatchObject({ exit: 9 })
  stranger.close()
})

test('a port that is taken is said so, with the way on', async () => {
  const project = await testProject()
  const { port } = await testServer(project)
  const other = await testProject()
  expect(await other.run(['serve', '--port', String(port)])).toMatchObject({ exit: 9, stderr: expect.stringContaining('--port 0') })
})
