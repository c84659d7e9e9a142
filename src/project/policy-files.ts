import { join, resolve } from 'node:path'
import type { ProjectId } from '../kernel/ids.ts'
import { sha256 } from '../kernel/sha256.ts'
import { NO_LAYERS, type PolicyLayers, type SettingsSource } from '../policy/layers/layer.ts'
import { loadSacredFile, type SacredFile } from '../policy/paths/sacred-file.ts'
import type { CompiledRule } from '../policy/rules/compile.ts'
import { loadPolicy } from '../policy/rules/load.ts'
import type { ReadShell } from '../policy/shell-port.ts'
import { FileUnusable } from '../store/errors.ts'
import { readFileIfThere } from '../store/files.ts'
import type { Setting } from './config/resolve.ts'
import type { Project } from './root.ts'

/** The two files of the project's layer, from its root. The second one is not in git and holds what people remembered. */
const PROJECT_POLICY_FILES = ['.qed/policy.json', '.qed/policy.local.json'] as const
const [SHARED, LOCAL] = PROJECT_POLICY_FILES
const SACRED_FILE = '.qed/sacred-scopes.yaml'

export interface PolicyText {
  file: string
  text: string
  digest: string
}

export interface PolicyPlaces {
  project: Project | null
  /** The person's own policy file. */
  personalFile: string
  home: string
  settings: Setting[]
  readShell: ReadShell
  isTrusted(project: ProjectId, digest: string): boolean | Promise<boolean>
}

export interface LoadedLayers {
  layers: PolicyLayers
  sacredLoaded: boolean
  /** What is wrong with a file, or has no effect. */
  notes: { file: string; message: string }[]
}

/** The policy files of a project that are there, with the digest under which they are trusted. */
export function projectPolicyTexts(project: Project): PolicyText[] {
  return PROJECT_POLICY_FILES.flatMap(file => {
    const text = readFileIfThere(join(project.root, file))
    return text === null ? [] : [{ file, text, digest: sha256(text) }]
  })
}

/** Everything that files say about what may be done here. A file that cannot be used closes its layer; it never throws. */
export async function loadLayers(places: PolicyPlaces): Promise<LoadedLayers> {
  const { project, settings, readShell } = places
  const notes: LoadedLayers['notes'] = []
  const sources = project ? await projectSources(project, places, notes) : []
  const personalText = readGuarded(places.personalFile)
  const personal = personalText === null ? [] : [noted(places.personalFile, personalText, true, readShell, notes)]
  const sacred: SacredFile = project ? sacredOf(project) : { kind: 'loaded', rows: [] }
  if (sacred.kind === 'unloadable') notes.push({ file: SACRED_FILE, message: sacred.why })
  const value = (key: string): Setting | undefined => settings.find(setting => setting.key === key)
  const inSandbox = value('shell_in_sandbox')
  const mayOpen = inSandbox?.source !== 'project' || sources.some(({ file, source }) => file === SHARED && source.trusted)
  return {
    layers: {
      ...NO_LAYERS,
      project: sources.map(({ source }) => source),
      personal,
      remembered: sources.filter(({ file, source }) => file === LOCAL && source.trusted).flatMap(({ source }) => allowing(source)),
      sacred: sacred.kind === 'loaded' ? sacred.rows : [],
      sensitiveExcept: ((value('sensitive_except')?.value ?? []) as string[]).map(path => exactPath(path, places)),
      shellInSandbox: inSandbox?.value === 'allow' && mayOpen ? 'allow' : 'ask',
    },
    sacredLoaded: sacred.kind === 'loaded',
    notes,
  }
}

async function projectSources(
  project: Project,
  places: PolicyPlaces,
  notes: LoadedLayers['notes'],
): Promise<{ file: string; source: SettingsSource }[]> {
  const sources: { file: string; source: SettingsSource }[] = []
  for (const file of PROJECT_POLICY_FILES) {
    const text = readGuarded(join(project.root, file))
    if (text === null) continue
    const trusted = typeof text === 'string' && (await places.isTrusted(project.id, sha256(text)))
    sources.push({ file, source: noted(file, text, trusted, places.readShell, notes) })
  }
  return sources
}

function noted(
  file: string,
  text: string | FileUnusable,
  trusted: boolean,
  readShell: ReadShell,
  notes: LoadedLayers['notes'],
): SettingsSource {
  const policy =
    typeof text === 'string'
      ? loadPolicy(text, readShell)
      : { kind: 'unloadable' as const, problems: [{ code: 'not-json' as const, message: text.message }] }
  const told = policy.kind === 'loaded' ? policy.warnings : policy.problems
  notes.push(...told.map(({ message }) => ({ file, message })))
  return { policy, trusted }
}

function allowing({ policy }: SettingsSource): CompiledRule[] {
  return policy.kind === 'loaded' ? policy.rules.filter(({ rule }) => rule.effect === 'allow') : []
}

// In a project the file must be there: a missing list is not an empty one.
function sacredOf(project: Project): SacredFile {
  const text = readGuarded(join(project.root, SACRED_FILE))
  if (typeof text === 'string') return loadSacredFile(text)
  return { kind: 'unloadable', why: text === null ? 'the file is missing; qed init writes it' : text.message }
}

function exactPath(path: string, { home, project }: PolicyPlaces): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : resolve(project?.root ?? home, path)
}

function readGuarded(path: string): string | FileUnusable | null {
  try {
    return readFileIfThere(path)
  } catch (error) {
    if (error instanceof FileUnusable) return error
    throw error
  }
}
