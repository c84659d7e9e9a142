import { join } from 'node:path'
import type { Clock } from '../kernel/clock.ts'
import { readCatalogue, refreshCatalogue } from './catalogue/catalogue.ts'
import type { ModelCatalogue } from './catalogue/schema.ts'
import { type ListedModel, listModels } from './list.ts'
import type { Model } from './port.ts'
import { ModelNotChosen } from './resolve/errors.ts'
import { type KeyPort, openModel } from './resolve/open.ts'
import { resolveModel } from './resolve/resolve.ts'
import type { ModelFacts, ModelSettings, ModelSpec } from './resolve/spec.ts'
import { createGates, type Gates } from './retry/gates.ts'

/** A model and everything that is known about it. */
export interface OpenModel {
  spec: ModelSpec
  model: Model
}

/** The models that can be used here. */
export interface Models {
  /** One gate per model provider and key, shared by everything in this process. */
  readonly gates: Gates
  /** Null means the one of the settings. Throws `no_model`, `not_found`, `unavailable` or `auth_missing`, each with the next step. */
  open: (name: string | null, options?: { vault?: KeyPort['vault'] | undefined }) => Promise<OpenModel>
  /** With `all`, also those whose key is missing. */
  list: (options: { all: boolean }) => Promise<ListedModel[]>
  /** Takes a newer list of models from a file. */
  refresh: (file: string) => ModelCatalogue
}

export interface ModelsOptions {
  /** `models.<alias>.*` and `model`. */
  settings: () => { aliases: Readonly<Record<string, ModelSettings>>; chosen: string | null }
  /** Where scripts are found. */
  cwd: string
  /** The person's own data folder. */
  personal: string
  keys: KeyPort
  clock: Clock
  /** Most sends at once per model provider and key. */
  sendsAtOnce: number
}

export function createModels({ settings, cwd, personal, keys, clock, sendsAtOnce }: ModelsOptions): Models {
  const refreshed = join(personal, 'models.json')
  const factsOf = (aliases: ModelFacts['aliases']): ModelFacts => ({
    aliases,
    catalogue: readCatalogue(refreshed),
    isSet: name => Boolean(keys.env[name]),
    cwd,
  })
  return {
    gates: createGates(sendsAtOnce),
    open: async (name, { vault } = {}) => {
      const { aliases, chosen } = settings()
      const wanted = name ?? chosen
      if (wanted === null) throw new ModelNotChosen()
      const spec = resolveModel(wanted, factsOf(aliases))
      return { spec, model: await openModel(spec, { keys: vault ? { ...keys, vault } : keys, clock }) }
    },
    list: options => {
      const { aliases, chosen } = settings()
      return listModels(factsOf(aliases), { ...options, chosen, keys, clock })
    },
    refresh: file => refreshCatalogue(file, refreshed),
  }
}
