import type { Clock } from '../../kernel/clock.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { Models, OpenModel } from '../../models/models.ts'
import type { PolicyScene } from '../../policy/scene.ts'
import type { Approval } from '../../runs/approval.ts'
import type { Egress } from '../../runs/egress.ts'
import type { Following, RunEvent } from '../../runs/follow.ts'
import type { Owner, Run } from '../../runs/run.ts'
import type { Claim, Runs } from '../../runs/runs.ts'
import type { Isolation } from '../../sandbox/isolation/isolation.ts'
import type { Place } from '../../sandbox/place/place.ts'
import type { Processes } from '../../sandbox/process/types.ts'
import type { Store } from '../../store/store.ts'
import type { McpServers } from '../../tools/mcp/servers.ts'
import type { McpSurroundings } from '../../tools/mcp/types.ts'
import type { DriveOutcome, Verified } from '../drive.ts'
import type { EngineBudget, EngineCommandKind } from '../types.ts'
import type { Keeper } from './book.ts'
import type { Leaks, LeakWatch } from './leaks.ts'
import type { Unanswered } from './leave.ts'
import type { Totals } from './totals.ts'

export interface WorkInput {
  kind: EngineCommandKind
  prompt: string
  model: string | null
  /** Null: no scope was given. */
  scope: string[] | null
  /** The folder that it is about, from the root on. */
  folder: string
  allowCommands: string[]
  /** The command that proves the work and what it is compared with; null: nothing is proven. */
  verify: { command: string; base: string } | null
  /** Whether it works in a place of its own instead of the checkout. */
  isolated: boolean
  budget: Partial<EngineBudget> & RunBudget
}

/** A run that goes on. */
export interface Resumed {
  run: Run
  /** What more is to be done; null: nothing else than before. */
  further: string | null
}

/** What a run as a whole may use beside what its loops may; undefined is no limit. */
export interface RunBudget {
  maxTurns?: number | undefined
  maxCostUsd?: number | undefined
  maxWallMs?: number | undefined
}

/** Settings of `budget.*` and `budget.project.*`, as the person has set them; null is no limit. */
export interface BudgetSettings {
  tokens: number | null
  cost_usd: number | null
  tool_calls: number | null
  wall_s: number | null
  project: { tokens: number | null; cost_usd: number | null; tool_calls: number | null }
}

/** The folder that a run has for itself, where builds may write in it, and what was prepared for it. */
export type Workplace = Pick<Place, 'path' | 'outputs' | 'layer' | 'layers'>

/** Told while a place is made. */
export interface PlaceEvents {
  signal: AbortSignal
  tell: Tell
  /** What it needs could not be prepared; it is there without. */
  failed: (why: string) => void
}

/** What a run needs of the house around it. */
export interface WorkHouse {
  /** `root` is the checkout, or the place that the run works in; `folder` is what QED keeps in the checkout. */
  project: { id: string; root: string; folder: string }
  store: Store
  runs: Runs
  models: Models
  processes: Processes
  /** How long a command of the model may take unless it says so itself. */
  commandMs: number
  /** Folder of what processes printed beyond what is kept of it. */
  outputs: string
  isolation: Isolation
  /** The MCP servers of a run; null where none is set up. */
  mcp: ((at: Pick<McpSurroundings, 'run' | 'root' | 'signal' | 'walls' | 'refusedSecret'>) => McpServers) | null
  /** What policy knows of the run: its mode, and its scope where it has one. */
  scene: (given: {
    root: string
    mode: 'act' | 'plan'
    scope: { files_owned: string[]; allow_commands: string[] } | null
  }) => Promise<PolicyScene>
  /** Whether the person's own key signed an answer. */
  isPersons: (approval: Approval) => boolean
  /** Seconds after which an unanswered ask is cancelled; null: never. */
  askTtl: number | null
  /** Knows the values of the vault. */
  leaks: LeakWatch
  /** Where what a run changes is kept, so that it can be undone. */
  keeper: () => Promise<Keeper>
  /** The place of a run: made for a new one, found for one that goes on. */
  place: (run: RunId, on: PlaceEvents) => Promise<Workplace>
  /** Its run has ended; it stays until it is cleaned. */
  leavePlace: (run: RunId) => Promise<void>
  /** Limits of a loop, as the person has set them. */
  limits: object
  budget: BudgetSettings
  /** Models that are asked, in this order, when the chosen one fails. */
  fallback: string[]
  owner: Owner
  /** Who ordered the run, as the record names them. */
  actor: string
  clock: Clock
}

/** What a run needs of whoever ordered it. */
export interface WorkPorts {
  /** Shows an ask to the person at this surface and writes down what they answer; ended by the signal where it was answered
   *  elsewhere. Null: nobody is here. */
  ask: ((approval: Approval, signal: AbortSignal) => Promise<void>) | null
  /** Whether an ask waits for an answer from another process where nobody is here. */
  waits: boolean
  askPerson: ((question: string, signal: AbortSignal) => Promise<string | null>) | null
  /** Null: nothing is proven. */
  verify: ((run: Run, at: { tell: Tell; signal: AbortSignal }) => Promise<Verified>) | null
  /** Everything that happens, as it happens: the stored events of the run, and `model.delta`, `model.retry`, `call.output`,
   *  `call.changed` and `proof.*` between them. Null: nobody listens. */
  listen: ((event: RunEvent) => void) | null
  signal: AbortSignal
}

/** Tells what passes by and is not stored; null where nobody listens. */
export type Tell = Following['tell'] | null

export interface Worked {
  run: Run
  outcome: DriveOutcome
  totals: Totals
  /** The one that answered last. */
  model: OpenModel
  /** What went to model providers. */
  egress: Egress['totals']
  refused: number
  /** The first ask that nobody was there to answer. */
  unanswered: Unanswered | null
  /** Where the text of a plan was written. */
  planFile: string | null
  /** Where it worked, if that was not the checkout. */
  place: string | null
  /** Files that are otherwise because of it; null where only its snapshots can tell. */
  changed: string[] | null
}

/** One run in the hands of this process. */
export interface Hands {
  house: WorkHouse
  input: WorkInput
  ports: WorkPorts
  tell: Tell
  claim: Claim
  model: OpenModel
  leaks: Leaks
  /** Aborted when the run is no longer ours to drive. */
  lost: AbortSignal
  /** Aborted, with what they said, when someone asked for the run to end. */
  ended: AbortSignal
  /** Null: the checkout. */
  place: Workplace | null
}
