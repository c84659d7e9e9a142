import type { ProofSettings } from '../terms.ts'
import { matchesAny } from './matching.ts'

/** Whether a path belongs to the tests (F-14). A pattern without `/` means a name wherever it stands. */
export function testSide(settings: Pick<ProofSettings, 'tests'>): (path: string) => boolean {
  return matchesAny(settings.tests, { nameAnywhere: true })
}
