import { type Outline, outlineShell, partsOfOutline } from '../../policy/shell/index.ts'
import type { VerifyScript } from '../facts.ts'
import { hidingWords, isLook, passesOn, programName } from './constant-commands.ts'
import { exitStatus, isProgram, judges, type ShellOptions } from './exit-status.ts'

/** Why a command proves nothing: it cannot fail, or it hides that something failed. */
export interface CommandFault {
  id: 'verify.trivial' | 'verify.swallowed'
  why: string
}

/** F-21: what is wrong with a verify command as text, or null. It runs with pipefail on. */
export function verifyCommandFault(text: string): CommandFault | null {
  const outline = outlineShell(text)
  const unknown = unreadable(outline)
  return unknown === null ? faultOf(outline, { errexit: false, pipefail: true }) : swallowed(`not readable: ${unknown}`)
}

/** The same for a script or recipe that the command leads to, which runs without pipefail. What cannot be read there is let be: it
 *  was written for another program's rules, and a change of it is a finding of its own. */
export function scriptFault({ text, form }: Pick<VerifyScript, 'text' | 'form'>): CommandFault | null {
  return form === 'lines' ? linesFault(text.split('\n')) : faultOf(outlineShell(text), { errexit: false, pipefail: false })
}

/** Lines that are shells of their own; the first that fails ends them all. One behind a `-` may fail, `@` and `+` change nothing. */
export function linesFault(lines: readonly string[]): CommandFault | null {
  const items = lines.map(line => ({
    body: { kind: 'shell', options: ['sh'], body: outlineShell(withoutPrefix(line)) } satisfies Outline,
    background: /^[@+]*-/.test(line),
  }))
  return faultOf({ kind: 'list', items }, { errexit: true, pipefail: false })
}

export function withoutPrefix(line: string): string {
  return line.replace(/^[@+-]+\s*/, '')
}

function faultOf(outline: Outline, options: ShellOptions): CommandFault | null {
  const hiding = everyPart(outline)
    .map(part => (part.kind === 'command' ? hidingWords(part.argv) : null))
    .find(found => found !== null)
  if (hiding !== undefined) return swallowed(hiding)
  const canFail = [true, false].some(
    looksSucceed => exitStatus(outline, options, { fails: () => true, looksSucceed, lenient: false }) !== 0,
  )
  if (!judges(outline)) return canFail ? null : { id: 'verify.trivial', why: 'nothing in it can fail' }
  if (!canFail) return swallowed('it succeeds when everything in it fails')
  if (isNegation(outline)) return swallowed('! turns a failure into success')
  const hidden = hiddenProgram(outline, options)
  return hidden === null ? null : swallowed(`a failure of ${hidden} is hidden`)
}

/** So many programs are looked at one by one; a longer text is judged as a whole. */
const MOST_PROGRAMS = 100

/** A program that may fail alone without anyone seeing it. */
function hiddenProgram(outline: Outline, options: ShellOptions): string | null {
  const hidden = required(outline)
    .slice(0, MOST_PROGRAMS)
    .find(program =>
      [true, false].every(
        looksSucceed => exitStatus(outline, options, { fails: command => command === program, looksSucceed, lenient: true }) === 0,
      ),
    )
  return hidden === undefined ? null : hidden.argv.map(word => word.text).join(' ')
}

/** Programs whose failure must come through: not those in the background, behind a `!` or a `||` or inside the words of another, no
 *  look-ups and nothing that only hands on what it reads. */
function required(outline: Outline): Extract<Outline, { kind: 'command' }>[] {
  switch (outline.kind) {
    case 'not':
      return []
    case 'command':
      return isProgram(outline) && !isLook(programName(outline.argv[0]) ?? '') ? [outline] : []
    case 'list':
      return outline.items.flatMap(item => (item.background ? [] : required(item.body)))
    case 'and-or':
      return [outline.first, ...outline.rest.flatMap(({ operator, body }) => (operator === '&&' ? [body] : []))].flatMap(required)
    case 'pipe':
      return outline.items.filter((item, i) => i === 0 || item.kind !== 'command' || !passesOn(item.argv[0])).flatMap(required)
    default:
      return partsOfOutline(outline).flatMap(required)
  }
}

function everyPart(outline: Outline): Outline[] {
  return [outline, ...partsOfOutline(outline).flatMap(everyPart)]
}

/** The whole is one negation, whatever stands around it. */
function isNegation(outline: Outline): boolean {
  if (outline.kind === 'not') return true
  const [only, ...more] = outline.kind === 'list' || outline.kind === 'subshell' || outline.kind === 'shell' ? partsOfOutline(outline) : []
  return only !== undefined && more.length === 0 && isNegation(only)
}

function unreadable(outline: Outline): string | null {
  for (const part of everyPart(outline)) {
    if (part.kind === 'unknown') return part.why
    if (part.kind === 'command' && programName(part.argv[0]) === null)
      return `${part.argv[0]?.text ?? ''}: which program this is, is only known when it runs`
  }
  return null
}

function swallowed(why: string): CommandFault {
  return { id: 'verify.swallowed', why }
}
