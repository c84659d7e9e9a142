import type { EngineLoopClient } from '../../kernel/frames.ts'
import { createModelClient, type Reserve } from '../../models/client.ts'
import { readNative, readTags } from '../../models/read-reply.ts'
import type { Desk } from './desk.ts'
import type { Hands } from './types.ts'

/** The model of a run, each call of it reserved before it is sent. */
export function clientFor({ house, ports, claim, model }: Hands, { budgets, ready }: Desk): EngineLoopClient {
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
    gates: house.models.gates,
    clock: house.clock,
    random: Math.random,
    replyLimit: model.spec.reply,
    prices: model.spec.prices,
    reserve,
    read: model.spec.dialect === 'tags' ? readTags : readNative,
    // What goes wrong is told by the first decision, which needs it.
    onSent: () => void ready().catch(() => undefined),
    onPart: part => ports.tell({ type: 'model.delta', data: part }),
  })
}
