import type { Clock } from '../../kernel/clock.ts'
import type { Model } from '../port.ts'
import { askBy } from '../providers/protocols.ts'
import { createRemoteModel } from '../providers/remote-model.ts'
import { loadScript } from '../script/load.ts'
import { createScriptedModel } from '../script/scripted-model.ts'
import { ModelKeyMissing } from './errors.ts'
import type { KeySource, ModelSpec } from './spec.ts'

const FIRST_BYTE_MS = 120_000
/** A model may think long without a word; a server that is gone without closing its connection is found all the same. */
const SILENCE_MS = 600_000

/** Where keys come from. A key goes to its model provider and nowhere else. */
export interface KeyPort {
  env: Readonly<Record<string, string | undefined>>
  /** Rejects where there is no such secret. */
  vault: (name: string) => Promise<string>
}

/** A model that can be asked. Throws `auth_missing` with the name of the key, or what is wrong with a script. */
export async function openModel(spec: ModelSpec, { keys, clock }: { keys: KeyPort; clock: Clock }): Promise<Model> {
  const { at } = spec
  if (at.protocol === 'script') {
    return createScriptedModel(loadScript(at.file, spec.model), { name: `script:${spec.model}`, now: () => clock.now() })
  }
  const key = at.key === null ? undefined : await keyFrom(at.key, spec, keys)
  return createRemoteModel({
    name: spec.model,
    gate: `${new URL(at.baseUrl).host} ${JSON.stringify(at.key)}`,
    clock,
    key,
    ask: askBy(at.protocol, { model: spec.model, baseUrl: at.baseUrl, key }),
    firstByteMs: FIRST_BYTE_MS,
    silenceMs: SILENCE_MS,
  })
}

async function keyFrom(source: KeySource, spec: ModelSpec, { env, vault }: KeyPort): Promise<string> {
  if ('env' in source) {
    const value = env[source.env]
    if (!value) throw new ModelKeyMissing(spec.name, source)
    return value
  }
  try {
    return await vault(source.vault)
  } catch (cause) {
    if (isCode(cause, 'not_found')) throw new ModelKeyMissing(spec.name, source, { cause })
    throw cause
  }
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code
}
