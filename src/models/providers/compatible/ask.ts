// The protocol that most servers speak, local ones first of all. It is spoken here directly over node:http: the library for it costs
// four times as much per turn as everything else a turn does, and doubles the time to the first request.
import { ModelFailed } from '../../failure.ts'
import { type Answer, postFor } from '../http.ts'
import { Refused } from '../refused.ts'
import type { Ask, Endpoint } from '../remote-model.ts'
import { bodiesFor } from './body.ts'
import { eventData } from './events.ts'
import { createKeepsakes } from './keepsakes.ts'
import { mannerAfter, USUAL } from './manner.ts'
import { createReplyReader } from './reply.ts'

/** Asks a server that speaks the chat protocol; gives the parts of one reply as they come. */
export function askCompatible({ model, baseUrl, key }: Endpoint): Ask {
  const url = chatUrl(baseUrl)
  const authorization = key ? { authorization: `Bearer ${key}` } : {}
  const keepsakes = createKeepsakes()
  let manner = USUAL
  let bodyOf = bodiesFor(model, { manner, keepsakes })

  const answered = async (request: Parameters<Ask>[0]): Promise<Answer> => {
    const { signal, onSent, onAlive } = request
    const tried = new Set<string>()
    for (;;) {
      tried.add(JSON.stringify(manner))
      try {
        return await postFor({ url, headers: authorization, body: bodyOf(request), signal, onSent, onAlive })
      } catch (error) {
        const other = error instanceof Refused ? mannerAfter(manner, error) : null
        // A server that is content with neither of two manners is not asked in turns for ever.
        if (!other || tried.has(JSON.stringify(other))) throw error
        manner = other
        bodyOf = bodiesFor(model, { manner, keepsakes })
      }
    }
  }

  return async function* (request) {
    const reader = createReplyReader(keepsakes)
    const { headers, bytes } = await answered(request)
    const form = headers['content-type'] ?? ''
    if (form.startsWith('text/html'))
      throw new ModelFailed('missing', `${url.origin}${url.pathname} is a web page. Look at base_url: it often ends with /v1.`)
    const pieces = form.includes('json') ? whole(bytes) : eventData(bytes)
    // Read to its very end, so that the connection can be used again.
    for await (const data of pieces) if (data.trim() !== '[DONE]') yield* reader.read(data)
    yield* reader.end()
  }
}

/** Below the base, whose own query stays. */
function chatUrl(baseUrl: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/(\/chat\/completions)?\/*$/, '')}/chat/completions`
  return url
}

// A server that cannot stream, or has only an error to tell, sends one piece of JSON.
async function* whole(bytes: AsyncIterable<Buffer>): AsyncIterable<string> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  yield Buffer.concat(chunks).toString('utf8')
}
