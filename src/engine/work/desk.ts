import { join } from 'node:path'
import type { RunId } from '../../kernel/ids.ts'
import type { IsolationInForce } from '../../kernel/isolation.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { once } from '../../kernel/once.ts'
import type { Approval, KeptRule } from '../../runs/approval.ts'
import { createApprovals, isSameCall } from '../../runs/approvals.ts'
import { type Attempts, createAttempts } from '../../runs/attempts.ts'
import type { Budgets } from '../../runs/budget/budgets.ts'
import type { Isolation } from '../../sandbox/isolation/isolation.ts'
import { newMark } from '../../sandbox/process/mark.ts'
import { type ProcessSpec, TOOL_KEEP } from '../../sandbox/process/types.ts'
import { type Blobs, createBlobs } from '../../store/blobs.ts'
import { expectCommands } from '../../tools/bash.ts'
import type { AskingCall, Leave } from '../../tools/executor.ts'
import { builtInTools } from '../../tools/index.ts'
import { createLongResults } from '../../tools/mcp/long-results.ts'
import type { McpServers } from '../../tools/mcp/servers.ts'
import type { McpSurroundings } from '../../tools/mcp/types.ts'
import { createRipgrep } from '../../tools/ripgrep.ts'
import type { AnyTool, Question } from '../../tools/tool.ts'
import { isReadingKind } from '../budgets.ts'
import type { EngineBudget } from '../types.ts'
import type { createLeave, Unanswered } from './leave.ts'
import { asQuestion } from './question.ts'
import { createReplies, type Replies } from './replies.ts'
import { budgetOf, openRunNode, timeOf } from './spending.ts'
import type { RunTime } from './time.ts'
import type { Hands, RunBudget } from './types.ts'
import { wallsText } from './words.ts'

/** Everything that a run has at hand while it works. */
export interface Desk {
  blobs: Blobs
  attempts: Attempts
  budget: EngineBudget & RunBudget
  budgets: Budgets
  replies: Replies
  time: RunTime
  tools: AnyTool[]
  mcp: McpServers | null
  /** Makes what the first decision needs. It waits for nothing that a model does, so it is made while one thinks. */
  ready: () => Promise<unknown>
  /** The walls around the commands of the run. */
  isolation: () => Promise<IsolationInForce | null>
  /** Stopped by whoever ordered the run, or because a person is needed and nobody is there. */
  signal: AbortSignal
  leave: (question: Question, call: AskingCall) => Promise<Leave>
  /** The first ask that nobody was there to answer. */
  unanswered: () => Unanswered | null
  /** Stops the run because of its budget. */
  overspent: (reason: string) => void
  /** Why it was stopped so. */
  whyOverspent: () => string | null
  refused: () => number
}

