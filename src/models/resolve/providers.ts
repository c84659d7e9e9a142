import type { ProtocolName } from '../providers/protocols.ts'
import type { ModelSpec } from './spec.ts'

/** A model provider that needs no settings beside its key. */
export interface KnownProvider {
  protocol: ProtocolName
  baseUrl: string
  /** Environment names under which its key usually stands, the first one first. None: it wants no key. */
  keyNames: readonly string[]
  /** A server on this machine, on the port it uses unless told otherwise. */
  local?: { title: string; port: number }
}

// Addresses are written out: the libraries would else take them from environment variables of their own.
const TABLE = {
  openai: { protocol: 'openai-responses', baseUrl: 'https://api.openai.com/v1', keyNames: ['OPENAI_API_KEY'] },
  anthropic: { protocol: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', keyNames: ['ANTHROPIC_API_KEY'] },
  google: {
    protocol: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyNames: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  },
  openrouter: { protocol: 'openai-compatible', baseUrl: 'https://openrouter.ai/api/v1', keyNames: ['OPENROUTER_API_KEY'] },
  groq: { protocol: 'openai-compatible', baseUrl: 'https://api.groq.com/openai/v1', keyNames: ['GROQ_API_KEY'] },
  mistral: { protocol: 'openai-compatible', baseUrl: 'https://api.mistral.ai/v1', keyNames: ['MISTRAL_API_KEY'] },
  deepseek: { protocol: 'openai-compatible', baseUrl: 'https://api.deepseek.com/v1', keyNames: ['DEEPSEEK_API_KEY'] },
  xai: { protocol: 'openai-compatible', baseUrl: 'https://api.x.ai/v1', keyNames: ['XAI_API_KEY'] },
  ollama: onThisMachine('Ollama', 11434),
  lmstudio: onThisMachine('LM Studio', 1234),
  llamacpp: onThisMachine('llama.cpp', 8080),
} as const satisfies Record<string, KnownProvider>

export const PROVIDERS: ReadonlyMap<string, KnownProvider> = new Map(Object.entries(TABLE))

/** Who answers at an address: a provider that is known, else the protocol that is spoken. */
export function providerName(at: ModelSpec['at']): string {
  if (at.protocol === 'script') return at.protocol
  return [...PROVIDERS].find(([, { baseUrl }]) => baseUrl === at.baseUrl)?.[0] ?? at.protocol
}

function onThisMachine(title: string, port: number): KnownProvider {
  return { protocol: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1`, keyNames: [], local: { title, port } }
}

export interface LocalServer {
  /** Its name in `<provider>/<model>`. */
  provider: string
  title: string
  port: number
}

export const LOCAL_SERVERS: readonly LocalServer[] = [...PROVIDERS].flatMap(([provider, { local }]) =>
  local ? [{ provider, ...local }] : [],
)
