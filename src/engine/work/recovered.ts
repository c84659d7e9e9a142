import { REDACTED } from '../../policy/secrets/redact.ts'
import { type RebuiltLoop, rebuildLoop } from '../../runs/rebuild.ts'
import { settleOpen } from '../../runs/settle-open.ts'
import { digestNow } from '../../tools/files.ts'
import type { Desk } from './desk.ts'
import type { Hands } from './types.ts'

// What is carried out must be what the model wrote.
const NOT_KEPT = { ok: false, result: 'Error: Interrupted: the call held a secret, which is not kept. Make it again.' }

/** the interrupted loop as the log tells it. What the process that died had left open is settled first; what its calls came
 *  to is what the model hears. Null: no loop had begun. */
export function recovered({ house, claim }: Hands, { blobs, attempts, budgets }: Desk): RebuiltLoop | null {
  const earlier = rebuildLoop(house.store.log.list({ streams: [`run:${claim.run}`] }, 1_000_000), blobs)
  budgets.settleOpen(claim.run)
  const settled = settleOpen(claim, { log: house.store.log, runs: house.runs, attempts, digestNow })
  for (const { id, arguments: given } of earlier?.state.reply?.assistantMessage.toolCalls ?? [])
    if (given.includes(REDACTED) && !earlier?.settled.has(id) && !settled.has(id)) settled.set(id, NOT_KEPT)
  return earlier && { ...earlier, settled: new Map([...earlier.settled, ...settled]) }
}
