import { outlineShell } from '../../policy/shell/index.ts'
import type { VerifyScript } from '../facts.ts'
import { type ExitReading, readExit } from './exit-status.ts'

/** Why a command proves nothing: it cannot fail, or it hides that something failed. */
export interface CommandFault {
  id: 'verify.trivial' | 'verify.swallowed'
  why: string
}

/** F-21: what is wrong with a verify command as text, or null. It runs with pipefail on. */
export function verifyCommandFault(text: string): CommandFault | null {
  const reading = readExit(outlineShell(text), { errexit: false, pipefail: true })
  return reading.unknown === null ? faultOf(reading) : swallowed(`not readable: ${reading.unknown}`)
}

/** The same for a script or recipe that the command leads to, which runs without pipefail. What cannot be read there is let be: it
 *  was written for another program's rules, and a change of it is a finding of its own. */
export function scriptFault({ text, form }: Pick<VerifyScript, 'text' | 'form'>): CommandFault | null {
  return form === 'lines' ? linesFault(text.split('\n')) : faultOf(readExit(outlineShell(text), NO_OPTIONS))
}

/** Lines that are shells of their own. One behind a `-` may fail; `@` and `+` change nothing. */
export function linesFault(lines: readonly string[]): CommandFault | null {
  const readings = lines.map((line): ExitReading => {
    const reading = readExit(outlineShell(withoutPrefix(line)), NO_OPTIONS)
    return /^[@+]*-/.test(line) ? { ...reading, kind: 'zero', hiding: [] } : reading
  })
  const kinds = new Set(readings.map(reading => reading.kind))
  const kind = (['nonzero', 'real', 'inverted'] as const).find(one => kinds.has(one)) ?? 'zero'
  return faultOf({
    kind,
    judges: readings.some(reading => reading.judges),
    hiding: readings.flatMap(reading => reading.hiding),
    unknown: readings.find(reading => reading.unknown !== null)?.unknown ?? null,
  })
}

export function withoutPrefix(line: string): string {
  return line.replace(/^[@+-]+\s*/, '')
}

const NO_OPTIONS = { errexit: false, pipefail: false }

function faultOf({ kind, judges, hiding, unknown }: ExitReading): CommandFault | null {
  const [form] = hiding
  if (form !== undefined) return swallowed(form)
  if (unknown !== null) return null
  if (!judges) return kind === 'nonzero' ? null : { id: 'verify.trivial', why: 'nothing in it can fail' }
  if (kind === 'zero') return swallowed('it ends in something that always succeeds')
  return kind === 'inverted' ? swallowed('! turns a failure into success') : null
}

function swallowed(why: string): CommandFault {
  return { id: 'verify.swallowed', why }
}
