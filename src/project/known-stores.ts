import type { EventLog } from '../store/event-log.ts'

// Which project stores were made on this machine, in the person's own log: a store that is gone is then told from one that never
// was, as in a fresh clone.

const PAGE = 500

export function wasNoted(personalLog: EventLog, path: string): boolean {
  for (let after = 0; ; ) {
    const page = personalLog.list({ types: ['store.made'], after }, PAGE)
    if (page.some(({ data }) => data['path'] === path)) return true
    const last = page.at(-1)
    if (!last || page.length < PAGE) return false
    after = last.seq
  }
}

export function noteStore(personalLog: EventLog, path: string): void {
  personalLog.append('person', 'store.made', { path })
}
