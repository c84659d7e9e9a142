// Room in the context of a run: looked after before each send, so that the loop need not know of it. What a summary costs counts
// to the turn that it made room for, and is taken off what that turn may still spend.
import { renderKnown } from '../../context/transcript/known.ts'
import { createTranscript, type Transcript } from '../../context/transcript/strategy.ts'
import type { EngineLoopClient, EngineLoopResponse, EngineLoopTool } from '../../kernel/frames.ts'
import { eventsOf } from '../../runs/history.ts'
import { knownFacts } from '../../runs/known-facts.ts'
import type { Recorder } from '../../runs/recorder.ts'
import { tokensOf } from '../tokens.ts'
import type { RunModel } from './client.ts'
import type { Desk } from './desk.ts'
import { createSummariser } from './summary.ts'
import type { Hands } from './types.ts'

/** So much of what a model can see may be filled by a request; the rest is for its reply. */
const CEILING = 0.9

export interface Relief {
  transcript: Transcript
  /** The model as one loop asks it: room is made first, then everything is recorded. */
  client: (recorder: Recorder) => EngineLoopClient
}

export function createRelief(hands: Hands, desk: Desk, { model, tools }: { model: RunModel; tools: readonly EngineLoopTool[] }): Relief {
  const { house, input, claim } = hands
  const { blobs, attempts, budgets, replies, signal } = desk
  let recorder: Recorder | null = null
  let loopLeft = Number.POSITIVE_INFINITY
  let owed = 0
  const summarise = createSummariser({
    client: model.aside,
    count: request => model.count(request),
    left: () => Math.min(loopLeft - owed, budgets.available(claim.run, 'tokens')),
    recorder: () => recorder as Recorder,
    announced: replies.announced,
    redact: hands.leaks.redact,
    blobs,
    signal,
    onSpent: tokens => {
      owed += tokens
    },
  })
  const transcript = createTranscript({
    ceiling: () => Math.floor(model.current().spec.context * CEILING),
    count: messages => model.count(messages, tools),
    known: () => {
      const facts = knownFacts(eventsOf(house.store.log, claim.run), attempts.list(claim.run), {
        root: house.project.root,
        read: blobs.read,
      })
      return renderKnown({ ...facts, verify: input.verify?.command ?? null, scope: input.scope })
    },
    summarise,
    redact: hands.leaks.redact,
    signal,
  })
  return {
    transcript,
    client: current => {
      recorder = current
      const inner = current.client(model.client)
      return {
        send: async (messages, offered, options) => {
          loopLeft = options.maxTokens ?? Number.POSITIVE_INFINITY
          const full = transcript.nearlyFull()
          if (full && !(await current.compacting(transcript, transcript.relieve))) return OVER
          if (signal.aborted) return STOPPED
          const left = loopLeft - owed
          if (left <= 0) return { stop: 'error', code: 'budget', message: 'Making room for the next turn used up what was left.' }
          const response = await inner.send(full ? [...transcript.messages()] : messages, offered, { ...options, maxTokens: left })
          if (response.stop === 'error' || owed === 0) return response
          const tokensUsed = tokensOf(response, messages) + owed
          owed = 0
          return { ...response, tokensUsed }
        },
      }
    },
  }
}

const STOPPED: EngineLoopResponse = { stop: 'error', code: 'failed', message: 'The run was stopped.' }

const OVER: EngineLoopResponse = {
  stop: 'error',
  code: 'context_overflow',
  message: 'The conversation is longer than the model can see, also after its middle was left out.',
}
