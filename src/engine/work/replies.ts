import type { Recorder } from '../../runs/recorder.ts'

/** What is known of the send that is under way, until its reply is written down. */
export interface Replies {
  /** Whose turns the sends belong to. */
  follow: (recorder: Recorder) => Recorder
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
  return {
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
