import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import * as z from 'zod'
import type { App } from '../app.ts'
import { InvalidInput } from '../kernel/errors.ts'
import { NO_LAYERS, type PolicyLayers, type SettingsSource } from '../policy/layers/layer.ts'
import { resolveText } from '../policy/paths/resolve-real.ts'
import { advisorProfile, DEFAULT_PROFILE } from '../policy/profiles.ts'
import { loadPolicyValue, permissionsAsPolicy } from '../policy/rules/load.ts'
import { CategoryName } from '../policy/rules/schema.ts'
import type { PolicyScene } from '../policy/scene.ts'
import type { ReadShell } from '../policy/shell-port.ts'
import type { BriefScope, PolicyContext } from '../policy/types.ts'
import { listSettings } from '../project/config/config.ts'
import { loadLayers } from '../project/policy-files.ts'
import { findRepository } from '../project/root.ts'
import { isTrusted } from '../project/trust.ts'
import { realFacts, textFacts } from '../sandbox/facts.ts'
import { READING_OPERATIONS } from './reading-operations.ts'

const texts = () => z.array(z.string())
const layer = () => z.record(z.string(), z.json())

/** What every question about policy may say about the scene it is asked in. */
export const sceneInput = {
  category: CategoryName().optional().describe('Category to judge under'),
  cwd: z.string().optional().describe('Folder that relative paths start from; default: the first root'),
  roots: z
    .array(z.strictObject({ path: z.string().min(1), access: z.enum(['read', 'write']).default('write') }))
    .optional()
    .describe("Roots instead of the project's"),
  workspace_root: z.string().optional().describe('One root instead of the project, for writing'),
  facts: z.enum(['real', 'none']).default('real').describe('none: look nothing up on disk, judge paths by their text'),
  mode: z.enum(['act', 'ask', 'plan', 'advisor']).default('act').describe('Mode of the run'),
  profile: z.string().optional().describe('Tools of mode advisor'),
  scope: z
    .strictObject({
      files_owned: texts().default([]),
      verify: z.string().optional(),
      allow_commands: texts().optional(),
      allow_network: texts().optional(),
      destructive: texts().optional(),
      allow_billing: z.boolean().optional(),
      allow_dependency_change: z.boolean().optional(),
      audit_gates: texts().optional(),
      rubric: texts().optional(),
    })
    .optional()
    .describe('Scope of a brief'),
  agent: z.string().optional().describe('Agent that asks'),
  surface: z.enum(['cli', 'tui', 'mcp', 'rpc', 'acp', 'http', 'sdk']).optional().describe('Surface of the run'),
  approver: z.enum(['person', 'none']).default('person').describe('Who could answer an ask'),
  layers: z
    .strictObject({ project: layer().optional(), personal: layer().optional(), agent: layer().optional() })
    .optional()
    .describe('Policies instead of those in the files: policy files or maps of categories'),
}

export const Scene = z.object(sceneInput)
type SceneInput = z.output<typeof Scene>

/** The home of a machine that is not this one. */
const ELSEWHERE = { home: '/home/user', tmp: '/tmp' }

/** `place`: a folder that stands for the project, under the same rules. */
export async function sceneFor(app: App, input: SceneInput, surface: PolicyContext['surface'], place?: string): Promise<PolicyScene> {
  const readShell = await app.readShell()
  const given = input.roots ?? (input.workspace_root === undefined ? undefined : [{ path: input.workspace_root, access: 'write' as const }])
  const { layers, sacredLoaded, roots: configured } = await layersFor(app, input, given !== undefined, readShell)
  const own = { path: place ?? app.findProject()?.root ?? findRepository(app.cwd) ?? resolve(app.cwd), access: 'write' as const }
  const roots = (given ?? [own, ...configured]).map(root => ({ ...root, path: absolute(root.path, app.cwd) }))
  const first = roots[0]?.path ?? '/'
  const facts =
    input.facts === 'none'
      ? textFacts({ roots, ...ELSEWHERE })
      : realFacts({ roots, home: app.env['HOME'] || homedir(), tmp: tmpdir(), personal: [app.folders.data, app.folders.config] })
  return {
    cwd: input.cwd === undefined ? first : absolute(input.cwd, first),
    facts: { ...facts, sacredLoaded },
    context: contextFor(input, surface),
    layers: { ...layers, readOperations: READING_OPERATIONS },
    readShell,
  }
}

function absolute(path: string, from: string): string {
  return isAbsolute(path) ? resolveText(path, '/') : resolve(from, path)
}

interface LayersForScene {
  layers: PolicyLayers
  sacredLoaded: boolean
  roots: { path: string; access: 'read' | 'write' }[]
}

async function layersFor(app: App, input: SceneInput, elsewhere: boolean, readShell: ReadShell): Promise<LayersForScene> {
  if (input.layers) return { layers: givenLayers(input, readShell), sacredLoaded: true, roots: [] }
  if (elsewhere || input.facts === 'none') return { layers: NO_LAYERS, sacredLoaded: true, roots: [] }
  const settings = listSettings(app.configPlaces())
  const roots = settings.find(({ key }) => key === 'roots')?.value ?? []
  const { layers, sacredLoaded } = await loadLayers({
    project: app.findProject(),
    personalFile: join(app.folders.config, 'policy.json'),
    home: app.env['HOME'] || homedir(),
    settings,
    readShell,
    isTrusted: async (project, digest) => isTrusted(await app.personalStore(), project, digest),
  })
  return { layers, sacredLoaded, roots: roots as LayersForScene['roots'] }
}

const GIVEN_AGENT = 'given'

function givenLayers({ layers = {}, agent }: SceneInput, readShell: ReadShell): PolicyLayers {
  const source = (value: unknown): SettingsSource[] =>
    value === undefined ? [] : [{ policy: loadPolicyValue(permissionsAsPolicy(value), readShell), trusted: true }]
  const [own] = source(layers.agent)
  return {
    ...NO_LAYERS,
    project: source(layers.project),
    personal: source(layers.personal),
    agents: own ? { [agent ?? GIVEN_AGENT]: own } : {},
  }
}

function contextFor(input: SceneInput, surface: PolicyContext['surface']): PolicyContext {
  const { mode, approver, scope } = input
  const agent = input.agent ?? (input.layers?.agent === undefined ? undefined : GIVEN_AGENT)
  return {
    mode,
    approver,
    surface: input.surface ?? surface,
    ...(agent !== undefined && { agent }),
    ...(scope && { brief: stripped(scope) }),
    ...(mode === 'advisor' && { profile: advisorProfile(input.profile ?? DEFAULT_PROFILE).profile }),
  }
}

// Keys that are there but undefined are not the same as keys that are missing.
function stripped(scope: NonNullable<SceneInput['scope']>): BriefScope {
  return JSON.parse(JSON.stringify(scope)) as BriefScope
}

export function refuse(path: string, message: string): InvalidInput {
  return new InvalidInput('The question', [{ path, message }])
}