export function setUp(hands: Hands): Desk {
  const { house, input, ports, claim } = hands
  const { store, clock, runs, processes, outputs } = house
  const { root, folder } = house.project
  const budget = budgetOf(input, house.budget)
  const budgets = openRunNode({ house, claim }, budget)
  const reading = isReadingKind(input.kind)
  const walls = wallsAround(hands)
  const scope = input.scope && { files_owned: input.scope, allow_commands: input.allowCommands }
  const blobs = createBlobs(join(folder, 'blobs'))
  const stop = new AbortController()
  const signal = AbortSignal.any([ports.signal, hands.lost, hands.leaks.signal, stop.signal])
  const stops = stopping(stop)
  const time = timeOf(budgets, hands, stops.overspent)
  const approvals = createApprovals({ ...store, clock, runs, ttl: house.askTtl })
  const stillAsked = approvals.list({ run: claim.run, status: 'pending' })
  let unanswered: Unanswered | null = null
  let refused = 0
  const isolation = once(() => wallsOf(house.isolation, { ...walls, cwd: root, run: claim.run }))
  const judge = once(async () => {
    const [{ createLeave, createMayRead }, { createAsking }, scene] = await Promise.all([
      import('./leave.ts'),
      import('./asking.ts'),
      house.scene({ root, mode: reading ? 'plan' : 'act', scope }),
    ])
    const decide = createLeave({
      scene,
      isolation: await isolation(),
      ask: createAsking({ hands, approvals, scene, walls: wallsText(await isolation()), signal, time }),
      remembered: () => rulesOf(approvals.list({ run: claim.run, status: 'approved' }).filter(house.isPersons)),
      onUnanswered: asked => {
        unanswered ??= asked
        if (input.scope === null) stop.abort()
      },
    })
    return { decide, mayRead: () => createMayRead(scene) }
  })
  /** What is in force is recorded before anything is decided under it. */
  const decided = once(async () => {
    const { decide } = await judge()
    runs.recordIsolation(claim, (await isolation()) as unknown as JsonObject | null)
    return decide
  })
  const shell = { processes, outputs, run: claim.run, walls, timeoutMs: house.commandMs }
  const mcp = house.mcp?.({ run: claim.run, root, signal, walls: serverWalls(walls, reading), refusedSecret: secretAsked(hands, decided) })
  return {
    blobs,
    attempts: createAttempts({ ...store, clock, runs }),
    budget,
    budgets,
    ready: once(async () => {
      await judge()
      if (!reading) expectCommands(shell, root)
    }),
    isolation,
    signal,
    mcp: mcp ?? null,
    replies: createReplies(),
    time,
    ...stops,
    tools: builtInTools(
      {
        search: createRipgrep(processes, claim.run),
        mayRead: async () => (await judge()).mayRead(),
        shell,
        ...(ports.askPerson && { askPerson: asQuestion(hands, time, ports.askPerson) }),
        ...(mcp && { mcp: { servers: mcp, results: createLongResults(blobs) } }),
      },
      { readingOnly: reading },
    ),
    leave: async (question, call) => {
      const leave = await (await decided())(question, call)
      // Asked before a restart, and no longer a question: nobody needs to answer it.
      const moot = leave.approval === null && stillAsked.find(asked => isSameCall(asked, { ...call.at(), call: call.id }))
      if (moot) approvals.cancel(moot.id, 'no-longer-asked')
      if (leave.verdict === 'deny') refused++
      return leave
    },
    unanswered: () => unanswered,
    refused: () => refused,
  }
}

type Walls = Required<Pick<ProcessSpec, 'profile' | 'network' | 'writable' | 'layers'>>

/** What a command of the run may write and see. */
function wallsAround({ house, input, place }: Hands): Walls {
  const { outputs = [], layers = [] } = place ?? {}
  return { profile: 'worker', network: 'off', writable: { place: house.project.root, owned: input.scope ?? ['**'], outputs }, layers }
}

/** A server has those of the commands; where nothing may be changed it writes nowhere. */
function serverWalls({ profile, writable, layers }: Walls, reading: boolean): McpSurroundings['walls'] {
  return { profile, layers, writable: reading ? { ...writable, owned: [], outputs: [] } : writable }
}

function rulesOf(answers: readonly Approval[]): KeptRule[] {
  return answers.flatMap(({ rules }) => rules)
}

/** Whether what the run starts may have a secret; why not, else null. */
function secretAsked({ house, claim }: Hands, decided: () => Promise<ReturnType<typeof createLeave>>): McpSurroundings['refusedSecret'] {
  return async (secret, by) => {
    const { verdict, rule, reason } = await (await decided())({ verb: 'secret.use', secret }, null)
    const data = { secret, by: `mcp.${by}`, verdict, rule, reason }
    house.runs.fenced(claim, () => house.store.log.append(`run:${claim.run}`, 'secret.decided', data))
    return verdict === 'allow' ? null : reason
  }
}

/** Stops a run because of its budget, and keeps the first reason. */
function stopping(stop: AbortController): Pick<Desk, 'overspent' | 'whyOverspent'> {
  let why: string | null = null
  return {
    overspent: reason => {
      why ??= reason
      stop.abort()
    },
    whyOverspent: () => why,
  }
}

/** What would hold around a command of this run; starts nothing. */
async function wallsOf(
  isolation: Isolation,
  { cwd, run, ...walls }: Pick<ProcessSpec, 'profile' | 'network' | 'writable' | 'layers' | 'cwd'> & { run: RunId },
): Promise<IsolationInForce | null> {
  const spec: ProcessSpec = { ...walls, argv: ['true'], cwd, env: {}, timeout_ms: 1_000, keep: TOOL_KEEP, run_id: run }
  const launch = await isolation.isolate(spec, newMark(run, new Map()))
  return launch.isolation
}
