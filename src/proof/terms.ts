/** What a proof holds the work to: the part of a brief that measuring and judging look at, or the flags of `qed prove`. */
export interface ProofTerms {
  /** Null standalone. */
  brief: BriefRef | null
  command: VerifyCommand
  scope: ProofScope
  /** Names of the gates that must pass. */
  gates: string[]
}

export interface BriefRef {
  id: string
  /** At dispatch. */
  digest: string
  mission: string | null
  task: string | null
  run: string | null
}

export type VerifyKind = 'red-green' | 'guard'

export interface VerifyCommand {
  text: string
  kind: VerifyKind
  timeout_s: number
  network: boolean
  repeat: number
  /** For work that cures a hang: a time-out before the work counts as red. */
  hang_is_red: boolean
  /** Patterns of what is emptied for the `broken` run. */
  sabotage: string[] | null
}

export interface ProofScope {
  /** Null: nothing is said about scope; sacred paths and judges still hold. */
  owned: string[] | null
  /** Patterns of existing tests that may change. */
  allow_tests: string[]
  /** Patterns of other protected files that may change. */
  allow_judges: string[]
  allow_dependencies: boolean
  /** Patterns of destructive commands that were agreed on. */
  destructive: string[]
}

/** What the project's settings in the base tree add; they can never take away. */
export interface ProofSettings {
  /** Patterns of test-side files, the defaults included. */
  tests: string[]
  /** Patterns of further files that judge the work, beyond the built-in ones. */
  protect?: string[]
  /** Patterns of build output and caches, the defaults included. */
  outputs: string[]
  /** SHA-256 of values that may stand in a diff although they look like secrets. */
  secret_allow: string[]
  gates: GateDefinition[]
  vary: boolean
  /** The command that makes dependencies present; null: told by the lock files. Counts only where the project is trusted. */
  prepare?: string | null
  /** Further files and folders outside the project to look at: absolute, or below the home by `~/`. */
  watch_outside?: string[]
}

export interface GateDefinition {
  name: string
  /** None: built in. */
  command?: string
  score: 'exit' | 'json'
  threshold: number
  timeout_s: number
  network: boolean
}
