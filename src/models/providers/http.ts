import http, { Agent, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { pipeline } from 'node:stream'
import { isLoopback } from '../resolve/loopback.ts'
import { Refused } from './refused.ts'

export interface Post {
  url: URL
  headers: Readonly<Record<string, string>>
  body: readonly Buffer[]
  signal: AbortSignal
  /** The request is on its way; nothing can be done but wait. */
  onSent?: (() => void) | undefined
  /** Something came, be it only a comment that keeps the connection open. */
  onAlive?: (() => void) | undefined
}

/** What is read of the body of a refusal. */
const MOST_REFUSAL_BYTES = 64 * 1024

interface Transport {
  request: (url: URL, options: RequestOptions) => ClientRequest
  agent: Agent
}

const plain: Transport = { request: (url, options) => http.request(url, options), agent: new Agent({ keepAlive: true }) }
const made = new Map<string, Promise<Transport>>()

/** What a server on this machine is asked by does not load what encryption and proxies need. */
function transportFor(url: URL): Promise<Transport> | Transport {
  const { protocol } = url
  const local = isLoopback(url)
  if (local && protocol !== 'https:') return plain
  const name = `${protocol} ${local}`
  const known = made.get(name) ?? makeTransport(protocol, local)
  made.set(name, known)
  return known
}

async function makeTransport(protocol: string, local: boolean): Promise<Transport> {
  // HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in either case of letters; this machine is never asked through a proxy.
  const options = { keepAlive: true, ...(!local && { proxyEnv: process.env }) }
  if (protocol !== 'https:') return { ...plain, agent: new Agent(options) }
  const https = await import('node:https')
  return { request: (url, given) => https.request(url, given), agent: new https.Agent(options) }
}

/** The status of an answer, what it says of itself, and its body as it comes. */
export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  bytes: AsyncIterable<Buffer>
}

/** Sends a request; the answer has any status. Redirections are not followed: a key goes to no other place than it was meant for. */
export async function post(given: Post): Promise<Answer> {
  const response = await answered(given)
  given.onAlive?.()
  const { statusCode: status = 0, headers } = response
  return { status, headers, bytes: watched(await unpacked(response), given.onAlive) }
}

/** As `post`; throws `Refused` where the status is no success. */
export async function postFor(given: Post): Promise<Answer> {
  const answer = await post(given)
  const { status, headers } = answer
  if (status >= 200 && status <= 299) return answer
  const to = headers.location === undefined ? '' : `, which leads to ${headers.location}`
  const message = `${status} ${http.STATUS_CODES[status] ?? ''}`.trim() + to
  throw new Refused({ statusCode: status, headers, body: await beginning(answer.bytes), message, url: given.url.href })
}

async function* watched(chunks: AsyncIterable<Buffer>, onAlive: () => void = () => undefined): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    onAlive()
    yield chunk
  }
}

/** We ask for nothing packed; a proxy may send it all the same. */
async function unpacked(response: IncomingMessage): Promise<AsyncIterable<Buffer>> {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return response
  const { createBrotliDecompress, createUnzip } = await import('node:zlib')
  const unpack = encoding === 'br' ? createBrotliDecompress() : createUnzip()
  return pipeline(response, unpack, () => undefined)
}

async function answered(given: Post): Promise<IncomingMessage> {
  const transport = await transportFor(given.url)
  for (;;) {
    const request = begin(given, transport)
    try {
      return await responseOf(request)
    } catch (error) {
      // A kept connection may have been closed by the server just as it was used; no reply had begun.
      if (!(request.reusedSocket && isReset(error) && !given.signal.aborted)) throw error
    }
  }
}

function begin({ url, headers, body, signal, onSent }: Post, { request: ask, agent }: Transport): ClientRequest {
  signal.throwIfAborted()
  const length = body.reduce((sum, piece) => sum + piece.length, 0)
  const request = ask(url, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'content-length': length, ...headers },
  })
  // By hand: with `signal` among the options, a connection that was given back meanwhile would throw where nobody listens.
  const stop = (): void => void request.destroy()
  signal.addEventListener('abort', stop)
  request.once('close', () => signal.removeEventListener('abort', stop))
  if (onSent) request.once('finish', onSent)
  for (const piece of body) request.write(piece)
  request.end()
  return request
}

function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', response => {
      // Of a body that nobody reads any more.
      response.on('error', () => undefined)
      resolve(response)
    })
    // Stays on: what breaks later is told by the body, and an error without a listener would end the process.
    request.on('error', reject)
  })
}

async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MOST_REFUSAL_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
