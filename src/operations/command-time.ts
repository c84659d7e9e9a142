import type { App } from '../app.ts'
import { getSetting } from '../project/config/config.ts'

/** S-2: how long a command may take that does not say so itself. */
export function commandMs(app: App): number {
  return getSetting(app.configPlaces(), 'shell.timeout_ms').value as number
}
