import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** Says up to where a request is worth keeping by a model provider that wants to be told: behind the tools and the system prompt,
 *  where the request before this one ended, and at its end. The middle one is what is found again: looking back from the end
 *  alone, a turn with many results would be too long a way. */
export function withCacheMarks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const marked = new Set([
    prompt.findLastIndex(({ role }) => role === 'system'),
    prompt.findLastIndex(({ role }) => role === 'assistant') - 1,
    prompt.length - 1,
  ])
  return prompt.map((message, i) => (marked.has(i) ? { ...message, providerOptions: MARK } : message))
}
