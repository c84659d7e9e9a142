import type { ProjectId } from '../kernel/ids.ts'
import type { EventLog } from '../store/event-log.ts'

// A person's answer, for one project on this machine, that its commands may run without walls. Choosing isolation.require takes its
// place; nothing of it is in the project, which others write too.

const PAGE = 500

export function hasAccepted(personalLog: EventLog, project: ProjectId): boolean {
  for (let after = 0; ; ) {
    const page = personalLog.list({ types: ['isolation.accepted'], after }, PAGE)
    if (page.some(({ data }) => data['project'] === project)) return true
    const last = page.at(-1)
    if (!last || page.length < PAGE) return false
    after = last.seq
  }
}

export function accept(personalLog: EventLog, project: ProjectId, missing: readonly string[]): void {
  personalLog.append('person', 'isolation.accepted', { project, missing: [...missing] })
}
