import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'

/** Where a model is and who we are there. */
export interface Endpoint {
  model: string
  baseUrl: string | undefined
  key: string | undefined
}

interface Protocol {
  /** Loads the provider's library; each is a file of its own, so that only the one that is used costs time. */
  load: (endpoint: Endpoint) => Promise<LanguageModelV4>
  /** Environment name under which the key usually stands. */
  keyName: string
  /** It cannot be guessed where such a server is. */
  needsUrl?: true
  /** Local servers want none. */
  keyOptional?: true
  providerOptions?: SharedV4ProviderOptions
}

const settings = ({ baseUrl, key }: Endpoint) => ({
  ...(baseUrl !== undefined && { baseURL: baseUrl }),
  ...(key !== undefined && { apiKey: key }),
})

export const PROTOCOLS = {
  'openai-compatible': {
    keyName: 'OPENAI_API_KEY',
    needsUrl: true,
    keyOptional: true,
    load: async at => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...settings(at), name: 'compatible', baseURL: at.baseUrl ?? '', includeUsage: true })(at.model)
    },
  },
  'openai-chat': {
    keyName: 'OPENAI_API_KEY',
    load: async at => (await import('@ai-sdk/openai')).createOpenAI(settings(at)).chat(at.model),
  },
  'openai-responses': {
    keyName: 'OPENAI_API_KEY',
    // Nothing of ours is kept on their side: the whole conversation goes with each request.
    providerOptions: { openai: { store: false } },
    load: async at => (await import('@ai-sdk/openai')).createOpenAI(settings(at)).responses(at.model),
  },
  anthropic: {
    keyName: 'ANTHROPIC_API_KEY',
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    load: async at => (await import('@ai-sdk/anthropic')).createAnthropic(settings(at))(at.model),
  },
  google: {
    keyName: 'GEMINI_API_KEY',
    load: async at => (await import('@ai-sdk/google')).createGoogle(settings(at))(at.model),
  },
} as const satisfies Record<string, Protocol>

export type ProtocolName = keyof typeof PROTOCOLS

export function protocolOf(name: ProtocolName): Protocol {
  return PROTOCOLS[name]
}
