import type { Refused } from '../refused.ts'

/** How a server wants to be spoken to. The first is what most take; another is learnt from a refusal that names what is wrong. */
export interface Manner {
  /** Whether it can be asked to count tokens. */
  asksForUsage: boolean
  limit: 'max_tokens' | 'max_completion_tokens'
  /** What came with earlier calls beside them: thoughts and signatures. `filled`: also where nothing is known of them. */
  thoughts: 'kept' | 'filled' | 'left-out'
  /** Nine letters and digits, or the ids as they are. */
  shortIds: boolean
  /** The model has to have spoken between results and a person. */
  bridged: boolean
}

export const USUAL: Manner = { asksForUsage: true, limit: 'max_tokens', thoughts: 'kept', shortIds: false, bridged: false }

const CHANGES: readonly [asked: RegExp, to: Partial<Manner>][] = [
  [/stream_options/, { asksForUsage: false }],
  [/use .{0,3}max_completion_tokens/i, { limit: 'max_completion_tokens' }],
  [/reasoning_content.{0,60}must be passed|missing.{0,3}.reasoning_content|reasoning_content.{0,3}.is missing/is, { thoughts: 'filled' }],
  [/reasoning_content|reasoning_details|extra_content|thought.?signature/i, { thoughts: 'left-out' }],
  [/tool call id.{0,200}length of 9/is, { shortIds: true }],
  [/unexpected role .?user.? after role .?tool/i, { bridged: true }],
]
const STATUSES: ReadonlySet<unknown> = new Set([400, 422, 500])

/** Another manner, in which the same request may be understood; null where the refusal is about something else. */
export function mannerAfter(manner: Manner, { statusCode, responseBody }: Pick<Refused, 'statusCode' | 'responseBody'>): Manner | null {
  if (!STATUSES.has(statusCode)) return null
  const changed = CHANGES.filter(([asked]) => asked.test(responseBody)).map(([, to]) => ({ ...manner, ...to }))
  return changed.find(other => (Object.keys(USUAL) as (keyof Manner)[]).some(key => other[key] !== manner[key])) ?? null
}
