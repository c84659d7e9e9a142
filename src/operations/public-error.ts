import type { ErrorBody, QedError } from '../kernel/errors.ts'
import { redactJson } from '../policy/secrets/redact.ts'

/** What of an error leaves the process: no stack, no cause, no secret. */
export function publicError(error: QedError): ErrorBody {
  return redactJson(error.toBody())
}
