import type { Clock } from '../kernel/clock.ts'
import type { EngineLoopTool } from '../kernel/frames.ts'
import { classify } from './classify.ts'
import { collect } from './collect.ts'
import type { FailureKind } from './failure.ts'
import type { OpenModel } from './models.ts'
import { readNative, readTags } from './read-reply.ts'

export interface ModelTest {
  ok: boolean
  /** Null where nothing came. */
  first_token_ms: number | null
  /** Whether it called the tool that it was asked to call. */
  tools: boolean
  error?: { code: FailureKind; message: string; status?: number; retry_after_ms?: number }
}

const ECHO: EngineLoopTool = {
  name: 'echo',
  description: 'Says a word back.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}
const NO_USAGE = { prompt: 0, cached: 0, cacheWrite: 0, completion: 0, reasoning: 0, total: 0 }
/** Room for a model that thinks before it calls. */
const MOST_TOKENS = 1_024

/** One tiny request with one tool. It is not tried again: the test is of what happens now. Never rejects. */
export async function testModel({ spec, model }: OpenModel, { clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<ModelTest> {
  const began = clock.now()
  let first: number | null = null
  try {
    const parts = model.stream({
      messages: [{ role: 'user', content: 'Call the tool echo with the word "ok". Say nothing else.' }],
      tools: [ECHO],
      maxTokens: Math.min(MOST_TOKENS, spec.reply ?? MOST_TOKENS),
      signal,
    })
    const reply = await collect(parts, () => {
      first ??= clock.now() - began
    })
    const read = spec.dialect === 'tags' ? readTags : readNative
    const answer = await read({ ...reply, usage: reply.usage ?? NO_USAGE }, [ECHO])
    if (answer.stop === 'error')
      return { ok: false, first_token_ms: first, tools: false, error: { code: 'refused', message: answer.message } }
    return { ok: true, first_token_ms: first, tools: answer.assistantMessage.toolCalls?.some(({ name }) => name === ECHO.name) ?? false }
  } catch (error) {
    const { kind, message, status, retryAfterMs } = classify(error, { now: clock.now(), signal })
    return {
      ok: false,
      first_token_ms: first,
      tools: false,
      error: {
        code: kind,
        message,
        ...(status !== undefined && { status }),
        ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      },
    }
  }
}
