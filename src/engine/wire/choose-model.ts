import type { EngineCommandKind } from '../types.ts'
import type { EngineRequest } from './request.ts'

export interface ModelChoice {
  env: Readonly<Record<string, string | undefined>>
  /** `engine.models.<command>` of the settings. */
  ofCommand: (command: string) => string | null
  /** The persona's own model. */
  ofPersona: (slug: string) => string | null
}

/** L-29: which model a request means; null where nothing says it. */
export function chooseModel({ model, command, personaSlug }: EngineRequest, { env, ofCommand, ofPersona }: ModelChoice): string | null {
  if (model !== undefined) return model
  const named = command === undefined ? null : modelOfKind(command, { env, ofCommand })
  return named ?? ofPersona(personaSlug)
}

/** The model that a person set for one kind of work; null where they set none. */
export function modelOfKind(kind: EngineCommandKind, { env, ofCommand }: Pick<ModelChoice, 'env' | 'ofCommand'>): string | null {
  return env[`QED_ENGINE_MODEL_${kind.toUpperCase()}`] || ofCommand(kind)
}
