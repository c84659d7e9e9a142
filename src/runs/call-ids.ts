import type { EngineToolCall } from '../kernel/frames.ts'

/** The calls of a reply with an id each, none twice. */
export function withIds(calls: readonly EngineToolCall[], turnIndex: number): EngineToolCall[] {
  const seen = new Set<string>()
  return calls.map((call, position) => {
    const id = call.id === '' || typeof call.id !== 'string' || seen.has(call.id) ? `call_${turnIndex}_${position}` : call.id
    seen.add(id)
    return id === call.id ? call : { ...call, id }
  })
}
