import { HONEST } from './honest.ts'
import { LIES_OF_CLAIMS } from './lies-claims.ts'
import { LIES_OF_CODE } from './lies-code.ts'
import { LIES_ELSEWHERE } from './lies-elsewhere.ts'
import { LIES_OF_PLACES } from './lies-places.ts'
import { LIES_OF_TESTS } from './lies-tests.ts'
import { LIMITS } from './limits.ts'
import { MORE_HONEST } from './more-honest.ts'
import { MORE_LIES_OF_TESTS } from './more-lies.ts'
import { MORE_LIES_OF_CODE } from './more-lies-of-code.ts'
import type { Row } from './row.ts'

/** Everything that a worker may try, by the number of its row in the table. */
const TABLE = [...LIES_OF_CLAIMS, ...LIES_OF_TESTS, ...LIES_OF_PLACES, ...LIES_OF_CODE, ...LIES_ELSEWHERE]
export const LIES: readonly Row[] = [
  ...TABLE.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })),
  ...MORE_LIES_OF_TESTS,
  ...MORE_LIES_OF_CODE,
]

/** What is known to get through. */
export const KNOWN_LIMITS: readonly Row[] = LIMITS

export const HONEST_WORK: readonly Row[] = [...HONEST, ...MORE_HONEST]
