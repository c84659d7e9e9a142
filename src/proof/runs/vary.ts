import { existsSync } from 'node:fs'

const FAKETIME = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib'].map(
  folder => `${folder}/faketime/libfaketime.so.1`,
)
const TURKISH = ['/usr/lib/locale/tr_TR.utf8', '/usr/lib/locale/tr_TR.UTF-8']

/** Another zone, and where the machine has them another locale and another time, for the `vary` run. */
export function variedEnvironment(has: (path: string) => boolean = existsSync): Record<string, string> {
  const faketime = FAKETIME.find(has)
  return {
    TZ: 'Pacific/Kiritimati',
    ...(TURKISH.some(has) && { LC_ALL: 'tr_TR.UTF-8' }),
    ...(faketime !== undefined && { LD_PRELOAD: faketime, FAKETIME: '+400d' }),
  }
}
