export type { Attribute, AttributeList } from '../text/attributes.ts'
export { readAttributes } from '../text/attributes.ts'
export { argumentsForTool, dialectBeside, inOrder } from '../text/dialects/hand-over.ts'
export type { Limits, TurnCall, TurnFacts, Verdict } from '../text/dialects/judge-turn.ts'
export { defaultLimits, judgeTurn, lowerLimits } from '../text/dialects/judge-turn.ts'
export type { LivePart } from '../text/dialects/live-reply.ts'
export { LiveReply } from '../text/dialects/live-reply.ts'
export { parseReply } from '../text/dialects/parse-reply.ts'
export { ReplyParser } from '../text/dialects/reply-parser.ts'
export type { Signal } from '../text/dialects/signals.ts'
export { isSignal, signalsOf } from '../text/dialects/signals.ts'
export type {
  Call,
  Dialect,
  Effect,
  ParsedReply,
  ParseOptions,
  RejectedCall,
  Rejection,
  Shape,
  Source,
  Warning,
  WarningCode,
} from '../text/dialects/types.ts'
