import * as z from 'zod'
import { redactJson } from '../../src/policy/secrets/redact.ts'
import type { EventLogOptions } from '../../src/store/event-log.ts'
import { handClock } from './clock.ts'

/** Log options with one stream kind, `test`, whose only event takes anything. */
export function logOptions(): EventLogOptions {
  return { clock: handClock(), redact: redactJson, catalogue: { test: { 'test.happened': () => z.looseObject({}) } } }
}
