import type { LanguageModelV4 } from '@ai-sdk/provider'
import { askThrough, type Telling } from './ask-through.ts'
import { withCacheMarks } from './cache-marks.ts'
import { askCompatible } from './compatible/ask.ts'
import { fetchByPost } from './fetch.ts'
import type { Ask, Endpoint } from './remote-model.ts'

type Protocol = (endpoint: Endpoint) => Ask

// Never left out: without them the libraries look into environment variables of their own.
const settings = ({ baseUrl, key }: Endpoint) => ({ baseURL: baseUrl, apiKey: key ?? '', fetch: fetchByPost })

/** By a library, each a file of its own, so that only the one that is used costs time. */
const through =
  (load: (endpoint: Endpoint) => Promise<LanguageModelV4>, telling?: Telling): Protocol =>
  at =>
    askThrough(() => load(at), telling)

const PROTOCOLS = {
  'openai-compatible': askCompatible,
  'openai-chat': through(async at => (await import('@ai-sdk/openai')).createOpenAI(settings(at)).chat(at.model)),
  'openai-responses': through(async at => (await import('@ai-sdk/openai')).createOpenAI(settings(at)).responses(at.model), {
    // Nothing of ours is kept on their side: the whole conversation goes with each request.
    providerOptions: { openai: { store: false } },
  }),
  anthropic: through(async at => (await import('@ai-sdk/anthropic')).createAnthropic(settings(at))(at.model), {
    mark: withCacheMarks,
  }),
  google: through(async at => (await import('@ai-sdk/google')).createGoogle(settings(at))(at.model)),
} as const satisfies Record<string, Protocol>

export type ProtocolName = keyof typeof PROTOCOLS

export function askBy(name: ProtocolName, endpoint: Endpoint): Ask {
  return PROTOCOLS[name](endpoint)
}
