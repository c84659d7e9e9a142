import { post } from './http.ts'

/** `fetch` for the provider libraries over our own transport, so that proxies, redirections and silence are treated alike under every
 *  protocol. It can send what they send: a body of text by POST. */
export const fetchByPost: typeof fetch = async (input, { headers, body, signal } = {}) => {
  if (typeof body !== 'string') throw new TypeError('Only a body of text can be sent.')
  const {
    status,
    headers: told,
    bytes,
  } = await post({
    url: new URL(input instanceof Request ? input.url : input),
    headers: Object.fromEntries(new Headers(headers)),
    body: [Buffer.from(body)],
    signal: signal ?? new AbortController().signal,
  })
  return new Response(ReadableStream.from(bytes), { status, headers: responseHeaders(told) })
}

function responseHeaders(told: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(told)) if (value !== undefined) headers.set(name, String(value))
  // They are unpacked already.
  headers.delete('content-encoding')
  return headers
}
