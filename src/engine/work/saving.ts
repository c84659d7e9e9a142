// What a run does to the files it works on can be undone: a snapshot before its first effect, one after every turn that changed
// files, one at its end. None of it is in the way of a model's answer: a snapshot is written while the next one is awaited, and no
// effect begins before what was there is saved. What others change meanwhile gets a snapshot of its own, so that each one is either
// the run's doing or not.
import { isAbsolute, relative } from 'node:path'
import type { Outcome } from '../../runs/lifecycle.ts'
import type { Sweep } from '../../sandbox/snapshot/sweep.ts'
import { type At, type BookOptions, createBook } from './book.ts'

export interface Saving {
  /** While a model is awaited: begins to look at the files, or saves what the last turn changed. */
  whileWaiting: () => void
  /** Settles when everything is saved that an effect could change. Null: it may change anything. Rejects where it cannot be saved;
   *  then the effect must not happen. */
  beforeEffect: (paths: readonly string[] | null, at: At) => Promise<void>
  /** After a command: what left the scope is put back. Gives words for the model. */
  afterCommand: () => Promise<string | null>
  /** The last snapshot, whatever way the run ended, and what is otherwise because of the run; null where that is not known. Never
   *  rejects. */
  end: () => Promise<string[] | null>
  /** Stops the run that leaves its scope again and again. */
  signal: AbortSignal
  stopReason: () => { outcome: Outcome; reason: string } | null
}

/** An answer that comes at once is not kept waiting: there is time while what it asks for is done. */
const NOT_IN_THE_WAY_MS = 3

export function createSaving(options: BookOptions): Saving {
  const { root, write } = options
  const book = createBook(options)
  const stop = new AbortController()
  let sweeps = options.resumed?.sweeps ?? 0
  let before: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let waits: () => Promise<void> = () => Promise.resolve()
  /** One after the other: all of them look at the same files. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = before.then(work)
    before = done.catch(() => undefined)
    return done
  }
  // What could not be saved is told in the record, and tried again before the next effect.
  const tell = (error: unknown): void => {
    if (error instanceof Error && error.name === 'AbortError') return
    try {
      write('error.recorded', { where: 'snapshot', message: error instanceof Error ? error.message : String(error) })
    } catch {
      // The run was taken over: whoever has it now keeps its record.
    }
  }
  return {
    signal: stop.signal,
    stopReason: () =>
      stop.signal.aborted ? { outcome: 'refused', reason: `scope.repeated: ${sweeps} commands changed files outside the scope.` } : null,
    whileWaiting: () => {
      waits = book.afterTurn()
      timer ??= setTimeout(() => {
        timer = undefined
        void inOrder(waits).catch(tell)
      }, NOT_IN_THE_WAY_MS)
    },
    beforeEffect: (paths, at) => inOrder(() => book.expect(paths?.flatMap(path => wayFrom(root, path)) ?? null, at)),
    afterCommand: () =>
      inOrder(async () => {
        const put = await book.putBack()
        if (put === null) return null
        const { judgeSweeps } = await import('../../sandbox/snapshot/sweep.ts')
        sweeps++
        if (judgeSweeps(sweeps).kind === 'end') {
          write('finding.recorded', { finding: { id: 'scope.repeated', severity: 'error', times: sweeps } })
          stop.abort()
        }
        return toldOf(put)
      }),
    end: () => {
      clearTimeout(timer)
      book.giveUp()
      return inOrder(book.end).catch((error: unknown) => {
        tell(error)
        return null
      })
    },
  }
}

function wayFrom(root: string, path: string): string[] {
  const way = relative(root, path)
  return way === '' || way.startsWith('..') || isAbsolute(way) ? [] : [way]
}

function toldOf({ reverted }: Sweep): string {
  const named = reverted.slice(0, MOST_NAMED).map(({ kind, path }) => `${kind} ${path}`)
  const more = reverted.length > MOST_NAMED ? ` and ${reverted.length - MOST_NAMED} more` : ''
  return `Put back, because it is outside the scope of this run: ${named.join(', ')}${more}. Change only what the scope names.`
}

const MOST_NAMED = 20
