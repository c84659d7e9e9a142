import { HONEST } from './honest.ts'
import { LIES_OF_CLAIMS } from './lies-claims.ts'
import { LIES_OF_CODE } from './lies-code.ts'
import { LIES_ELSEWHERE } from './lies-elsewhere.ts'
import { LIES_OF_PLACES } from './lies-places.ts'
import { LIES_OF_TESTS } from './lies-tests.ts'
import type { Row } from './row.ts'

/** Everything that a worker may try, by the number of its row in the table. */
export const LIES: readonly Row[] = [...LIES_OF_CLAIMS, ...LIES_OF_TESTS, ...LIES_OF_PLACES, ...LIES_OF_CODE, ...LIES_ELSEWHERE].sort(
  (a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }),
)

export const HONEST_WORK: readonly Row[] = [...HONEST]
