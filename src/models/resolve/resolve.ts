import { isAbsolute, join } from 'node:path'
import { nearest } from '../../kernel/names.ts'
import { findKnown } from '../catalogue/find.ts'
import type { ProtocolName } from '../providers/protocols.ts'
import { DEFAULT_SCRIPT } from '../script/load.ts'
import { ModelIncomplete, ModelUnknown } from './errors.ts'
import { isLoopback } from './loopback.ts'
import { type KnownProvider, PROVIDERS } from './providers.ts'
import type { KeySource, ModelFacts, ModelSettings, ModelSpec } from './spec.ts'

/** Where nothing is known about a model: small enough for most servers that people run. */
const UNKNOWN_CONTEXT = 32_768
const SCRIPT_CONTEXT = 200_000
const SCRIPT_PREFIX = 'script:'

/** Which model is meant by a name: an alias of the settings, `<provider>/<model>`, or `script:<file>[#name]`. Looks at no disk
 *  and no network. Throws `not_found` or `unavailable`, each with the next step. */
export function resolveModel(name: string, facts: ModelFacts): ModelSpec {
  if (name.startsWith(SCRIPT_PREFIX)) return script(name, name.slice(SCRIPT_PREFIX.length), facts, {})
  if (Object.hasOwn(facts.aliases, name)) return ofAlias(name, facts.aliases[name] ?? {}, facts)
  const slash = name.indexOf('/')
  const provider = PROVIDERS.get(name.slice(0, Math.max(0, slash)))
  const model = name.slice(slash + 1)
  if (!provider || model === '') throw new ModelUnknown(name, namesLike(name, facts))
  const at = { protocol: provider.protocol, baseUrl: provider.baseUrl, key: usualKey(provider, facts) }
  return described(name, { model, at, provider: name.slice(0, slash), settings: {} }, facts)
}

function ofAlias(alias: string, settings: ModelSettings, facts: ModelFacts): ModelSpec {
  const { protocol, model } = settings
  if (protocol === undefined) throw new ModelIncomplete(alias, 'protocol', 'openai-compatible')
  if (model === undefined) throw new ModelIncomplete(alias, 'model', protocol === 'script' ? 'script.json' : '<name>')
  if (protocol === 'script') return script(alias, model, facts, settings)
  const maker = MAKERS[protocol]
  const usual = maker === undefined ? undefined : PROVIDERS.get(maker)
  const baseUrl = settings.base_url ?? usual?.baseUrl
  if (baseUrl === undefined) throw new ModelIncomplete(alias, 'base_url', 'http://127.0.0.1:8000/v1')
  // No provider's key is ever sent to a server of another: such an alias names its own key, or has none.
  const key = settings.key ?? (usual ? usualKey(usual, facts) : null)
  const provider = providerAt(baseUrl) ?? maker ?? 'other'
  return described(alias, { model, at: { protocol, baseUrl, key }, provider, settings }, facts)
}

/** Who made a protocol; others that speak it have to say where they are. */
const MAKERS: Partial<Record<ProtocolName, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  google: 'google',
}

function script(name: string, what: string, { cwd }: ModelFacts, settings: ModelSettings): ModelSpec {
  const hash = what.lastIndexOf('#')
  const path = hash === -1 ? what : what.slice(0, hash)
  return {
    name,
    model: hash === -1 ? DEFAULT_SCRIPT : what.slice(hash + 1),
    context: settings.context ?? SCRIPT_CONTEXT,
    reply: undefined,
    prices: settings.prices,
    strategy: settings.strategy ?? 'transcript',
    dialect: settings.dialect ?? 'native',
    local: true,
    at: { protocol: 'script', file: isAbsolute(path) ? path : join(cwd, path) },
  }
}

interface Found {
  model: string
  provider: string
  settings: ModelSettings
  at: Extract<ModelSpec['at'], { baseUrl: string }>
}

/** What the settings say, else what the catalogue knows, else what is safe. */
function described(name: string, { model, provider, settings, at }: Found, { catalogue }: ModelFacts): ModelSpec {
  const known = findKnown(catalogue, { provider, model })
  const url = URL.parse(at.baseUrl)
  const local = url !== null && isLoopback(url)
  return {
    name,
    model,
    context: settings.context ?? known?.context ?? UNKNOWN_CONTEXT,
    reply: known?.reply,
    prices: settings.prices ?? (local ? FREE : known?.prices),
    strategy: settings.strategy ?? 'transcript',
    dialect: settings.dialect ?? 'native',
    local,
    at,
  }
}

const FREE = { in: 0, out: 0 }

function usualKey({ keyNames }: KnownProvider, { isSet }: ModelFacts): KeySource | null {
  const env = keyNames.find(isSet) ?? keyNames[0]
  return env === undefined ? null : { env }
}

function providerAt(baseUrl: string): string | undefined {
  return [...PROVIDERS].find(([, row]) => URL.parse(row.baseUrl)?.host === URL.parse(baseUrl)?.host)?.[0]
}

function namesLike(name: string, { aliases, catalogue }: ModelFacts): string[] {
  const known = catalogue.models.map(({ provider, model }) => `${provider}/${model}`)
  const bare = known.filter(full => full.endsWith(`/${name}`))
  return bare.length > 0 ? bare : nearest(name, [...Object.keys(aliases), ...known])
}
