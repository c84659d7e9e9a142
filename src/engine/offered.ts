import type { Effect } from '../kernel/effect.ts'
import type { EngineLoopTool } from './types.ts'

const EFFECTS: ReadonlyMap<string, Effect> = new Map([
  ['write', 'write'],
  ['edit', 'write'],
  ['multi_edit', 'write'],
  ['apply_patch', 'write'],
  ['bash', 'execute'],
  ['shell', 'execute'],
  ['sh', 'execute'],
])
/** Other names of the shell tool. */
const SHELL_NAMES = new Set(['sh', 'shell'])

/** Whether asking for a tool of this name, where it is not offered, means that something was to be changed. */
export function isMutatingName(name: string): boolean {
  return EFFECTS.has(name)
}

/** The tools of a loop by every name under which they may be called. */
export function offeredTools(tools: readonly EngineLoopTool[]): (name: string) => EngineLoopTool | undefined {
  const byName = new Map(tools.map(tool => [tool.name, tool]))
  return name => byName.get(name) ?? (SHELL_NAMES.has(name) ? byName.get('bash') : undefined)
}

export function effectOf(name: string, tool: EngineLoopTool | undefined): Effect {
  return tool?.effect ?? EFFECTS.get(name) ?? 'read'
}
