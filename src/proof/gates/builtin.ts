/** Gates that need no command, with the least score that passes. */
export const BUILTIN_THRESHOLDS = { codeaudit: 80, secaudit: 85 } as const
export type BuiltinGate = keyof typeof BUILTIN_THRESHOLDS

export function isBuiltinGate(name: string): name is BuiltinGate {
  return Object.hasOwn(BUILTIN_THRESHOLDS, name)
}
