import { isListening } from '../sandbox/port.ts'

/** Environment names under which keys of model providers usually stand. Only whether they are set is looked at. */
const KEY_NAMES = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
]

/** Model servers that people run on their own machine, by the port they use unless told otherwise. */
const LOCAL_SERVERS = [
  { name: 'Ollama', port: 11434 },
  { name: 'LM Studio', port: 1234 },
  { name: 'llama.cpp', port: 8080 },
] as const

export interface FoundModelProviders {
  /** Names of environment variables that hold a key, never their values. */
  keys: string[]
  local: { name: string; port: number }[]
}

export async function findModelProviders(env: Readonly<Record<string, string | undefined>>): Promise<FoundModelProviders> {
  const answers = await Promise.all(LOCAL_SERVERS.map(({ port }) => isListening(port)))
  return { keys: KEY_NAMES.filter(name => env[name]), local: LOCAL_SERVERS.filter((_, i) => answers[i]) }
}
