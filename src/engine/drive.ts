// One run of the engine: claim → started → loops, each recorded before it acts → proof, where one is asked for → stopped. A result
// that is not proven goes back to the model with its findings, within the same budget.
import { DEFAULT_PERSONA } from '../context/system-prompt.ts'
import type { Transcript } from '../context/transcript/strategy.ts'
import type { EngineLoopClient, EngineLoopMessage, EngineLoopTool } from '../kernel/frames.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { Outcome, TerminalStatus } from '../runs/lifecycle.ts'
import type { LoopCounts } from '../runs/loop-state.ts'
import type { RebuiltLoop } from '../runs/rebuild.ts'
import type { Recorder } from '../runs/recorder.ts'
import { runEngineLoop } from './loop.ts'
import type { EngineBudget, EngineLoopOutcome, EngineLoopToolExecutor, TurnJudge } from './types.ts'

/** What became of the work when it was measured. */
export interface Verified {
  proven: boolean
  /** For the model: what was found. */
  findings: string
  proof: JsonObject | null
}

export interface DrivePorts {
  /** Makes the recorder of one loop; of an interrupted one it is known where it stood. */
  recorder: (loop: number, resume: RebuiltLoop | null) => Recorder
  /** The model, each turn of it recorded. */
  client: (recorder: Recorder) => EngineLoopClient
  executor: (recorder: Recorder, earlier: RebuiltLoop['settled'] | undefined) => EngineLoopToolExecutor
  transcript: Transcript
  tools: readonly EngineLoopTool[]
  judge: TurnJudge
  /** Null: nobody asked for a proof. */
  verify: (() => Promise<Verified>) | null
  /** Why the run must end although the loop could go on: a person is needed and nobody is there. */
  stopReason: () => { outcome: Outcome; reason: string } | null
  keep: (text: string) => JsonObject | string
  signal: AbortSignal
  /** Aborted when the run is no longer ours to drive: nothing more is written, so that another process can go on with it. */
  lost: AbortSignal
}

export interface KnownRun {
  /** Its newest loop; null: none had begun. */
  loop: RebuiltLoop | null
  /** How the loops that had ended came out. */
  ended: EngineLoopOutcome[]
  /** How many of them had worked on an earlier prompt. */
  earlier: number
  /** What the next loop begins with; null: nothing was said since. */
  says: string | null
}

export interface DriveRequest {
  system: string
  prompt: string
  budget: EngineBudget
  /** Ask and plan runs answer; the others claim. */
  answers: boolean
  /** L-19: inside a brief a cut answer is no claim. */
  inBrief: boolean
  /** What a run that goes on had come to. */
  known: KnownRun | null
}

export interface DriveOutcome {
  status: TerminalStatus
  outcome: Outcome
  reason: string | null
  loop: EngineLoopOutcome
  proof: JsonObject | null
  rounds: number
}

const NEW: KnownRun = { loop: null, ended: [], earlier: 0, says: null }

/** Loops in which a prompt may come to a result that is proven: after each but the last the findings go back to the model. */
const MOST_ROUNDS = 3

export async function drive(request: DriveRequest, ports: DrivePorts): Promise<DriveOutcome> {
  const { loop: newest, ended, earlier, says } = request.known ?? NEW
  if (newest) ports.transcript.restore(newest.messages)
  let resume = newest?.stopped ? null : newest
  let prompt = says ?? request.prompt
  const outcomes = [...ended]
  // A run that was interrupted behind a loop goes on with what follows it.
  for (let going = resume !== null || says !== null || ended.length === 0; ; going = true) {
    if (going)
      outcomes.push(
        await oneLoop(
          { at: { loop: outcomes.length + 1, round: outcomes.length + 1 - earlier }, prompt, request, resume, spent: sum(outcomes) },
          ports,
        ),
      )
    resume = null
    const last = outcomes.at(-1) as EngineLoopOutcome
    const rounds = outcomes.length - earlier
    const so = { loop: last, rounds }
    const end = endOf(last, ports, request)
    if (end.status !== 'completed' || !ports.verify) return { ...end, ...so, proof: null }
    const verified = await unlessStopped(ports.verify, ports.signal)
    if (!verified) return { status: 'aborted', outcome: 'cancelled', reason: STOPPED, ...so, proof: null }
    const { proven, proof, findings } = verified
    if (proven) return { status: 'completed', outcome: 'proven', reason: null, ...so, proof }
    if (rounds >= MOST_ROUNDS || ports.signal.aborted) return { ...NOT_PROVEN, ...so, proof }
    prompt = findings
  }
}

