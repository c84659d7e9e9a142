import type { ContextStrategy, EngineLoopMessage } from './types.ts'

/** Keeps every frame, in one list, and can make no room. */
export function plainTranscript(): ContextStrategy {
  let frames: EngineLoopMessage[] = []
  return {
    start: (system, user) => {
      frames = [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ]
    },
    messages: () => frames,
    append: more => void frames.push(...more),
    overflow: () => Promise.resolve(false),
  }
}
