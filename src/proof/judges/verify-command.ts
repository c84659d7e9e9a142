import { outlineShell } from '../../policy/shell/index.ts'
import { type ExitReading, readExit } from './exit-status.ts'

/** Why a command proves nothing: it cannot fail, or it hides that something failed. */
export interface CommandFault {
  id: 'verify.trivial' | 'verify.swallowed'
  why: string
}

/** The options that a text starts under: a verify command runs with pipefail, a manifest script does not. */
interface StartsUnder {
  errexit?: boolean
  pipefail?: boolean
}

/** F-21: what is wrong with a verify command as text, or null. */
export function verifyCommandFault(text: string, { errexit = false, pipefail = true }: StartsUnder = {}): CommandFault | null {
  return faultOf(readExit(outlineShell(text), { errexit, pipefail }))
}

function faultOf({ kind, judges, hiding, unknown }: ExitReading): CommandFault | null {
  if (unknown !== null) return swallowed(`not readable: ${unknown}`)
  if (!judges) return kind === 'nonzero' ? null : { id: 'verify.trivial', why: 'nothing in it can fail' }
  const [form] = hiding
  if (form !== undefined) return swallowed(form)
  if (kind === 'zero') return swallowed('it ends in something that always succeeds')
  return kind === 'inverted' ? swallowed('! turns a failure into success') : null
}

function swallowed(why: string): CommandFault {
  return { id: 'verify.swallowed', why }
}
