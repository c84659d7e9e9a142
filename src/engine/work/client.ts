import type { EngineLoopClient, EngineLoopMessage, EngineLoopTool } from '../../kernel/frames.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { createModelClient, type Reserve } from '../../models/client.ts'
import { withFallbacks } from '../../models/fallback.ts'
import type { OpenModel } from '../../models/models.ts'
import { readNative, readTags } from '../../models/read-reply.ts'
import { providerName } from '../../models/resolve/providers.ts'
import { createTokenMeter, type TokenMeter } from '../../models/token-meter.ts'
import type { Desk } from './desk.ts'
import type { Replies } from './replies.ts'
import { type ReserveNumbered, reserveAt } from './reserve.ts'
import type { Hands } from './types.ts'

/** The model that a run speaks with: the chosen one, and after a failure those that the person named for it. */
export interface RunModel {
  client: EngineLoopClient
  /** The same model, asked beside the conversation: nothing of the reply is shown as the run's own words. */
  aside: EngineLoopClient
  current: () => OpenModel
  /** Tokens of a request to the current model. */
  count: (messages: readonly EngineLoopMessage[], tools?: readonly EngineLoopTool[]) => number
}

/** Each call is reserved before it is sent. A change of the model is written down and told before the other one is asked. */
export function modelFor(hands: Hands, { budgets, ready, replies, time }: Pick<Desk, 'budgets' | 'ready' | 'replies' | 'time'>): RunModel {
  const { house, claim } = hands
  let quiet = false
  let current = { ...hands.model, meter: createTokenMeter() }
  const opened = new Map<string, typeof current>()
  const isQuiet = (): boolean => quiet
  const clientOf = (model: typeof current): EngineLoopClient =>
    clientFor(model, { hands, ready, replies, reserve: booked(reserveAt(budgets, claim.run, model.spec, time), replies, isQuiet), isQuiet })
  const fallbacks = house.fallback.map(name => ({
    name,
    open: async () => {
      const model = { ...(await house.models.open(name)), meter: createTokenMeter() }
      opened.set(name, model)
      return clientOf(model)
    },
  }))
  const client = withFallbacks({ name: current.spec.name, client: clientOf(current) }, fallbacks, change => {
    current = opened.get(change.to) ?? current
    const { scripted } = current.model
    const data = { ...change, ...providerOf(current), scripted }
    replies.announceNext(reservation =>
      house.runs.fenced(claim, () => void house.store.log.append(`run:${claim.run}`, 'model.changed', { ...data, reservation })),
    )
  })
  return {
    client,
    aside: {
      send: async (messages, tools, options) => {
        quiet = true
        try {
          return await client.send(messages, tools, options)
        } finally {
          quiet = false
        }
      },
    },
    current: () => current,
    count: (messages, tools) => current.meter.count(messages, tools),
  }
}

/** Where what is sent to a model goes. */
export function providerOf({ spec: { at, model } }: OpenModel): { provider: string; provider_model: string; provider_host: string } {
  const host = at.protocol === 'script' ? at.protocol : new URL(at.baseUrl).host
  return { provider: providerName(at), provider_model: model, provider_host: host }
}

/** What a reply of the conversation cost is booked when it is written down; one beside it has no event that waits for it. */
function booked(hold: ReserveNumbered, replies: Replies, isQuiet: () => boolean): Reserve {
  return want => {
    const held = replies.reserving(() => hold(want))
    if ('refused' in held || isQuiet()) return held
    return { ...held, settle: actual => replies.cost(() => held.settle(actual)) }
  }
}

function clientFor(
  { model, spec, meter }: OpenModel & { meter: TokenMeter },
  {
    hands: { house, tell },
    ready,
    replies,
    reserve,
    isQuiet,
  }: Pick<Desk, 'ready' | 'replies'> & { hands: Hands; reserve: Reserve; isQuiet: () => boolean },
): EngineLoopClient {
  return createModelClient({
    model,
    gates: house.models.gates,
    clock: house.clock,
    random: Math.random,
    replyLimit: spec.reply,
    prices: spec.prices,
    reserve,
    meter,
    read: spec.dialect === 'tags' ? readTags : readNative,
    // What goes wrong is told by the first decision, which needs it.
    onSent: () => void ready().catch(() => undefined),
    ...(tell && {
      onPart: part => {
        if (!isQuiet()) tell('model.delta', { ...part } as JsonObject)
      },
    }),
    onRetry: about => {
      replies.retried(about)
      tell?.('model.retry', { ...about, status: about.status ?? null })
    },
  })
}
