import { expect, test } from 'vitest'
import { plainFacts } from '../../src/policy/plain-facts.ts'
import type { ShellReading } from '../../src/policy/shell/reading.ts'
import { understandShell } from '../../src/policy/shell/understand.ts'
import type { Facet, Facts } from '../../src/policy/types.ts'

export const ROOT = '/w/p'

export function facts(own: Partial<Facts> = {}): Facts {
  return plainFacts(ROOT, { home: '/home/u', ...own })
}

export function read(command: string | { argv: string[] }, own: Partial<Facts> = {}): ShellReading {
  return understandShell(command, { cwd: ROOT, facts: facts(own) })
}

export function flagsOf(reading: ShellReading): string {
  return [...new Set(reading.facets.flatMap(facet => facet.flags))].sort().join(' ')
}

/** Everything but the commands themselves, one short text each: `read /w/p/a`, `delete* /w/p/b`, `net.get x.io`, `secret API_KEY`. */
export function touched(reading: ShellReading): string[] {
  return reading.facets.flatMap(facet => shortFacet(facet))
}

function shortFacet({ category, verb, path, access, recursive, inferred, host, secret }: Facet): string[] {
  if (path !== undefined) return [`${access}${recursive ? '*' : ''}${inferred ? '?' : ''} ${path}`]
  if (host !== undefined) return [`${verb} ${host}`]
  if (category === 'secrets') return [`secret ${secret}`]
  return []
}

/** A command, its class (`?` when the grammar is unknown), all flags, and what it touches when that matters. */
export type Row = [command: string, outcome: string, flags: string, touches?: string[]]

export function checkRows(requirement: string, saying: string, rows: Row[], own: Partial<Facts> = {}): void {
  test.each(rows)(`${requirement} ${saying}: %j is %s [%s]`, (command, outcome, flags, touches) => {
    const reading = read(command, own)
    const seen = reading.grammar === 'unknown' ? '?' : reading.class
    expect([seen, flagsOf(reading), ...(touches ? [touched(reading)] : [])]).toEqual([
      outcome,
      flags.split(' ').sort().join(' '),
      ...(touches ? [touches] : []),
    ])
  })
}
