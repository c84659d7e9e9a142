import { arch, platform } from 'node:os'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { findInstructions, renderInstructions } from '../context/instructions.ts'
import { DEFAULT_PERSONA, systemPrompt } from '../context/system-prompt.ts'
import { createTranscript } from '../context/transcript/strategy.ts'
import { defaultEngineBudgets, isReadingKind } from '../engine/budgets.ts'
import { type DriveOutcome, type DrivePorts, drive, type Verified } from '../engine/drive.ts'
import type { EngineBudget, EngineCommandKind } from '../engine/types.ts'
import type { RunId } from '../kernel/ids.ts'
import type { IsolationInForce } from '../kernel/isolation.ts'
import type { JsonObject } from '../kernel/json.ts'
import { createModelClient, type Reserve } from '../models/client.ts'
import { estimateTokens } from '../models/estimate.ts'
import type { OpenModel } from '../models/models.ts'
import { readNative, readTags } from '../models/read-reply.ts'
import type { Gates } from '../models/retry/gates.ts'
import { redactText } from '../policy/secrets/redact.ts'
import type { Decision } from '../policy/types.ts'
import { getSetting } from '../project/config/config.ts'
import { type Attempts, createAttempts } from '../runs/attempts.ts'
import { type Budgets, createBudgets } from '../runs/budget/budgets.ts'
import { thisProcess } from '../runs/owner.ts'
import { type RebuiltLoop, rebuildLoop } from '../runs/rebuild.ts'
import { createRecorder } from '../runs/recorder.ts'
import { recover } from '../runs/recovery.ts'
import type { Run } from '../runs/run.ts'
import { type Claim, createRuns, RENEW_MS, type Runs } from '../runs/runs.ts'
import type { Isolation } from '../sandbox/isolation/isolation.ts'
import { newMark } from '../sandbox/process/mark.ts'
import { type ProcessSpec, TOOL_KEEP } from '../sandbox/process/types.ts'
import { type Blobs, createBlobs } from '../store/blobs.ts'
import { readFileIfThere } from '../store/files.ts'
import type { Store } from '../store/store.ts'
import { judgeTurn } from '../text/dialects/judge-turn.ts'
import { createExecutor, type Leave } from '../tools/executor.ts'
import { digestOf, readBytes } from '../tools/files.ts'
import { builtInTools, offered } from '../tools/index.ts'
import { createRipgrep } from '../tools/ripgrep.ts'
import type { AnyTool, Question } from '../tools/tool.ts'
import type { Call } from './operation.ts'
import { Scene, sceneFor } from './policy-question.ts'
import { type AskLeave, createLeave } from './run-leave.ts'
import type { RunEvent } from './run-lines.ts'

export interface WorkInput {
  kind: EngineCommandKind
  prompt: string
  model: string | null
  /** Null: no scope was given. */
  scope: string[] | null
  allowCommands: string[]
  budget: Partial<EngineBudget>
}

export interface WorkPorts {
  ask: AskLeave | null
  askPerson: ((question: string, signal: AbortSignal) => Promise<string | null>) | null
  /** Null: nothing is proven. */
  verify: ((run: Run) => Promise<Verified>) | null
  /** What happens, as it happens: stored events and deltas. */
  tell: (event: RunEvent) => void
}

export interface Worked {
  run: Run
  outcome: DriveOutcome
  model: OpenModel
  refused: number
}

/** The records of runs of the project. */
export async function runRecords(app: App): Promise<{ store: Store; runs: Runs }> {
  const store = await app.projectStore()
  return { store, runs: createRuns({ ...store, clock: app.clock, project: app.project().id }) }
}

/** Carries out one prompt in the project's checkout, from its claim to its end. */
export async function work(app: App, input: WorkInput, call: Call, ports: WorkPorts, resumed: Run | null = null): Promise<Worked> {
  const { store, runs } = await runRecords(app)
  const models = await app.models()
  const model = await models.open(input.model)
  const run =
    resumed ??
    runs.create({
      intent: input.prompt.slice(0, 4000),
      kind: input.kind,
      mode: isReadingKind(input.kind) ? 'plan' : 'act',
      model: model.spec.name,
    })
  const claim = runs.claim(run.id, thisProcess(call.caller.surface))
  const renewing = setInterval(() => runs.renew(claim), RENEW_MS).unref()
  try {
    return await carryOut({ app, input, call, ports, store, runs, claim, model, gates: models.gates, resumed: resumed !== null })
  } finally {
    clearInterval(renewing)
  }
}

interface Scope {
  app: App
  input: WorkInput
  call: Call
  ports: WorkPorts
  store: Store
  runs: Runs
  claim: Claim
  model: OpenModel
  gates: Gates
  resumed: boolean
}

