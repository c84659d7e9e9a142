import { parseReply } from '../../../src/text/dialects/parse-reply.ts'
import type { ParsedReply, ParseOptions } from '../../../src/text/dialects/types.ts'

/** What a test usually asks of a reply, without ids, spans and messages. */
export function outcome(text: string, options: ParseOptions = {}) {
  const parsed = parseReply(text, options)
  return {
    calls: parsed.calls.map(call => [call.name, call.arguments]),
    rejected: parsed.rejected.map(call => [call.name, call.status]),
    text: parsed.text,
    warnings: codes(parsed),
  }
}

export function codes(parsed: ParsedReply): string[] {
  return parsed.warnings.map(warning => warning.code)
}
