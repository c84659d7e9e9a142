import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'

/** Where a model is and who we are there. */
interface Endpoint {
  model: string
  baseUrl: string
  /** Undefined: it wants none. */
  key: string | undefined
}

interface Protocol {
  /** Loads the provider's library; each is a file of its own, so that only the one that is used costs time. */
  load: (endpoint: Endpoint) => Promise<LanguageModelV4>
  providerOptions?: SharedV4ProviderOptions
}

// Never left out: without them the libraries look into environment variables of their own.
const settings = ({ baseUrl, key }: Endpoint) => ({ baseURL: baseUrl, apiKey: key ?? '' })

const PROTOCOLS = {
  'openai-compatible': {
    load: async at => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'compatible',
        baseURL: at.baseUrl,
        includeUsage: true,
        ...(at.key !== undefined && { apiKey: at.key }),
      })(at.model)
    },
  },
  'openai-chat': {
    load: async at => (await import('@ai-sdk/openai')).createOpenAI(settings(at)).chat(at.model),
  },
  'openai-responses': {
    // Nothing of ours is kept on their side: the whole conversation goes with each request.
    providerOptions: { openai: { store: false } },
    load: async at => (await import('@ai-sdk/openai')).createOpenAI(settings(at)).responses(at.model),
  },
  anthropic: {
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    load: async at => (await import('@ai-sdk/anthropic')).createAnthropic(settings(at))(at.model),
  },
  google: {
    load: async at => (await import('@ai-sdk/google')).createGoogle(settings(at))(at.model),
  },
} as const satisfies Record<string, Protocol>

export type ProtocolName = keyof typeof PROTOCOLS

export function protocolOf(name: ProtocolName): Protocol {
  return PROTOCOLS[name]
}
