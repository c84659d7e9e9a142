import type { PathSettings, ResolvedPath } from '../paths/resolve-path.ts'
import type { CompiledSacredRow } from '../paths/sacred.ts'
import type { PreflightState } from '../preflight.ts'
import type { CompiledRule } from '../rules/compile.ts'
import type { LoadedPolicy, UnloadablePolicy } from '../rules/load.ts'
import type { ShellLevel, ShellReading, ShellSegment } from '../shell-port.ts'
import type { Facet, LayerName, PolicyOperation, Verdict } from '../types.ts'

/** What one layer says about one facet. A layer that has nothing to say is silent. */
export interface Answer {
  verdict: Verdict
  /** Id of the rule inside its layer. */
  rule: string
  code: string
  reason: string
}

/** A facet with everything that judging it may need. */
export interface Subject {
  facet: Facet
  /** Set where the facet is about a path that can be meant. */
  path: ResolvedPath | null
  malformed: string | null
  /** What the layers say about secret names. */
  pathSettings: PathSettings
  /** Set for the simple command itself, not for the paths and hosts that it touches. */
  segment: ShellSegment | null
  /** All levels of the segment that the facet comes from. */
  levels: ShellLevel[]
  reading: ShellReading | null
  operation: PolicyOperation
  /** No target was given, only a category. */
  bare: boolean
  /** How far the destructive part of the operation is prepared. */
  preflight: PreflightState
}

export type Layer = (subject: Subject, layers: PolicyLayers) => Answer | null

/** One source of settings: a policy file or an agent's permissions. */
export interface SettingsSource {
  policy: LoadedPolicy | UnloadablePolicy
  /** Whether its allow answers count. */
  trusted: boolean
}

/** Everything outside the operation that has a say. */
export interface PolicyLayers {
  project: SettingsSource[]
  personal: SettingsSource[]
  /** By agent. */
  agents: Record<string, SettingsSource>
  /** Rules that a person answered an ask with, for this run or this project. */
  remembered: CompiledRule[]
  /** Rows of the project's own file, beside the built-in ones. */
  sacred: CompiledSacredRow[]
  /** Exact real paths that the person's config says are not secret. */
  sensitiveExcept: string[]
  /** Whether a sandboxed command may run unasked. */
  shellInSandbox: 'ask' | 'allow'
  /** Names of QED's own operations that only read. */
  readOperations: readonly string[]
}

export const NO_LAYERS: PolicyLayers = {
  project: [],
  personal: [],
  agents: {},
  remembered: [],
  sacred: [],
  sensitiveExcept: [],
  shellInSandbox: 'ask',
  readOperations: [],
}

/** Layers that a person can answer for. */
export const ANSWERABLE: LayerName[] = ['project', 'personal', 'agent', 'defaults']
