// One prompt, carried out in the project's checkout by the engine: claim → desk → loops and proofs → end. What drives it lies
// beside it; who ordered it is known only by its ports.
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import {
  findInstructions,
  type Instructions,
  type KeptInstructions,
  keptInstructions,
  renderInstructions,
} from '../../context/instructions.ts'
import { DEFAULT_PERSONA, systemPrompt } from '../../context/system-prompt.ts'
import { asQedError } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { sha256 } from '../../kernel/sha256.ts'
import { estimateTokens } from '../../models/estimate.ts'
import type { OpenModel } from '../../models/models.ts'
import { createAttempts } from '../../runs/attempts.ts'
import { createBudgets } from '../../runs/budget/budgets.ts'
import { egressOf } from '../../runs/egress.ts'
import { endRequests } from '../../runs/end-request.ts'
import { RunInterrupted } from '../../runs/errors.ts'
import { type Following, followRun } from '../../runs/follow.ts'
import { eventsOf } from '../../runs/history.ts'
import { createRecorder, type RecorderOptions } from '../../runs/recorder.ts'
import type { Run } from '../../runs/run.ts'
import { settleOpen } from '../../runs/settle-open.ts'
import { createTurnJudge } from '../../text/dialects/judge-turn.ts'
import { changedData } from '../../tools/changed.ts'
import { createExecutor } from '../../tools/executor.ts'
import { digestNow } from '../../tools/files.ts'
import { offered } from '../../tools/index.ts'
import type { ToolScene } from '../../tools/tool.ts'
import { isReadingKind } from '../budgets.ts'
import { type DriveOutcome, type DrivePorts, drive } from '../drive.ts'
import { modelFor, providerOf, type RunModel } from './client.ts'
import { type Desk, setUp } from './desk.ts'
import { created, toSaid } from './given.ts'
import { hold } from './holding.ts'
import { instructionReader } from './instruction-file.ts'
import { leakFinding, watchLeaks } from './leaks.ts'
import { writePlan } from './plan-file.ts'
import { type Known, recovered } from './recovered.ts'
import { createRelief } from './relief.ts'
import type { Saving } from './saving.ts'
import { onceSent, savingEffects, savingFor, withSaving } from './saving-ports.ts'
import { budgetOf, checkPrice, takeCallAt } from './spending.ts'
import { totalsOf } from './totals.ts'
import type { Hands, Resumed, Worked, WorkHouse, WorkInput, WorkPorts } from './types.ts'

/** Carries out one prompt, from its claim to its end. `resumed`: a run that goes on, perhaps with a further prompt. Rejects where another
 *  process has the run, and where it cannot be recorded any more: it then stands as it was recorded last, and can be gone on with. */
export async function work(house: WorkHouse, input: WorkInput, ports: WorkPorts, resumed: Resumed | null = null): Promise<Worked> {
  const model = await house.models.open(input.model)
  checkPrice(model.spec, budgetOf(input, house.budget), house.budget)
  const leaks = await watchLeaks(house.leaks)
  try {
    const at = { folder: house.project.folder, waits: ports.waits, redact: leaks.redact }
    const run = resumed?.run ?? created(house, input, { ...at, model })
    const said = resumed ? { ...toSaid(input, resumed.further, at), actor: house.actor } : null
    const following = ports.listen && follow(house, { run, after: resumed ? (house.store.log.head()?.seq ?? 0) : 0, send: ports.listen })
    try {
      return await claimed({ house, input, ports, tell: following?.tell ?? null, model, leaks }, run, said)
    } finally {
      following?.end()
    }
  } finally {
    leaks.end()
  }
}

type Unclaimed = Omit<Hands, 'claim' | 'lost' | 'ended' | 'place'>

/** `said`: what a run that goes on is told anew; null for a new one. */
async function claimed(given: Unclaimed, run: Run, said: JsonObject | null): Promise<Worked> {
  const { house, ports } = given
  const endRequest = endRequests(house.store.log, run.id)
  const claim = house.runs.claim(run.id, house.owner, said ? { said } : {})
  const held = hold(house.runs, claim, { clock: house.clock, endRequest })
  const { signal: lost, ended } = held
  const stoppable = { ...ports, signal: AbortSignal.any([ports.signal, ended]) }
  const hands: Hands = { ...given, ports: stoppable, claim, lost, ended, place: null }
  try {
    return await carryOut(await placed(hands), said !== null)
  } catch (error) {
    await house.processes.endRun(claim.run)
    const stopped = stoppedElsewhere(hands)
    if (stopped) return stopped
    throw lost.aborted ? lost.reason : interrupted(hands, error)
  } finally {
    held.release()
  }
}

/** The same hands where the run is to write: in the checkout, or in a place of its own. */
async function placed(hands: Hands): Promise<Hands> {
  const { house, input, claim } = hands
  if (!input.isolated || isReadingKind(input.kind)) return hands
  const place = await house.place(claim.run, {
    signal: AbortSignal.any([hands.ports.signal, hands.lost]),
    tell: hands.tell,
    failed: why => {
      const data = { where: 'prepare', message: hands.leaks.redact(why) }
      house.runs.fenced(claim, () => void house.store.log.append(`run:${claim.run}`, 'error.recorded', data))
    },
  })
  return { ...hands, place, house: { ...house, project: { ...house.project, root: place.path } } }
}

