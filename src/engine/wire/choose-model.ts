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
  const named = command === undefined ? null : env[`QED_ENGINE_MODEL_${command.toUpperCase()}`] || ofCommand(command)
  return named ?? ofPersona(personaSlug)
}
