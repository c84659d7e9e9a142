import { toUsage } from '../../usage.ts'
import { figureOf, objectOf } from './read.ts'

/** The figures of a reply, by any of the names that servers give them. */
export function usageOf(raw: Record<string, unknown>): ReturnType<typeof toUsage> {
  const ofPrompt = objectOf(raw['prompt_tokens_details'])
  const prompt = figureOf(raw['prompt_tokens'])
  const said = figureOf(raw['completion_tokens'])
  // Some leave what was thought out of the completion, and only their total has it.
  const rest = (figureOf(raw['total_tokens']) ?? 0) - (prompt ?? 0)
  return toUsage({
    prompt,
    cached: figureOf(ofPrompt['cached_tokens']) ?? figureOf(raw['prompt_cache_hit_tokens']) ?? figureOf(raw['cached_tokens']),
    cacheWrite: figureOf(ofPrompt['cache_write_tokens']),
    completion: said === undefined ? undefined : Math.max(said, rest),
    reasoning: figureOf(objectOf(raw['completion_tokens_details'])['reasoning_tokens']),
    costUsd: figureOf(raw['cost']),
  })
}