const NOT_PROVEN = { status: 'failed', outcome: 'not-proven', reason: 'not_proven: the proof did not hold' } as const

function sum(outcomes: readonly EngineLoopOutcome[]): LoopCounts {
  const of = (count: keyof LoopCounts): number => outcomes.reduce((total, outcome) => total + outcome[count], 0)
  return { turnsUsed: of('turnsUsed'), tokensUsed: of('tokensUsed'), toolCallCount: of('toolCallCount') }
}

interface LoopRequest {
  /** Which loop of the run, and which of its prompt. */
  at: { loop: number; round: number }
  prompt: string
  request: DriveRequest
  resume: RebuiltLoop | null
  spent: LoopCounts
}

async function oneLoop({ at, prompt, request, resume, spent }: LoopRequest, ports: DrivePorts): Promise<EngineLoopOutcome> {
  const { transcript, tools, judge, signal, keep } = ports
  const { system } = request
  const { loop } = at
  const first = loop === 1
  const budget: EngineBudget = {
    maxToolCalls: Math.max(0, request.budget.maxToolCalls - spent.toolCallCount),
    maxTokens: Math.max(0, request.budget.maxTokens - spent.tokensUsed),
  }
  const recorder = ports.recorder(loop, resume)
  if (!resume) {
    const names = tools.map(({ name }) => name)
    recorder.write('loop.started', {
      ...at,
      system: keep(system),
      user: keep(prompt),
      tools: names,
      budget: { ...budget },
      continues: !first,
    })
  }
  const outcome = await runEngineLoop({
    client: ports.client(recorder),
    context: recorder.context(first ? transcript : goingOn(transcript)),
    executor: ports.executor(recorder, resume?.settled),
    systemPrompt: system,
    userPrompt: prompt,
    tools,
    budget,
    personaSlug: DEFAULT_PERSONA,
    judge,
    signal,
    continueTruncated: request.inBrief,
    hooks: { onTurnEnd: recorder.turnEnded },
    ...(resume && { resume: resume.state }),
  })
  ports.lost.throwIfAborted()
  await recorder.idle()
  // As one: behind its last turn and before its end a loop would be taken for one that goes on.
  recorder.together(() => {
    recorder.flush()
    // A loop that was stopped from outside can go on, as after a crash: it has no end.
    const isBroken = signal.aborted ? !ports.stopReason() : isUnanswered(outcome)
    if (!isBroken) recorder.write('loop.stopped', { loop, outcome: { ...outcome } })
  })
  return outcome
}

/** The model provider did not answer, which passes or can be mended: the key, the address, the limits of an hour. */
function isUnanswered({ status, reason = '' }: EngineLoopOutcome): boolean {
  return status === 'failed' && UNANSWERED.some(code => reason.startsWith(`${code}: `))
}

const UNANSWERED = ['failed', 'rate_limited', 'auth_missing', 'endpoint_missing']
const CUT_OFF = 'truncated: The reply was cut off twice in a row, so nothing says that the work is done.'
const STOPPED = 'aborted: The run was stopped while its result was proven.'

/** Null: it was stopped, and there is no verdict. */
async function unlessStopped(verify: () => Promise<Verified>, signal: AbortSignal): Promise<Verified | null> {
  try {
    return await verify()
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

/** A further loop of the same conversation: its prompt is the next thing that is said. */
function goingOn(transcript: Transcript): Transcript {
  return { ...transcript, start: (_system, user) => transcript.append([{ role: 'user', content: user } satisfies EngineLoopMessage]) }
}

function endOf(
  outcome: EngineLoopOutcome,
  { stopReason, signal }: DrivePorts,
  { answers, inBrief }: DriveRequest,
): Omit<DriveOutcome, 'loop' | 'proof' | 'rounds'> {
  const stopped = stopReason()
  if (stopped) return { status: 'failed', ...stopped }
  const reason = outcome.reason ?? null
  switch (outcome.status) {
    case 'completed':
      // L-19: a claim that is cut off is not made.
      if (outcome.truncated && inBrief) return { status: 'failed', outcome: 'error', reason: CUT_OFF }
      return { status: 'completed', outcome: answers ? 'answered' : 'unproven', reason: null }
    case 'budget_exhausted':
      return { status: 'failed', outcome: 'budget', reason }
    case 'tool_refused':
      return { status: 'failed', outcome: 'refused', reason }
    case 'failed':
      return signal.aborted || reason?.startsWith('aborted:')
        ? { status: 'aborted', outcome: 'cancelled', reason }
        : { status: 'failed', outcome: 'error', reason }
  }
}
