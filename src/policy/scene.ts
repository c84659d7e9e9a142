import type { PolicyLayers } from './layers/layer.ts'
import type { ReadShell } from './shell-port.ts'
import type { Facts, PolicyContext } from './types.ts'

/** Where and under what a question is judged. */
export interface PolicyScene {
  cwd: string
  facts: Facts
  context: PolicyContext
  layers: PolicyLayers
  readShell: ReadShell
}
