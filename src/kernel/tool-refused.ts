/** Thrown by an executor for a mutating effect where nothing may change. It ends the loop; a denial by policy does not. */
export class ToolRefused extends Error {
  readonly code = 'tool_refused'
  override readonly name = 'ToolRefused'
}

export function isToolRefused(thrown: unknown): thrown is Error & { code: 'tool_refused' } {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'tool_refused'
}
