import type { EngineBudget, EngineCommandKind } from './types.ts'

/** What one prompt of each kind may spend, unless a brief or a person says otherwise. */
export const defaultEngineBudgets: Readonly<Record<EngineCommandKind, EngineBudget>> = {
  code: { maxToolCalls: 20, maxTokens: 50_000 },
  explain: { maxToolCalls: 5, maxTokens: 20_000 },
  fix: { maxToolCalls: 20, maxTokens: 50_000 },
  plan: { maxToolCalls: 8, maxTokens: 30_000 },
  build: { maxToolCalls: 30, maxTokens: 80_000 },
}

/** Kinds under which nothing may change. */
export function isReadingKind(kind: EngineCommandKind): boolean {
  return kind === 'plan' || kind === 'explain'
}
