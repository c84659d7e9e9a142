import { userInfo } from 'node:os'

/** The person who calls, as what they decide is signed. */
export function callerName(env: Readonly<Record<string, string | undefined>>): string {
  return `person:${env['USER'] || env['LOGNAME'] || accountName()}`
}

// An account without an entry has no name.
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
