import { type Clock, timestamp } from '../kernel/clock.ts'
import type { ProjectId } from '../kernel/ids.ts'
import type { Store } from '../store/store.ts'

/** One text of a policy file that a person looked at and agreed to, in one project. */
export interface Trusted {
  project: ProjectId
  file: string
  digest: string
}

export function isTrusted(personal: Store, project: ProjectId, digest: string): boolean {
  return personal.db.get('SELECT 1 FROM trust WHERE project = ? AND digest = ?', project, digest) !== undefined
}

/** Records trust in exactly this text. An edited file has another digest and is not trusted. */
export function trust(personal: Store, { project, file, digest }: Trusted, clock: Clock): void {
  personal.db.transaction(() => {
    const { changes } = personal.db.run(
      'INSERT INTO trust (project, digest, file, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      project,
      digest,
      file,
      timestamp(clock),
    )
    if (changes > 0) personal.log.append('person', 'project.trusted', { project, file, digest })
  })
}
