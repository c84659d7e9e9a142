import type { Clock } from '../kernel/clock.ts'
import { QedError } from '../kernel/errors.ts'
import { findLocalModels } from './local/find-local.ts'
import type { Model } from './port.ts'
import { ModelKeyMissing } from './resolve/errors.ts'
import { type KeyPort, openModel } from './resolve/open.ts'
import { PROVIDERS } from './resolve/providers.ts'
import { resolveModel } from './resolve/resolve.ts'
import type { ModelFacts, ModelSpec } from './resolve/spec.ts'

export interface ListedModel {
  /** The name to give as `--model`. */
  alias: string
  /** Null where the settings do not say it. */
  protocol: string | null
  model: string | null
  context: number | null
  local: boolean
  ready: boolean
  /** Why it is not ready, and what to do. */
  why?: string | undefined
  /** It plays a script and is no model. */
  scripted?: true | undefined
}

interface ListOptions {
  all: boolean
  chosen: string | null
  keys: KeyPort
  clock: Clock
}

/** Aliases of the settings and the chosen model first; then what servers on this machine offer; then what the catalogue knows of
 *  model providers whose key is set. Nothing is asked of anyone beyond this machine. */
export async function listModels(facts: ModelFacts, options: ListOptions): Promise<ListedModel[]> {
  const local = await findLocalModels()
  const offered = local.flatMap(({ server, models }) => models.map(model => `${server.provider}/${model}`))
  const named = [...Object.keys(facts.aliases), ...(options.chosen === null ? [] : [options.chosen])]
  const known = facts.catalogue.models
    .filter(({ provider }) => options.all || PROVIDERS.get(provider)?.keyNames.some(facts.isSet))
    .map(({ provider, model }) => `${provider}/${model}`)
  const running = new Set(local.map(({ server }) => server.port))
  const names = [...new Set([...named, ...offered, ...known])]
  return Promise.all(names.map(name => describe(name, { facts, running, ...options })))
}

async function describe(alias: string, about: ListOptions & { facts: ModelFacts; running: ReadonlySet<number> }): Promise<ListedModel> {
  const { facts, running, keys, clock } = about
  let spec: ModelSpec | undefined
  try {
    spec = resolveModel(alias, facts)
    const model = await openModel(spec, { keys, clock })
    return { ...shown(alias, spec, model), ...readiness(spec, running) }
  } catch (error) {
    return { ...shown(alias, spec), ready: false, why: whyOf(error) }
  }
}

function shown(alias: string, spec: ModelSpec | undefined, model?: Model): Omit<ListedModel, 'ready'> {
  return {
    alias,
    protocol: spec?.at.protocol ?? null,
    model: spec?.model ?? null,
    context: spec?.context ?? null,
    local: spec?.local ?? false,
    ...((model?.scripted || spec?.at.protocol === 'script') && { scripted: true }),
  }
}

// A usual port on which nothing answered is not ready; another address on this machine is not asked.
function readiness({ at }: ModelSpec, running: ReadonlySet<number>): Pick<ListedModel, 'ready' | 'why'> {
  const server =
    at.protocol === 'script' ? undefined : [...PROVIDERS.values()].find(({ local, baseUrl }) => local && baseUrl === at.baseUrl)
  if (!server?.local || running.has(server.local.port)) return { ready: true }
  return { ready: false, why: `${server.local.title} does not answer on port ${server.local.port}. Start it.` }
}

function whyOf(error: unknown): string {
  // The line names the model already, and a list has many of them.
  if (error instanceof ModelKeyMissing)
    return error.next?.command === undefined ? error.message : `The key is missing. ${error.next.command}`
  if (!(error instanceof QedError)) return error instanceof Error ? error.message : String(error)
  return error.next?.command === undefined ? error.message : `${error.message} ${error.next.command}`
}
