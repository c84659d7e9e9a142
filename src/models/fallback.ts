import type { EngineLoopClient, EngineLoopResponse } from '../kernel/frames.ts'

/** A model that is asked when those before it fail, opened when it is needed. */
export interface Fallback {
  name: string
  /** Rejects where it cannot be used here; then the next one is taken. */
  open: () => Promise<EngineLoopClient>
}

/** What another model can do nothing about: it would be refused for the same reason, or was not wanted any more. */
const STAYS: ReadonlySet<string> = new Set(['budget', 'context_overflow'])

/** L-53: asks `first`, and after a failure the fallbacks that the person named, in their order. It stays with the one that
 *  answered. Every change is told before the other model is asked, never made silently. */
export function withFallbacks(
  first: { name: string; client: EngineLoopClient },
  fallbacks: readonly Fallback[],
  onChange: (change: { from: string; to: string; why: string }) => void,
): EngineLoopClient {
  const left = [...fallbacks]
  let current = first
  return {
    send: async (messages, tools, options) => {
      for (;;) {
        const answer = await current.client.send(messages, tools, options)
        if (answer.stop !== 'error' || STAYS.has(answer.code) || options.signal?.aborted) return answer
        const next = await firstUsable(left)
        if (!next) return answer
        onChange({ from: current.name, to: next.name, why: whyOf(answer) })
        current = next
      }
    },
  }
}

async function firstUsable(left: Fallback[]): Promise<{ name: string; client: EngineLoopClient } | null> {
  for (let next = left.shift(); next; next = left.shift()) {
    const client = await next.open().catch(() => null)
    if (client) return { name: next.name, client }
  }
  return null
}

function whyOf({ code, message }: Extract<EngineLoopResponse, { stop: 'error' }>): string {
  return `${code}: ${message}`
}
