import type { Surface } from '../kernel/caller.ts'
import type { IsolationInForce } from '../kernel/isolation.ts'

/** Least strict first. */
export const VERDICTS = ['allow', 'ask', 'deny'] as const
export type Verdict = (typeof VERDICTS)[number]

export const CATEGORIES = ['read', 'edit', 'shell', 'git', 'network', 'memory', 'external-directory', 'provider-tool', 'secrets'] as const
export type Category = (typeof CATEGORIES)[number]

export const LAYERS = ['floor', 'mode', 'brief', 'project', 'personal', 'agent', 'defaults'] as const
export type LayerName = (typeof LAYERS)[number]

export type Mode = 'act' | 'ask' | 'plan' | 'advisor'
export type Access = 'read' | 'list' | 'write' | 'create' | 'delete' | 'move' | 'link'

export type Flag =
  | 'destructive'
  | 'catastrophic'
  | 'privileged'
  | 'ambiguous'
  | 'dependency-change'
  | 'download-run'
  | 'remote-exec'
  | 'env-override'
  | 'hard-linked'
  // These two raise nothing by themselves.
  | 'inline-code'
  | 'background'

export interface Root {
  path: string
  real: string
  access: 'read' | 'write'
}

/** What the disk says about one path, gathered before the decision. */
export interface PathFact {
  /** Where it really leads; the word `too-many-links` where the kernel would give up. */
  real: string
  exists: boolean
  type: 'file' | 'folder' | 'link' | 'device' | 'fifo' | 'socket' | null
  device: number
  inode: number
  links: number
}

/** The files that a patch or an archive names. An archive with links in it has no such list: they lead elsewhere. */
export type Inside = { kind: 'patch'; names: { name: string; sided: boolean }[] } | { kind: 'archive'; names: string[] }

/** What a brief allows, as far as policy looks at it. */
export interface BriefScope {
  files_owned: string[]
  verify?: string
  allow_commands?: string[]
  allow_network?: string[]
  destructive?: string[]
  allow_billing?: boolean
  allow_dependency_change?: boolean
  audit_gates?: string[]
  rubric?: string[]
}

/** Everything about the world that a decision may depend on. */
export interface Facts {
  /** The first one is the project's own, to which patterns are relative. */
  roots: Root[]
  /** By the absolute path as written. */
  paths: Record<string, PathFact>
  /** What a glob matches, by its absolute pattern. */
  globs: Record<string, string[] | 'too-many'>
  /** Sensitive files below a folder that is read recursively. */
  sensitiveBelow: Record<string, string[]>
  /** Those of them that git's ignore rules keep from a search of that folder. */
  ignoredBelow?: Record<string, string[]>
  /** Everything below a folder by its real path, files and folders, without what packages and git keep; left out when nobody looked. */
  below?: Record<string, string[] | 'too-many'>
  /** What a patch or an archive would write, by its absolute path; nothing where that cannot be told. */
  inside?: Record<string, Inside>
  caseInsensitive: boolean
  manifestKeysChanged?: string[]
  sacredLoaded: boolean
  home: string
  tmp: string
  createdByRun: string[]
  branchesOfRun: string[]
  /** The branch that is checked out where the command would run; left out when nobody looked. */
  currentBranch?: string
  pidsOfRun: number[]
  isolation: IsolationInForce | null
  /** The run's own folder for throw-away files. */
  scratch?: string
  /** The person's own folders of QED: keys, places, stores, settings. */
  personal?: string[]
  /** Project paths that exist on a deployed branch; unknown means that whatever exists is deployed. */
  deployed?: string[]
}

/** What an advisor may use. */
export interface AdvisorProfile {
  name: string
  tools: string[]
}

export interface PolicyContext {
  mode: Mode
  surface: Surface
  agent?: string
  brief?: BriefScope
  gates?: string[]
  rubric?: string[]
  approver: 'person' | 'none'
  parent?: PolicyContext
  /** Tools of mode `advisor`. */
  profile?: AdvisorProfile
  /** How far the destructive operation at hand has been prepared. */
  preflight?: PreflightRecord
}

export const PREFLIGHT_STEPS = [
  'dry-run-written',
  'dry-run-captured',
  'blast-stated',
  'authorised',
  'backed-up',
  'executed',
  'verified',
] as const
export type PreflightStep = (typeof PREFLIGHT_STEPS)[number]

/** What was done to prepare one destructive operation, in the order in which it was recorded. */
export interface PreflightRecord {
  operation_digest: string
  steps: { step: PreflightStep; digest: string }[]
  dry_run?: { command: string; output_path: string; exit: number }
  blast_radius?: string
  listed_as?: string[]
  backup?: { kind: 'git-ref' | 'copy' | 'dump'; path: string; sha256: string; restore_command: string; restored_sha256: string }
}

export interface PolicyOperation {
  category?: Category
  /** file.read file.write process.exec net.get net.send memory.search memory.save tool.call secret.use secret.read */
  verb: string
  command?: string
  /** Judged as one simple command of static words. */
  argv?: string[]
  paths?: { path: string; access: Access; recursive?: boolean }[]
  url?: string
  tool?: string
  secret?: string
  memory?: { scope: 'project' | 'personal' }
  /** Absolute. */
  cwd: string
  facts: Facts
  context: PolicyContext
}

/** Of a command; mildest first. */
export const SHELL_CLASSES = ['read-only', 'file-effect', 'network', 'other', 'destructive'] as const
export type ShellClass = (typeof SHELL_CLASSES)[number]

/** One part of an operation that is judged by itself. */
export interface Facet {
  category: Category
  verb: string
  /** Index of the shell segment it comes from. */
  segment?: number
  /** What kind of command the segment is. */
  class?: ShellClass
  argv?: string[]
  path?: string
  /** Where the path really leads; this is what rules look at. */
  real?: string
  /** What stood there when it was judged: the executor compares and does nothing when it differs. */
  binding?: { device: number; inode: number; type: PathFact['type'] }
  access?: Access
  recursive?: boolean
  host?: string
  tool?: string
  secret?: string
  flags: Flag[]
  /** Guessed from a word of an unknown program. */
  inferred?: boolean
  /** Why `ambiguous` is among the flags. */
  ambiguity?: Ambiguity
  /** Names that a recursive read passes over: globs over one part of a path, a trailing `/` means a folder. */
  excludes?: string[]
  /** A recursive read passes over what git ignores. */
  skipsIgnored?: boolean
  /** Only some of what is below a recursive path is meant. */
  partial?: boolean
  /** When given, a recursive read opens only files whose name matches one of these globs. */
  only?: string[]
}

/** Also the reason codes of a decision. */
export type Ambiguity = 'unknown-grammar' | 'dynamic-word' | 'ambiguous'

interface RuleRef {
  layer: LayerName
  id: string
}

export interface Decision {
  verdict: Verdict
  code: string
  reason: string
  rule: RuleRef
  facets: (Facet & { verdict: Verdict; rule: RuleRef })[]
  /** Which layer said what, silent ones left out. */
  trace: { facet: number; layer: LayerName; rule: string; answer: Verdict | 'untrusted' | 'remembered' }[]
  flags: Flag[]
  rememberable: boolean
  /** SHA-256 of the canonical operation. */
  digest: string
}
