import type { Catalogue } from '../../operations/operation.ts'
import type { Paint } from '../../operations/paint.ts'
import type { Cli } from './cli.ts'
import type { ServiceCommand } from './services.ts'
export function serviceHelp(s: ServiceCommand): string {
  return s.usage
}
export async function runServiceCommand(
  _s: ServiceCommand,
  _a: string[],
  _c: Cli & { catalogue: Catalogue; paint: Paint },
): Promise<number> {
  return 0
}
