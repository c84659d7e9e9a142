import { type Call, DIALECTS, type Dialect, type RejectedCall } from './types.ts'

const LAYOUT_BREAK = new Set(['set', 'known'])

/** The arguments as a tool gets them. The line break behind an opening tag is layout, not content; nothing else changes. */
export function argumentsForTool({ name, arguments: given, source }: Call): Record<string, unknown> {
  const { body } = given
  if (source !== 'tag' || !LAYOUT_BREAK.has(name) || typeof body !== 'string') return given
  const front = body.startsWith('\r\n') ? 2 : body.startsWith('\n') ? 1 : 0
  return front === 0 ? given : { ...given, body: body.slice(front) }
}

/** How the text of a reply is read that came with structured calls: those count, and what looks like a call in the text is
 *  prose. */
export function dialectBeside(structuredCalls: number, dialect: Dialect = DIALECTS[0]): Dialect {
  return structuredCalls > 0 ? 'none' : dialect
}

/** All calls of a reply in the order they were written, so that each gets its result in its place. */
export function inOrder(reply: { calls: Call[]; rejected: RejectedCall[] }): (Call | RejectedCall)[] {
  return [...reply.calls, ...reply.rejected].sort((a, b) => a.span[0] - b.span[0])
}
