import { REDACTED } from '../../policy/secrets/redact.ts'
import { type RebuiltLoop, rebuildLoop } from '../../runs/rebuild.ts'
import { recover } from '../../runs/recovery.ts'
import { digestOf, readBytes } from '../../tools/files.ts'
import type { Desk } from './desk.ts'
import type { Hands } from './types.ts'

// What is carried out must be what the model wrote.
const NOT_KEPT = { ok: false, result: 'Error: Interrupted: the call held a secret, which is not kept. Make it again.' }

/** the interrupted loop as the log tells it. What the process that died had left open is settled first; what its calls came
 *  to is what the model hears. Null: no loop had begun. */
export function recovered({ house, claim }: Hands, { blobs, attempts, budgets }: Desk): RebuiltLoop | null {
  const earlier = rebuildLoop(house.store.log.list({ streams: [`run:${claim.run}`] }, 1_000_000), blobs)
  budgets.settleOpen(claim.run)
  const settled = settleOpen({ house, claim }, attempts)
  for (const { id, arguments: given } of earlier?.state.reply?.assistantMessage.toolCalls ?? [])
    if (given.includes(REDACTED) && !earlier?.settled.has(id) && !settled.has(id)) settled.set(id, NOT_KEPT)
  return earlier && { ...earlier, settled: new Map([...earlier.settled, ...settled]) }
}

/** L-46: settles what was left open, by a crash or by a stop. What a call came to is written down, so that nothing runs twice; one
 *  that had not begun may run. */
export function settleOpen({ house, claim }: Pick<Hands, 'house' | 'claim'>, attempts: Desk['attempts']): Map<string, Told> {
  const settled = new Map<string, Told>()
  const open = attempts.open(claim.run)
  if (open.length === 0) return settled
  const stream = `run:${claim.run}`
  const reserved = house.store.log.list({ streams: [stream], types: ['call.reserved'] }, 1_000_000)
  for (const attempt of open) {
    const { status, outcome, told } = recover(attempt, path => digestOf(readBytes(path, path)))
    const at = reserved.findLast(({ data }) => data['attempt'] === attempt.id)?.data
    house.store.db.transaction(() => {
      attempts.settle(claim, attempt.id, { status, outcome })
      if (!told || !at) return
      const { loop, turn, call } = at as { loop: number; turn: number; call: string }
      settled.set(call, told)
      const data = { loop, turn, call, attempt: attempt.id, ...told, duration_ms: 0, exit: null }
      house.runs.fenced(claim, () => house.store.log.append(stream, 'call.settled', data))
    })
  }
  return settled
}

type Told = { ok: boolean; result: string }
