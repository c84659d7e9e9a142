import type { EngineLoopHooks } from './types.ts'

type Hooks = Required<EngineLoopHooks>

/** Hooks that can be called without a care: absent ones do nothing, failing ones are reported once and change nothing. */
export function safeHooks(hooks: EngineLoopHooks = {}, onFailure: (hook: keyof Hooks, error: unknown) => void = () => undefined): Hooks {
  const failed = new Set<keyof Hooks>()
  const report = (name: keyof Hooks, error: unknown): void => {
    if (failed.has(name)) return
    failed.add(name)
    try {
      onFailure(name, error)
    } catch {
      // Whoever listens for failures has failed too; the loop goes on.
    }
  }
  const guarded = <A extends unknown[]>(name: keyof Hooks, hook: ((...args: A) => unknown) | undefined) => {
    return (...args: A): void => {
      if (!hook) return
      try {
        // A hook written as an async function gives a promise, whatever its type says.
        Promise.resolve(hook(...args)).catch((error: unknown) => report(name, error))
      } catch (error) {
        report(name, error)
      }
    }
  }
  return {
    onTurnStart: guarded('onTurnStart', hooks.onTurnStart?.bind(hooks)),
    onTurnComplete: guarded('onTurnComplete', hooks.onTurnComplete?.bind(hooks)),
    onToolCall: guarded('onToolCall', hooks.onToolCall?.bind(hooks)),
    onToolResult: guarded('onToolResult', hooks.onToolResult?.bind(hooks)),
    onTurnEnd: guarded('onTurnEnd', hooks.onTurnEnd?.bind(hooks)),
  }
}
