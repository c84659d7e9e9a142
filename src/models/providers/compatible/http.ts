import http, { Agent, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'

/** A server that answered, but not with a reply. */
class HttpRefused extends Error {
  readonly statusCode: number
  readonly responseHeaders: IncomingMessage['headers']
  readonly responseBody: string
  constructor({ statusCode = 0, statusMessage = '', headers }: IncomingMessage, body: string) {
    super(`${statusCode} ${statusMessage}`.trim())
    this.statusCode = statusCode
    this.responseHeaders = headers
    this.responseBody = body
  }
}

export interface Post {
  url: URL
  headers: Readonly<Record<string, string>>
  body: readonly Buffer[]
  signal: AbortSignal
  /** The request is on its way; nothing can be done but wait. */
  onSent?: (() => void) | undefined
}

/** What is read of the body of a refusal. */
const MOST_REFUSAL_BYTES = 64 * 1024

interface Transport {
  request: (url: URL, options: RequestOptions) => ClientRequest
  agent: Agent
}

const plain: Transport = { request: (url, options) => http.request(url, options), agent: new Agent({ keepAlive: true }) }
let secure: Promise<Transport> | undefined

/** What a local server is asked by does not load what encryption needs. */
function transportFor({ protocol }: URL): Promise<Transport> | Transport {
  if (protocol !== 'https:') return plain
  return (secure ??= import('node:https').then(https => ({
    request: (url, options) => https.request(url, options),
    agent: new https.Agent({ keepAlive: true }),
  })))
}

/** Sends a request and gives the body of the reply as it comes. Throws `HttpRefused` where the status is no success. */
export async function* post(given: Post): AsyncIterable<Buffer> {
  const response = await answered(given)
  const { statusCode = 0 } = response
  if (statusCode < 200 || statusCode > 299) throw new HttpRefused(response, await beginning(response))
  yield* response
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
  const length = body.reduce((sum, piece) => sum + piece.length, 0)
  const request = ask(url, {
    method: 'POST',
    signal,
    agent,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'content-length': length, ...headers },
  })
  if (onSent) request.once('finish', onSent)
  for (const piece of body) request.write(piece)
  request.end()
  return request
}

function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Stays on: what breaks later is told by the body, and an error without a listener would end the process.
    request.on('error', reject)
  })
}

async function beginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MOST_REFUSAL_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}
