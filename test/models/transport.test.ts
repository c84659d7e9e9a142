import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { collect } from '../../src/models/collect.ts'
import { createRemoteModel } from '../../src/models/providers/remote-model.ts'
import { clientAt, history, KEY, tools } from '../support/model-double/client.ts'
import { DOUBLE_PROTOCOLS, type DoubleProtocol } from '../support/model-double/protocols.ts'

const usage = { prompt: 10, cached: 0, cacheWrite: 0, completion: 5, reasoning: 0 }
const textOf = (protocol: DoubleProtocol): string => protocol.frames({ usage, text: ['Yes.'] }).join('')
const asked = { messages: history, tools, maxTokens: 400 }
const [compatible] = DOUBLE_PROTOCOLS

async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
const serving = (answer: RequestListener): Promise<number> =>
  listening(createServer((question, response) => void question.resume().on('end', () => answer(question, response))))

describe.each(DOUBLE_PROTOCOLS.map(protocol => [protocol.name, protocol] as const))('%s', (_, protocol) => {
  const at = (port: number, host = '127.0.0.1') => clientAt({ protocol: protocol.name, baseUrl: `http://${host}:${port}${protocol.base}` })

  test.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('a reply that was packed by %s, though nobody asked for it, is read', async (encoding, pack) => {
    const port = await serving((_question, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding }).end(pack(textOf(protocol)))
    })
    expect(await collect((await at(port)).model.stream(asked))).toMatchObject({ text: 'Yes.' })
  })

  test('a redirection is not followed, so that no key goes elsewhere, and is told', async () => {
    const elsewhere: IncomingMessage[] = []
    const other = await serving((question, response) => {
      elsewhere.push(question)
      response.end()
    })
    const location = `http://127.0.0.1:${other}/v1`
    const port = await serving((_question, response) => response.writeHead(307, { location }).end())
    await expect(collect((await at(port)).model.stream(asked))).rejects.toMatchObject({ kind: 'request', status: 307 })
    expect(elsewhere).toEqual([])
  })

  test('a server beyond this machine is asked through the proxy that the environment names', async () => {
    const through: (string | undefined)[] = []
    const server = await serving((question, response) => {
      through.push(`${question.headers.host} ${question.url}`)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(textOf(protocol))
    })
    const proxy = await proxyTo(server)
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${proxy}`)
    vi.stubEnv('http_proxy', undefined)
    vi.stubEnv('NO_PROXY', '')
    vi.resetModules()
    expect(await collect((await freshAt(protocol, 'http://models.example.invalid:81')).stream(asked))).toMatchObject({ text: 'Yes.' })
    expect(through).toEqual([expect.stringMatching(/^models\.example\.invalid:81 \/v1/)])
  })

  test('one on this machine never is', async () => {
    const port = await serving((_question, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(textOf(protocol))
    })
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
    expect(await collect((await at(port)).model.stream(asked))).toMatchObject({ text: 'Yes.' })
  })

  test('a certificate whose issuer is not known is told at once, with what to do', async () => {
    const { key, cert } = selfSigned()
    const secure = createSecureServer({ key, cert }, (_question, response) => response.end()) as unknown as Server
    const port = await listening(secure)
    const { model } = await clientAt({ protocol: protocol.name, baseUrl: `https://127.0.0.1:${port}${protocol.base}` })
    await expect(collect(model.stream(asked))).rejects.toMatchObject({
      kind: 'request',
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    })
  })

  test('an abort after a reply that was broken off does no harm', async () => {
    const port = await serving((_question, response) => {
      const frames = protocol.frames({ usage, text: ['Yes.'] })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${frames[0]}${protocol.brokenBy('overloaded')}${frames.at(-1)}`)
    })
    const abort = new AbortController()
    await expect(collect((await at(port)).model.stream({ ...asked, signal: abort.signal }))).rejects.toMatchObject({
      message: 'overloaded',
    })
    abort.abort()
    // An error that nobody listens to ends the process; vitest would tell it.
    await new Promise(resolve => setTimeout(resolve, 20))
  })
})

describe('patience', () => {
  const waiting = async (answer: RequestListener, waits: { firstByteMs: number; silenceMs: number }) => {
    const { askBy } = await import('../../src/models/providers/protocols.ts')
    const port = await serving(answer)
    const endpoint = { model: 'm', baseUrl: `http://127.0.0.1:${port}/v1`, key: KEY }
    return createRemoteModel({
      name: 'm',
      gate: 'g',
      clock: { now: () => 0 },
      key: KEY,
      ask: askBy('openai-compatible', endpoint),
      ...waits,
    })
  }
  const reply = compatible ? textOf(compatible) : ''

  test('ends with a server that sends nothing', async () => {
    const model = await waiting(() => undefined, { firstByteMs: 50, silenceMs: 60_000 })
    await expect(collect(model.stream(asked))).rejects.toMatchObject({
      kind: 'gateway',
      message: expect.stringContaining('0.05 s') as string,
    })
  })

  test('is renewed by a comment, which says that the model is still at it', async () => {
    const model = await waiting(
      (_question, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(': PROCESSING\n\n')
        setTimeout(() => response.end(reply), 250)
      },
      { firstByteMs: 100, silenceMs: 60_000 },
    )
    expect(await collect(model.stream(asked))).toMatchObject({ text: 'Yes.' })
  })

  test('ends with a server that falls silent in the middle', async () => {
    const model = await waiting(
      (_question, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(reply.slice(0, reply.indexOf('Yes.') + 40))
      },
      { firstByteMs: 60_000, silenceMs: 50 },
    )
    await expect(collect(model.stream(asked))).rejects.toMatchObject({ kind: 'gateway' })
  })
})

afterEach(() => vi.unstubAllEnvs())

/** A proxy for plain requests and for tunnels, whatever they want to reach. */
function proxyTo(port: number): Promise<number> {
  const proxy = createServer((question, response) => {
    const { pathname, search, host } = new URL(question.url ?? '')
    const onward = request({
      port,
      host: '127.0.0.1',
      path: pathname + search,
      method: question.method,
      headers: { ...question.headers, host },
    })
    onward.on('response', answer => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    question.pipe(onward)
  })
  proxy.on('connect', (_question, socket: Socket) => {
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
  })
  return listening(proxy)
}

/** The environment is read with the first request that goes beyond this machine. */
async function freshAt(protocol: DoubleProtocol, origin: string) {
  const client = await import('../support/model-double/client.ts')
  return (await client.clientAt({ protocol: protocol.name, baseUrl: `${origin}/v1` })).model
}

function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'qed-cert-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert, ...subject],
      {
        stdio: 'ignore',
      },
    )
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
