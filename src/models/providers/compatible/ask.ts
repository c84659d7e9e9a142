// The protocol that most servers speak, local ones first of all. It is spoken here directly over node:http: the library for it costs
// four times as much per turn as everything else a turn does, and doubles the time to the first request.
import { postFor } from '../http.ts'
import type { Ask, Endpoint } from '../remote-model.ts'
import { bodiesFor } from './body.ts'
import { eventData } from './events.ts'
import { createReplyReader } from './reply.ts'

/** Asks a server that speaks the chat protocol; gives the parts of one reply as they come. */
export function askCompatible({ model, baseUrl, key }: Endpoint): Ask {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`)
  const headers = key ? { authorization: `Bearer ${key}` } : {}
  const bodyOf = bodiesFor(model)
  return async function* (request) {
    const reader = createReplyReader()
    const { signal, onSent, onAlive } = request
    const { bytes } = await postFor({ url, headers, body: bodyOf(request), signal, onSent, onAlive })
    // Read to its very end, so that the connection can be used again.
    for await (const data of eventData(bytes)) if (data !== '[DONE]') yield* reader.read(data)
    yield* reader.end()
  }
}
