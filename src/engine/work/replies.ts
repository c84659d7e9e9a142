import type { Announced, Recorder, WriteRequest } from '../../runs/recorder.ts'
import type { ReserveNumbered } from './reserve.ts'

/** What is known of the send that is under way, until its reply is written down. */
export interface Replies {
  /** Whose turns the sends belong to. */
  follow: (recorder: Recorder) => Recorder
  /** Written when the send reserves, or behind it where it never came to that. */
  announced: Announced
  /** The send is about to be made anew, elsewhere. */
  announceNext: (write: WriteRequest) => void
  /** Reserves for the send, in the transaction that writes it. */
  reserving: (reserve: () => ReturnType<ReserveNumbered>) => ReturnType<ReserveNumbered>
  /** Kept until the reply's event is written, so that both stand or fall together. */
  cost: (book: () => void) => void
  /** L-49: each retry is recorded. */
  retried: (about: { retry: number; kind: string; status: number | undefined; waitMs: number }) => void
  retries: () => number
  /** In the transaction of the reply's event. */
  book: () => void
}

export function createReplies(): Replies {
  let booking: (() => void) | null = null
  let retries = 0
  let recorder: Recorder | null = null
  let unwritten: WriteRequest | null = null
  const announce: WriteRequest = reservation => {
    const write = unwritten
    unwritten = null
    write?.(reservation)
  }
  const announceNext: Replies['announceNext'] = write => {
    unwritten = write
  }
  return {
    announceNext,
    announced: async (write, send) => {
      announceNext(write)
      const sent = await send()
      announce(null)
      return sent
    },
    reserving: reserve => {
      if (!recorder || !unwritten) return reserve()
      return recorder.together(() => {
        const held = reserve()
        announce('refused' in held ? null : held.reserved)
        return held
      })
    },
    follow: current => {
      recorder = current
      return current
    },
    cost: book => {
      booking = book
    },
    retried: ({ retry, kind, status = null, waitMs }) => {
      retries = retry
      recorder?.write('turn.retried', { ...recorder.at(), retry, kind, status, wait_ms: waitMs })
    },
    retries: () => {
      const made = retries
      retries = 0
      return made
    },
    book: () => {
      booking?.()
      booking = null
    },
  }
}