/** What is thrown out of a run that is still ours. Where it cannot be recorded it stands as it was recorded last, and that is what
 *  resuming is for; else it ends as failed. */
function interrupted({ house, claim }: Hands, thrown: unknown): unknown {
  const error = asQedError(thrown)
  if (error.code === 'disk_full') return new RunInterrupted(house.runs.get(claim.run).alias, error)
  try {
    const attempts = createAttempts({ ...house.store, ...house })
    settleOpen(claim, { log: house.store.log, runs: house.runs, attempts, digestNow })
    house.runs.finalize(claim, { status: 'failed', outcome: 'error', reason: `${error.code}: ${error.message}` })
  } catch {
    // Nothing more can be told than what was thrown first.
  }
  return thrown
}

/** A person ended the run from another process: whatever this one still wanted to write was refused, and that is no failure. */
function stoppedElsewhere(hands: Hands): Worked | null {
  const { house, claim, model } = hands
  const run = house.runs.get(claim.run)
  if (run.fence === claim.fence || run.status !== 'aborted') return null
  const reason = run.outcome_reason
  const loop: DriveOutcome['loop'] = { status: 'failed', finalText: '', toolCallCount: 0, tokensUsed: 0, turnsUsed: 0 }
  return {
    run,
    model,
    ...spent(hands, loop),
    refused: 0,
    unanswered: null,
    planFile: null,
    place: null,
    changed: null,
    outcome: { status: 'aborted', outcome: 'cancelled', reason, loop, proof: null, rounds: 0 },
  }
}

function follow(
  { store, clock }: WorkHouse,
  { run, after, send }: { run: Run; after: number; send: NonNullable<WorkPorts['listen']> },
): Following {
  return followRun({ log: store.log, clock, run: run.id, after, send })
}

async function carryOut(hands: Hands, resumed: boolean): Promise<Worked> {
  const { house, claim, model } = hands
  const desk = setUp(hands)
  const saving = savingFor(hands, desk, resumed)
  const known = resumed ? recovered(hands, desk, { ...holding(hands, desk.budget), ...providerOf(model) }) : null
  const instructions = instructionsOf(hands)
  if (!known?.started) {
    const data = { ...startedData(hands, desk.budget, instructions.kept), ...providerOf(model) }
    house.runs.fenced(claim, () => house.store.log.append(`run:${claim.run}`, 'run.started', data))
  }
  const asked = withSaving(modelFor(hands, { ...desk, ready: onceSent(desk.ready, saving) }), saving)
  const system = systemOf(hands, instructions)
  const outcome = await driven(hands, desk, { model: asked, known, system, saving }).finally(desk.time.stop)
  desk.budgets.spend(claim.run, { wallMs: desk.time.take() })
  await house.processes.endRun(claim.run)
  const changed = saving ? await saving.end() : []
  if (hands.place !== null) await house.leavePlace(claim.run)
  return { ...conclude(hands, desk, { outcome, model: asked.current() }), changed }
}

async function driven(
  hands: Hands,
  desk: Desk,
  { model, known, system, saving }: { model: RunModel; known: Known | null; system: string; saving: Saving | null },
): Promise<DriveOutcome> {
  const { input } = hands
  try {
    return await drive(
      {
        system: hands.leaks.redact(system),
        prompt: hands.leaks.redact(input.prompt),
        budget: desk.budget,
        answers: isReadingKind(input.kind),
        inBrief: input.scope !== null,
        known,
      },
      drivePorts(hands, desk, { model, saving }),
    )
  } finally {
    await desk.mcp?.close()
  }
}

function drivePorts(hands: Hands, desk: Desk, { model, saving }: { model: RunModel; saving: Saving | null }): DrivePorts {
  const { house, input, ports, tell, claim, leaks } = hands
  const { store, runs, clock } = house
  const { redact } = leaks
  const { blobs, attempts, tools } = desk
  const signal = saving ? AbortSignal.any([desk.signal, saving.signal]) : desk.signal
  const { verify } = ports
  const offers = offered(tools)
  const relief = createRelief(hands, desk, { model, tools: offers })
  return {
    transcript: relief.transcript,
    tools: offers,
    judge: createTurnJudge(house.limits),
    recorder: (loop, resume) => {
      const estimate: RecorderOptions['estimate'] = messages => model.count(messages, offers)
      const { replies } = desk
      const known = { turn: resume?.nextTurn ?? 0, calls: resume?.state.reply?.assistantMessage.toolCalls ?? [] }
      const kept = { ...store, blobs, runs, claim, loop, ...known, estimate, redact }
      return replies.follow(createRecorder({ ...kept, announced: replies.announced, retries: replies.retries, onReply: replies.book }))
    },
    client: relief.client,
    executor: (recorder, settled) => {
      const execute = createExecutor({
        tools,
        scene: toolScene(hands, signal),
        decide: desk.leave,
        takeCall: () => takeCallAt(desk.budgets, claim.run, desk.overspent),
        readingOnly: isReadingKind(input.kind),
        attempts,
        claim,
        blobs,
        redact,
        now: () => clock.now(),
        record: recorder,
        ...(saving && savingEffects(saving, recorder)),
        ...(settled && { earlier: settled }),
      })
      return call => execute({ ...call, arguments: recorder.argumentsOf(call) })
    },
    verify: verify && (() => verify(runs.get(claim.run), { tell, signal }).then(found => ({ ...found, findings: redact(found.findings) }))),
    stopReason: () => {
      const leaked = leaks.stopReason()
      if (leaked) return leaked
      const over = desk.whyOverspent()
      if (over !== null) return { outcome: 'budget', reason: over }
      const asked = input.scope === null ? desk.unanswered() : null
      return saving?.stopReason() ?? (asked && { outcome: 'refused', reason: `ask-without-person: ${asked.decision.reason}` })
    },
    keep: text => blobs.keep(text),
    signal,
    lost: hands.lost,
  }
}

