import type { EngineLoopClient } from '../../kernel/frames.ts'
import { eventsOf } from '../../runs/history.ts'
import type { Recorder } from '../../runs/recorder.ts'
import { sinceLastSaved } from '../../runs/saved.ts'
import type { ExecutorOptions } from '../../tools/executor.ts'
import { ToolError } from '../../tools/tool.ts'
import { isReadingKind } from '../budgets.ts'
import type { BookOptions } from './book.ts'
import type { RunModel } from './client.ts'
import type { Desk } from './desk.ts'
import { createSaving, type Saving } from './saving.ts'
import type { Hands } from './types.ts'

/** The snapshots of a run; null for one that only reads. */
export function savingFor({ house, input, claim, place }: Hands, { isolation }: Desk, resumed: boolean): Saving | null {
  if (isReadingKind(input.kind)) return null
  const { db, log } = house.store
  let fault: { error: unknown } | null = null
  // Soon: the effect that something is saved for is written behind it. What keeps it from being written is thrown by the next one.
  const write: BookOptions['write'] = (type, data) => {
    if (fault) throw fault.error
    const append = (): void => house.runs.fenced(claim, () => void log.append(`run:${claim.run}`, type, data))
    db.soon(append, error => (fault ??= { error }))
  }
  return createSaving({
    keeper: house.keeper,
    run: claim.run,
    root: house.project.root,
    trustIndex: place === null,
    layer: place?.layer ?? [],
    scope: input.scope,
    isolation,
    write,
    resumed: resumed ? sinceLastSaved(eventsOf(log, claim.run)) : null,
  })
}

/** Long enough for a request to have gone out where nobody tells that it has. */
const SENT_MS = 50

/** What is done when a request has gone out, whoever tells first that it has. */
export function onceSent<T>(ready: () => Promise<T>, saving: Saving | null): () => Promise<T> {
  return () => {
    saving?.whileWaiting()
    return ready()
  }
}

/** A model in whose waiting time snapshots are made. */
export function withSaving(model: RunModel, saving: Saving | null): RunModel {
  if (!saving) return model
  const send: EngineLoopClient['send'] = async (...request) => {
    const sent = setTimeout(saving.whileWaiting, SENT_MS)
    try {
      return await model.client.send(...request)
    } finally {
      clearTimeout(sent)
    }
  }
  return { ...model, client: { send } }
}

/** Nothing is changed before it is saved. */
export function savingEffects(saving: Saving, { at }: Recorder): Pick<ExecutorOptions, 'beforeEffect' | 'afterCommand'> {
  return {
    beforeEffect: async paths => {
      try {
        await saving.beforeEffect(paths, at())
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new ToolError(`Nothing was done: what is there could not be saved first. ${why}`)
      }
    },
    afterCommand: saving.afterCommand,
  }
}
