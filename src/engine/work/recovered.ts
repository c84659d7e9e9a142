import type { Event } from '../../kernel/event.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { REDACTED } from '../../policy/secrets/redact.ts'
import { createApprovals } from '../../runs/approvals.ts'
import { closingEvents } from '../../runs/close-loop.ts'
import { endedLoops, eventsOf, hasStarted, lastDriver, loopsBeforePrompt, openCalls, putBack, unheard } from '../../runs/history.ts'
import { type RebuiltLoop, rebuildLoop } from '../../runs/rebuild.ts'
import type { Recovered } from '../../runs/recovery.ts'
import { settleOpen } from '../../runs/settle-open.ts'
import { removeUnfinished } from '../../store/files.ts'
import { digestNow } from '../../tools/files.ts'
import type { KnownRun } from '../drive.ts'
import type { EngineLoopOutcome } from '../types.ts'
import type { Desk } from './desk.ts'
import type { Hands } from './types.ts'

/** A run as the log tells it, when all that its last process left open is settled. */
export interface Known extends KnownRun {
  started: boolean
}

/** settles what the process that died had left open, then reads the run from its log. All of it is one transaction: whoever
 *  dies in it leaves it as it was found. `about` stands in the event of the resuming. */
export function recovered(hands: Hands, { blobs, attempts, budgets }: Desk, about: JsonObject): Known {
  const { house, input, claim } = hands
  const { log } = house.store
  const read = (): Event[] => eventsOf(log, claim.run)
  return house.runs.fenced(claim, () => {
    const before = read()
    const driver = lastDriver(before, claim.fence)
    budgets.settleOpen(claim.run)
    for (const { paths } of driver === null ? [] : attempts.open(claim.run))
      for (const { path } of paths) removeUnfinished(path, driver ?? 0)
    const settled = settleOpen(claim, { log, runs: house.runs, attempts, digestNow })
    const left = read()
    const said = unheard(left).map(blobs.read)
    const isTold = said.length > 0
    if (isTold) leave(hands, rebuildLoop(left, blobs))
    const after = isTold ? read() : left
    const loop = rebuildLoop(after, blobs)
    const ended = endedLoops<EngineLoopOutcome>(after)
    const known = {
      loop: withoutLostCalls(loop),
      ended,
      earlier: isTold ? ended.length : loopsBeforePrompt(after),
      says: isTold ? [...(loop ? [] : [input.prompt]), ...undoneText(putBack(left)), ...said].join('\n\n') : null,
      started: hasStarted(after),
    }
    if (!known.started) return known
    // In the same transaction as its event, so that nothing is given back a second time.
    budgets.spend(claim.run, { toolCalls: -openCalls(left).length })
    log.append(`run:${claim.run}`, 'run.resumed', {
      loop: known.loop?.loop ?? 0,
      turn: known.loop?.nextTurn ?? 0,
      recovered: settled.map(toFound),
      says: isTold,
      spent: { ...budgets.state(claim.run).settled },
      actor: 'recovery',
      ...about,
    })
    return known
  })
}

/** Something else is said now: the loop that was broken off has ended, and what it asked a person for is no longer a question. */
function leave({ house, claim }: Hands, loop: RebuiltLoop | null): void {
  for (const [type, data] of loop ? closingEvents(loop) : []) house.store.log.append(`run:${claim.run}`, type, data)
  const approvals = createApprovals({ ...house.store, ...house, ttl: house.askTtl })
  for (const { id } of approvals.list({ run: claim.run, status: 'pending' })) approvals.cancel(id, 'further-prompt')
}

// What is carried out must be what the model wrote.
const NOT_KEPT = { ok: false, result: 'Error: Interrupted: the call held a secret, which is not kept. Make it again.' }

/** Calls that cannot be carried out because the log does not hold them whole are told to the model as such. */
function withoutLostCalls(loop: RebuiltLoop | null): RebuiltLoop | null {
  const calls = loop?.state.reply?.assistantMessage.toolCalls ?? []
  const lost = calls.filter(({ id, arguments: given }) => given.includes(REDACTED) && !loop?.settled.has(id))
  return loop && { ...loop, settled: new Map([...loop.settled, ...lost.map(({ id }) => [id, NOT_KEPT] as const)]) }
}

/** A model that is told nothing would go on from files that are no longer there. */
function undoneText(files: number): string[] {
  return files === 0
    ? []
    : [`A person has undone work of yours since: ${files} files were put back. Read a file again before you rely on it.`]
}

function toFound({ attempt, status, outcome }: Recovered): JsonObject {
  return { call: attempt.call, attempt: attempt.id, effect: attempt.effect, status, outcome }
}
