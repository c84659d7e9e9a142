import { isPlainObject, type Json } from '../../kernel/json.ts'
import { compilePathPattern, PatternRefused } from '../../policy/patterns/path-pattern.ts'
import { parseConfigText } from '../../project/config/config-text.ts'
import { checkSetting } from '../../project/config/resolve.ts'
import { ConfigBroken } from '../../project/errors.ts'
import { DEFAULT_OUTPUTS } from '../../sandbox/scope/outputs.ts'
import { BUILTIN_THRESHOLDS, type BuiltinGate, isBuiltinGate } from '../gates/builtin.ts'
import type { GateDefinition, ProofSettings } from '../terms.ts'
import { DEFAULT_TESTS } from './test-side.ts'

/** Where the settings stand in a tree. */
export const CONFIG_PATH = '.qed/config.json'

const FILE = `${CONFIG_PATH} of the base`

/** What the settings in the base tree add to the defaults; they take nothing away. Takes the text of the base's config, null where
 *  it has none. Throws `ConfigBroken` where what it says about proofs cannot be meant: a judge that cannot be read judges nothing. */
export function settingsOf(text: string | null): ProofSettings {
  const config = text === null ? {} : parseConfigText(FILE, text)
  if (!isPlainObject(config)) throw new ConfigBroken(FILE, 'it must hold one JSON object')
  const list = (key: string): string[] => (read(config, key) ?? []) as string[]
  const settings: ProofSettings = {
    tests: [...DEFAULT_TESTS, ...list('proof.tests')],
    protect: list('proof.protected'),
    outputs: [...DEFAULT_OUTPUTS, ...list('sandbox.outputs')],
    secret_allow: list('proof.secret_allow'),
    gates: gatesOf((read(config, 'proof.gates') ?? []) as unknown as GateSetting[]),
    vary: read(config, 'proof.vary') === true,
    prepare: (read(config, 'proof.prepare') ?? null) as string | null,
    watch_outside: list('proof.watch_outside'),
  }
  for (const key of ['tests', 'outputs', 'protect'] as const) checkPatterns(key, settings[key] ?? [])
  return settings
}

type GateSetting = Pick<GateDefinition, 'name'> & Partial<GateDefinition>

/** The built-in gates, as strict as the project wants them, and the project's own. */
function gatesOf(own: readonly GateSetting[]): GateDefinition[] {
  const names = own.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new ConfigBroken(FILE, `proof.gates: ${twice} is defined twice`)
  const builtin = (Object.keys(BUILTIN_THRESHOLDS) as BuiltinGate[]).map(name =>
    builtinGate(
      name,
      own.find(gate => gate.name === name),
    ),
  )
  return [...builtin, ...own.filter(({ name }) => !isBuiltinGate(name)).map(commandGate)]
}

function builtinGate(name: BuiltinGate, own: GateSetting | undefined): GateDefinition {
  if (own?.command !== undefined) throw new ConfigBroken(FILE, `proof.gates: ${name} is built in and takes no command; use another name`)
  const threshold = Math.max(BUILTIN_THRESHOLDS[name], own?.threshold ?? 0)
  return { name, score: 'json', threshold, timeout_s: own?.timeout_s ?? TIMEOUT_S, network: false }
}

const TIMEOUT_S = 600

function commandGate({ name, command, score = 'exit', threshold, timeout_s = TIMEOUT_S, network = false }: GateSetting): GateDefinition {
  if (command === undefined)
    throw new ConfigBroken(FILE, `proof.gates: ${name} needs a command; built in are ${Object.keys(BUILTIN_THRESHOLDS).join(' and ')}`)
  if (score === 'json' && threshold === undefined) throw new ConfigBroken(FILE, `proof.gates: ${name} needs a threshold from 0 to 100`)
  return { name, command, score, threshold: threshold ?? 100, timeout_s, network }
}

// Only the keys that proofs look at: what an old base says about other things is no reason to refuse a proof.
function read(config: Record<string, unknown>, key: string): Json | undefined {
  const [group = '', name = ''] = key.split('.')
  const inGroup = config[group]
  const value = (config[key] ?? (isPlainObject(inGroup) ? inGroup[name] : undefined)) as Json | undefined
  if (value !== undefined) checkSetting(key, value, { file: FILE, personalFile: '', scope: 'project' })
  return value
}

function checkPatterns(key: string, patterns: readonly string[]): void {
  for (const pattern of patterns) {
    try {
      compilePathPattern(pattern)
    } catch (error) {
      if (error instanceof PatternRefused) throw new ConfigBroken(FILE, `${key}: ${error.message}`)
      throw error
    }
  }
}