/** Everything that a run has at hand while it works. */
interface Desk {
  blobs: Blobs
  attempts: Attempts
  budget: EngineBudget
  budgets: Budgets
  tools: AnyTool[]
  cwd: string
  signal: AbortSignal
  leave: (question: Question, call: { id: string; name: string }) => Promise<Leave>
  /** The first ask that nobody was there to answer. */
  unanswered: () => Decision | null
  refused: () => number
}

async function carryOut(at: Scope): Promise<Worked> {
  const { input, ports, runs, claim, model } = at
  const desk = await setUp(at)
  const known = at.resumed ? recovered(at, desk) : null
  const [type, data] = at.resumed
    ? (['run.resumed', resumedData(known)] as const)
    : (['run.started', startedData(at, desk.budget)] as const)
  runs.fenced(claim, () => at.store.log.append(`run:${claim.run}`, type, data))
  ports.tell({ type: 'run.working', data: { run: claim.run, model: model.spec.name, scripted: model.model.scripted, kind: input.kind } })
  const outcome = await drive(
    {
      system: redactText(systemOf(at, desk.cwd)),
      prompt: redactText(input.prompt),
      budget: desk.budget,
      answers: isReadingKind(input.kind),
      resume: known && !known.stopped ? known : null,
    },
    drivePorts(at, desk),
  )
  return conclude(at, desk, outcome)
}

async function setUp(at: Scope): Promise<Desk> {
  const { app, input, call, ports, store, runs, claim } = at
  const { root, folder } = app.project()
  const { processes, isolation } = await app.sandbox()
  const budget = { ...defaultEngineBudgets[input.kind], ...input.budget }
  const budgets = createBudgets({ ...store, clock: app.clock })
  budgets.open({ id: claim.run, parent: null, caps: { tokens: budget.maxTokens } })
  const reading = isReadingKind(input.kind)
  const walls = { profile: 'worker' as const, network: 'off' as const, writable: { place: root, owned: input.scope ?? ['**'] } }
  const brief = input.scope && { scope: { files_owned: input.scope, allow_commands: input.allowCommands } }
  const scene = await sceneFor(app, Scene.parse({ mode: reading ? 'plan' : 'act', ...brief }), {
    surface: call.caller.surface,
    catalogue: call.catalogue,
  })
  const facts = { ...scene.facts, isolation: await wallsOf(isolation, { ...walls, cwd: root, run: claim.run }) }
  const stop = new AbortController()
  let unanswered: Decision | null = null
  let refused = 0
  const decide = createLeave({
    scene: { ...scene, facts },
    ask: ports.ask,
    onUnanswered: decision => {
      unanswered ??= decision
      if (input.scope === null) stop.abort()
    },
  })
  return {
    blobs: createBlobs(join(folder, 'blobs')),
    attempts: createAttempts({ ...store, clock: app.clock, runs }),
    budget,
    budgets,
    cwd: scene.cwd,
    signal: AbortSignal.any([call.signal, stop.signal]),
    tools: builtInTools(
      {
        search: createRipgrep(processes, claim.run),
        shell: { processes, run: claim.run, walls },
        ...(ports.askPerson && { askPerson: ports.askPerson }),
      },
      { readingOnly: reading },
    ),
    leave: async (question, { id, name }) => {
      const leave = await decide(question)
      if (leave.verdict === 'deny') refused++
      const { verdict, rule, reason } = leave
      ports.tell({ type: 'call.decided', data: { call: id, name, verdict, rule, reason, question } })
      return leave
    },
    unanswered: () => unanswered,
    refused: () => refused,
  }
}

function drivePorts(at: Scope, desk: Desk): DrivePorts {
  const { app, input, ports, store, runs, claim, model } = at
  const { blobs, attempts, tools, signal } = desk
  const limits = getSetting(app.configPlaces(), 'limits').value as object
  const { verify } = ports
  return {
    transcript: createTranscript({
      ceiling: model.spec.context,
      count: messages => estimateTokens(messages),
      known: () => `The goal: ${input.prompt}`,
      summarise: () => Promise.resolve(null),
    }),
    tools: offered(tools),
    judge: turns => judgeTurn(turns, limits),
    recorder: (loop, turn) => createRecorder({ ...store, blobs, runs, claim, loop, turn, estimate: messages => estimateTokens(messages) }),
    client: () => clientFor(at, desk.budgets),
    executor: (recorder, settled) =>
      createExecutor({
        tools,
        scene: { root: app.project().root, signal, onOutput: text => ports.tell({ type: 'call.output', data: { text } }) },
        decide: desk.leave,
        db: store.db,
        attempts,
        claim,
        blobs,
        redact: redactText,
        now: () => app.clock.now(),
        record: recorder,
        ...(settled && { earlier: settled }),
      }),
    verify: verify && (() => verify(runs.get(claim.run))),
    stopReason: () => {
      const asked = input.scope === null ? desk.unanswered() : null
      return asked && { outcome: 'refused', reason: `ask-without-person: ${asked.reason}` }
    },
    keep: text => blobs.keep(text),
    signal,
  }
}