/** What the run has cost, and what of it left this machine. */
function spent({ house: { store, clock }, claim }: Hands, loop: DriveOutcome['loop']): Pick<Worked, 'totals' | 'egress'> {
  const events = eventsOf(store.log, claim.run)
  // What the budget was charged with: every loop, every retry, every summary.
  const tokens = createBudgets({ ...store, clock }).state(claim.run).settled.tokens ?? 0
  return { totals: { ...totalsOf(events, loop), tokens }, egress: egressOf(events).totals }
}

function toolScene({ house, tell, leaks }: Hands, signal: AbortSignal): ToolScene {
  return {
    root: house.project.root,
    signal,
    onOutput: text => tell?.('call.output', { text }),
    ...(tell && { onChange: change => tell('call.changed', changedData(change, leaks.redact)) }),
  }
}

function conclude(
  hands: Hands,
  { attempts, refused, unanswered }: Desk,
  { outcome, model }: { outcome: DriveOutcome; model: OpenModel },
): Omit<Worked, 'changed'> {
  const { house, input, claim } = hands
  settleOpen(claim, { log: house.store.log, runs: house.runs, attempts, digestNow })
  const leaked = leakFinding(hands.leaks)
  if (leaked) house.runs.fenced(claim, () => house.store.log.append(`run:${claim.run}`, 'finding.recorded', { finding: leaked }))
  const { finalText } = outcome.loop
  const { totals, egress } = spent(hands, outcome.loop)
  const { turns, tool_calls, tokens, cost_micro_usd } = totals
  const reason = outcome.status === 'aborted' && hands.ended.aborted ? (hands.ended.reason as string) : outcome.reason
  const run = house.runs.finalize(claim, {
    status: outcome.status,
    outcome: outcome.outcome,
    ...(reason !== null && { reason }),
    data: {
      turns,
      tool_calls,
      tokens,
      cost_usd: cost_micro_usd === null ? null : cost_micro_usd / 1e6,
      text: finalText.slice(0, 10_000),
      refused: refused(),
      egress,
    },
  })
  const planFile = input.kind === 'plan' ? writePlan(house.project.folder, run, finalText) : null
  return { run, outcome, totals, model, egress, refused: refused(), unanswered: unanswered(), planFile, place: hands.place?.path ?? null }
}

function instructionsOf({ house, input }: Hands): { found: Instructions[]; kept: KeptInstructions[] } {
  const { root } = house.project
  const found = findInstructions(root, join(root, input.folder), instructionReader(root))
  return { found, kept: keptInstructions(found, text => estimateTokens([{ role: 'user', content: text }])) }
}

function systemOf({ house, input }: Hands, { found, kept }: ReturnType<typeof instructionsOf>): string {
  return systemPrompt({
    kind: input.kind,
    root: house.project.root,
    platform: `${platform()} ${arch()}`,
    scope: input.scope,
    verify: input.verify?.command ?? null,
    instructions: renderInstructions(found, kept),
    persona: DEFAULT_PERSONA,
  })
}

/** What a person is shown of a run when it begins, and when it goes on. */
function holding({ input, model }: Hands, budget: Desk['budget']): JsonObject {
  return {
    kind: input.kind,
    model: model.spec.name,
    scripted: model.model.scripted,
    dialect: model.spec.dialect,
    budget: JSON.parse(JSON.stringify(budget)) as JsonObject,
    scope: input.scope,
  }
}

function startedData(hands: Hands, budget: Desk['budget'], instructions: readonly KeptInstructions[]): JsonObject {
  const { input, ports, place } = hands
  return {
    ...holding(hands, budget),
    strategy: 'transcript',
    brief: null,
    allow_commands: input.allowCommands,
    waits: ports.waits,
    // Found out while the model thinks, and recorded before the first decision.
    isolation: null,
    instructions: instructions.map(({ path, text, shown }) => ({ path, sha256: sha256(text), bytes: Buffer.byteLength(shown.trim()) })),
    place: place?.path ?? null,
  }
}
