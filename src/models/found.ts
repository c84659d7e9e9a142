import { findLocalModels } from './local/find-local.ts'
import { PROVIDERS } from './resolve/providers.ts'

export interface FoundModelProviders {
  /** Names of environment variables that hold a key, never their values. */
  keys: string[]
  local: { name: string; port: number }[]
}

/** Whom a model could be asked of here. Of keys only whether they are set is looked at. */
export async function findModelProviders(env: Readonly<Record<string, string | undefined>>): Promise<FoundModelProviders> {
  const local = await findLocalModels()
  return {
    keys: [...PROVIDERS.values()].flatMap(({ keyNames }) => keyNames).filter(name => env[name]),
    local: local.map(({ server }) => ({ name: server.title, port: server.port })),
  }
}
