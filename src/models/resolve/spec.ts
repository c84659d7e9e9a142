import type { ModelCatalogue } from '../catalogue/schema.ts'
import type { ProtocolName } from '../providers/protocols.ts'
import type { Prices } from '../usage.ts'

/** Where a key is; never the key itself. */
export type KeySource = { env: string } | { vault: string }

/** One model as it would be used: everything but its key. */
export interface ModelSpec {
  /** As it was asked for. */
  name: string
  /** As the model provider names it; of a script, the name in its file. */
  model: string
  /** Tokens that it can see. */
  context: number
  /** Most tokens of one reply; undefined: the model provider's own limit. */
  reply: number | undefined
  /** Undefined: its cost is not known. */
  prices: Prices | undefined
  strategy: 'transcript' | 'packet'
  dialect: 'native' | 'tags'
  /** It runs on this machine. */
  local: boolean
  at:
    | { protocol: 'script'; file: string }
    | {
        protocol: ProtocolName
        baseUrl: string
        /** Null: it wants none. */
        key: KeySource | null
      }
}

/** The settings of one alias, `models.<alias>.*`, as they stand in the config. */
export interface ModelSettings {
  protocol?: ProtocolName | 'script'
  model?: string
  base_url?: string
  key?: KeySource
  context?: number
  prices?: Prices
  strategy?: 'transcript' | 'packet'
  dialect?: 'native' | 'tags'
}

/** What naming a model is judged by. */
export interface ModelFacts {
  aliases: Readonly<Record<string, ModelSettings>>
  catalogue: ModelCatalogue
  /** Names of environment variables that are set. */
  isSet: (name: string) => boolean
  /** Scripts are found relative to it. */
  cwd: string
}