async function conclude({ app, runs, claim, model }: Scope, { attempts, refused }: Desk, outcome: DriveOutcome): Promise<Worked> {
  await (await app.sandbox()).processes.endRun(claim.run)
  for (const open of attempts.open(claim.run)) attempts.settle(claim, open.id, { status: 'abandoned', outcome: 'unknown' })
  const { turnsUsed, toolCallCount, tokensUsed, finalText } = outcome.loop
  const run = runs.finalize(claim, {
    status: outcome.status,
    outcome: outcome.outcome,
    ...(outcome.reason !== null && { reason: outcome.reason }),
    data: { turns: turnsUsed, tool_calls: toolCallCount, tokens: tokensUsed, text: finalText.slice(0, 10_000), refused: refused() },
  })
  return { run, outcome, model, refused: refused() }
}

/** The interrupted loop as the log tells it, with what its open calls came to. */
function recovered({ store, claim }: Scope, desk: Desk): RebuiltLoop | null {
  const events = store.log.list({ streams: [`run:${claim.run}`] }, 1_000_000)
  const earlier = rebuildLoop(events, desk.blobs)
  return earlier && { ...earlier, settled: withRecovered(earlier.settled, { ...desk, claim }) }
}

function systemOf({ app, input }: Scope, cwd: string): string {
  const root = app.project().root
  const found = findInstructions(root, cwd, readFileIfThere)
  return systemPrompt({
    kind: input.kind,
    root,
    platform: `${platform()} ${arch()}`,
    scope: input.scope,
    verify: null,
    instructions: renderInstructions(found, text => estimateTokens([{ role: 'user', content: text }])),
    persona: DEFAULT_PERSONA,
  })
}

function clientFor({ app, ports, claim, model, gates }: Scope, budgets: Budgets) {
  const reserve: Reserve = ({ tokens, costMicroUsd }) => {
    const held = budgets.reserve(claim.run, { tokens: Math.min(tokens, budgets.available(claim.run, 'tokens')), costMicroUsd })
    if (!held.ok) return { refused: `${held.wanted} ${held.dimension} were wanted and ${held.available} are left.` }
    return {
      settle: actual => budgets.settle(held.id, { tokens: actual.tokens, costMicroUsd: actual.costMicroUsd }),
      release: () => budgets.release(held.id),
    }
  }
  return createModelClient({
    model: model.model,
    gates,
    clock: app.clock,
    random: Math.random,
    replyLimit: model.spec.reply,
    prices: model.spec.prices,
    reserve,
    read: model.spec.dialect === 'tags' ? readTags : readNative,
    onPart: part => ports.tell({ type: 'model.delta', data: part }),
  })
}

/** what the process that died had left open is settled first; what its calls came to is what the model hears. */
function withRecovered(
  settled: RebuiltLoop['settled'],
  { attempts, claim, budgets }: { attempts: Attempts; claim: Claim; budgets: Budgets },
): RebuiltLoop['settled'] {
  budgets.settleOpen(claim.run)
  const known = new Map(settled)
  for (const open of attempts.open(claim.run)) {
    const { status, outcome, told } = recover(open, path => digestOf(readBytes(path, path)))
    attempts.settle(claim, open.id, { status, outcome })
    if (told) known.set(open.subject.slice(open.subject.lastIndexOf(':') + 1), told)
  }
  return known
}

function startedData({ input, model }: Scope, budget: EngineBudget): JsonObject {
  return {
    kind: input.kind,
    model: model.spec.name,
    scripted: model.model.scripted,
    strategy: 'transcript',
    dialect: model.spec.dialect,
    budget: { ...budget },
    brief: null,
    scope: input.scope,
    allow_commands: input.allowCommands,
    isolation: null,
  }
}

function resumedData(known: RebuiltLoop | null): JsonObject {
  return { loop: known?.loop ?? 0, turn: known?.nextTurn ?? 0, recovered: [] }
}

/** What would hold around a command of this run; starts nothing. */
async function wallsOf(
  isolation: Isolation,
  { cwd, run, ...walls }: Pick<ProcessSpec, 'profile' | 'network' | 'writable' | 'cwd'> & { run: RunId },
): Promise<IsolationInForce | null> {
  const spec: ProcessSpec = { ...walls, argv: ['true'], cwd, env: {}, timeout_ms: 1_000, keep: TOOL_KEEP, run_id: run }
  const launch = await isolation.isolate(spec, newMark(run, new Map()))
  return launch.isolation
}
